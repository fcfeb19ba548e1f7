"""Turn rows as everybody sees them."""

import sqlite3
from collections.abc import Iterable
from typing import Any

from groupx.domain.attempts import DeliveryCertainty
from groupx.domain.endings import certainty_without_attempt
from groupx.domain.turns import TurnStatus
from groupx.domain.views import TurnView
from groupx.store.lane_rows import queue_position

_VIEW = """
SELECT t.turn_id, e.room_id, t.target_actor_id, t.source_event_id, t.status, t.transport,
  t.trigger_kind, p.role, t.parent_turn_id, t.root_correlation_id, t.hop_count, t.queued_at,
  t.started_at, t.terminal_at, t.error_code, t.response_event_id, t.terminal_event_id,
  t.enqueue_seq,
  (SELECT delivery_certainty FROM turn_attempts a WHERE a.turn_id = t.turn_id
    ORDER BY a.rowid DESC LIMIT 1)
FROM turns t JOIN events e ON e.event_id = t.source_event_id
LEFT JOIN supervision_pair_turns p ON p.turn_id = t.turn_id
"""
_ONE = _VIEW + " WHERE t.turn_id = ?"
_ACTIVE = _VIEW + (
    " WHERE t.target_actor_id = ? AND t.status IN ('dispatching', 'running', 'cancelling')"
)
_QUEUE = _VIEW + (
    " WHERE t.target_actor_id = ? AND t.status = 'queued' ORDER BY t.enqueue_seq LIMIT ?"
)
_CHILDREN = _VIEW + (
    " WHERE t.root_correlation_id = ? AND t.parent_turn_id = ? ORDER BY t.enqueue_seq LIMIT ?"
)


def turn_view(conn: sqlite3.Connection, turn_id: str) -> TurnView | None:
    """One turn; a queued one with its place."""
    row = conn.execute(_ONE, (turn_id,)).fetchone()
    if row is None:
        return None
    position = None
    if row[4] == TurnStatus.QUEUED:
        position = queue_position(conn, row[2], row[17])
    return _view(row, position)


def open_turns(conn: sqlite3.Connection, actors: Iterable[str], limit: int) -> tuple[TurnView, ...]:
    """Each lane's active turn, all of them; then each queue from its front, up to `limit`."""
    lanes = list(actors)
    found = [_view(row, None) for actor in lanes for row in conn.execute(_ACTIVE, (actor,))]
    for actor in lanes:
        room = limit - len(found)
        if room <= 0:
            break
        queue = conn.execute(_QUEUE, (actor, room))
        found += [_view(row, position) for position, row in enumerate(queue)]
    return tuple(found)


def child_turns(
    conn: sqlite3.Connection, root_correlation_id: str, turn_id: str, limit: int
) -> tuple[TurnView, ...]:
    """The turns that a turn's own calls made."""
    rows = conn.execute(_CHILDREN, (root_correlation_id, turn_id, limit)).fetchall()
    return tuple(
        _view(
            row,
            queue_position(conn, row[2], row[17]) if row[4] == TurnStatus.QUEUED else None,
        )
        for row in rows
    )


def _view(row: tuple[Any, ...], position: int | None) -> TurnView:
    status = TurnStatus(row[4])
    if row[18] is not None:
        certainty = DeliveryCertainty(row[18])
    else:
        certainty = certainty_without_attempt(status, row[14])
    return TurnView(
        turn_id=row[0],
        room_id=row[1],
        target_actor_id=row[2],
        source_event_id=row[3],
        status=status,
        transport=row[5],
        trigger_kind=row[6],
        role=row[7],
        parent_turn_id=row[8],
        root_correlation_id=row[9],
        hop_count=row[10],
        queue_position=position,
        queued_at=row[11],
        started_at=row[12],
        terminal_at=row[13],
        error_code=row[14],
        delivery_certainty=certainty,
        response_event_id=row[15],
        terminal_event_id=row[16],
    )
