"""A room's checkpoints: at most one is active, and covers everything said up to its seq.

Each is made of the one before it and of what was said since, so that it tells of all that those
before it tell of. They stay: `superseded` ones hold still, of what they cover; `retracted` ones
tell of a message that was taken back, and are never used again.
"""

import sqlite3

from groupx.domain.compaction import SwapCheckpoint
from groupx.domain.ids import RoomId
from groupx.domain.packet_inputs import ActiveSummary
from groupx.store.context_floor import reset_floor
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
UPDATE summaries SET status = 'superseded' WHERE room_id = ? AND status = 'active'
"""
_RETRACT = """
UPDATE summaries SET status = 'retracted'
WHERE room_id = ? AND status IN ('active', 'superseded') AND through_seq >= ?
"""
_RESTORE = """
UPDATE summaries SET status = 'active' WHERE summary_id = (
  SELECT summary_id FROM summaries
  WHERE room_id = :room AND status = 'superseded' AND through_seq > :floor AND from_seq > :floor
  ORDER BY through_seq DESC LIMIT 1)
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
    tx.conn.execute(_SUPERSEDE, (swap.room_id,))
    summary_id = tx.ids.new("summary")
    tx.conn.execute(
        _INSERT,
        (
            summary_id, swap.room_id, swap.from_seq, swap.through_seq, swap.content,
            swap.generator_actor_id, tx.now,
        ),
    )  # fmt: skip
    return summary_id


def retract_summaries_of(tx: Transaction, room_id: RoomId, seq: int) -> None:
    """What was said at `seq` was taken back: the checkpoints that tell of it hold no longer.

    The newest one before them, if there is one above the last reset, is the room's again.
    """
    floor = reset_floor(tx.conn, room_id)
    if seq > floor and active_summary(tx.conn, room_id, above=seq - 1) is not None:
        tx.conn.execute(_RETRACT, (room_id, seq))
        tx.conn.execute(_RESTORE, {"room": room_id, "floor": floor})
