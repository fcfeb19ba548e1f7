"""A room's checkpoints: at most one is active, and covers everything said up to its seq."""

import sqlite3

from groupx.domain.compaction import SwapCheckpoint
from groupx.domain.ids import RoomId
from groupx.domain.packet_inputs import ActiveSummary
from groupx.store.transaction import Transaction

ACTIVE_OF = "FROM summaries s WHERE s.status = 'active' AND s.room_id"
"""The active checkpoint `s` of a room, as in `… = ?`."""
_ACTIVE = f"""
SELECT summary_id, from_seq, through_seq, content, generator_actor_id, coalesce(
  (SELECT e.occurred_at FROM events e WHERE e.room_id = s.room_id AND e.seq <= s.through_seq
   ORDER BY e.seq DESC LIMIT 1), s.created_at)
{ACTIVE_OF} = ? AND through_seq > ?
"""
_SUPERSEDE = """
UPDATE summaries SET status = 'superseded'
WHERE room_id = ? AND status = 'active' AND through_seq >= ?
"""
_INSERT = """
INSERT INTO summaries (summary_id, room_id, from_seq, through_seq, content, generator_actor_id,
  status, created_at)
VALUES (?, ?, ?, ?, ?, ?, 'active', ?)
"""


def active_summary(
    conn: sqlite3.Connection, room_id: RoomId, *, above: int
) -> ActiveSummary | None:
    """The room's checkpoint, if it reaches beyond `above` (the last reset)."""
    row = conn.execute(_ACTIVE, (room_id, above)).fetchone()
    if row is None:
        return None
    return ActiveSummary(
        summary_id=row[0],
        from_seq=row[1],
        through_seq=row[2],
        at=row[5],
        content=row[3],
        generator_actor_id=row[4],
    )


def active_summary_through(conn: sqlite3.Connection, room_id: RoomId) -> int | None:
    """The seq that the active checkpoint covers up to."""
    row = conn.execute(f"SELECT s.through_seq {ACTIVE_OF} = ?", (room_id,)).fetchone()
    return None if row is None else int(row[0])


def put_summary(tx: Transaction, swap: SwapCheckpoint) -> str:
    """The new checkpoint is the active one; its id. The one before stays, superseded."""
    tx.conn.execute(_SUPERSEDE, (swap.room_id, 0))
    summary_id = tx.ids.new("summary")
    tx.conn.execute(
        _INSERT,
        (
            summary_id, swap.room_id, swap.from_seq, swap.through_seq, swap.content,
            swap.generator_actor_id, tx.now,
        ),
    )  # fmt: skip
    return summary_id


def forget_summary_of(tx: Transaction, room_id: RoomId, seq: int) -> None:
    """What was said at `seq` was taken back: a checkpoint that tells of it holds no longer."""
    tx.conn.execute(_SUPERSEDE, (room_id, seq))
