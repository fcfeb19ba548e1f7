"""Under what a room's context never reaches: the last reset."""

import sqlite3

_RESET = "SELECT coalesce(max(through_seq), 0) FROM context_resets WHERE room_id = ?"


def reset_floor(conn: sqlite3.Connection, room_id: str) -> int:
    """The seq that context starts above; 0 when there never was a reset."""
    return int(conn.execute(_RESET, (room_id,)).fetchone()[0])
