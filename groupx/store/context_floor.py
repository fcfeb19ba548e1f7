"""Under what a room's context never reaches: the last reset, and what the checkpoint covers."""

import sqlite3

_RESET = "SELECT coalesce(max(through_seq), 0) FROM context_resets WHERE room_id = ?"
_SUMMARY = "SELECT through_seq FROM summaries WHERE room_id = ? AND status = 'active'"


def reset_floor(conn: sqlite3.Connection, room_id: str) -> int:
    """The seq that context starts above; 0 when there never was a reset."""
    return int(conn.execute(_RESET, (room_id,)).fetchone()[0])


def active_summary_through(conn: sqlite3.Connection, room_id: str) -> int | None:
    """The seq that the active checkpoint covers up to."""
    row = conn.execute(_SUMMARY, (room_id,)).fetchone()
    return None if row is None else int(row[0])
