"""The per-target state of a message, read from the view over turns and attempts."""

import sqlite3

from groupx.domain.ids import ActorId
from groupx.domain.receipts import InputReceipt, ReceiptQuery

_RECEIPTS = """
SELECT target_actor_id, turn_id, state, received_at, recorded_at, applied_at, completed_at
FROM input_receipts WHERE source_event_id = ?
"""
_OF_ONE = _RECEIPTS + " AND target_actor_id = ?"
_OF_ALL = _RECEIPTS + " ORDER BY target_actor_id"


def input_receipts(conn: sqlite3.Connection, query: ReceiptQuery) -> tuple[InputReceipt, ...]:
    """One receipt per target, by name; empty for a message that woke nobody."""
    source = query.source_event_id
    if query.target_actor_id is None:
        rows = conn.execute(_OF_ALL, (source,))
    else:
        rows = conn.execute(_OF_ONE, (source, query.target_actor_id))
    return tuple(
        InputReceipt(
            source_event_id=source,
            target_actor_id=ActorId(row[0]),
            turn_id=row[1],
            state=row[2],
            received_at=row[3],
            recorded_at=row[4],
            applied_at=row[5],
            completed_at=row[6],
        )
        for row in rows
    )
