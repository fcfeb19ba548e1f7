"""One agent's queue, by index only: who runs, who waits, and whether it may run."""

import sqlite3

_QUEUED = "SELECT count(*) FROM turns WHERE target_actor_id = ? AND status = 'queued'"
_AHEAD = _QUEUED + " AND enqueue_seq < ?"
_ACTIVE = """
SELECT turn_id FROM turns
WHERE target_actor_id = ? AND status IN ('dispatching', 'running', 'cancelling') LIMIT 1
"""


def queued_count(conn: sqlite3.Connection, actor_id: str) -> int:
    """How many turns wait in this lane."""
    return int(conn.execute(_QUEUED, (actor_id,)).fetchone()[0])


def queue_position(conn: sqlite3.Connection, actor_id: str, enqueue_seq: int) -> int:
    """How many queued turns are ahead of this one."""
    return int(conn.execute(_AHEAD, (actor_id, enqueue_seq)).fetchone()[0])


def active_turn(conn: sqlite3.Connection, actor_id: str) -> str | None:
    """The turn that the lane is busy with."""
    row = conn.execute(_ACTIVE, (actor_id,)).fetchone()
    return None if row is None else str(row[0])
