"""To which era a native session belongs that is opened now."""

import sqlite3
from typing import Any

from groupx.domain.context_reset import SessionEra
from groupx.domain.ids import RoomId

ERA = """
(SELECT room_id FROM rooms WHERE active = 1),
(SELECT reset_id FROM context_resets WHERE reset_native_sessions = 1
 ORDER BY created_at DESC, rowid DESC LIMIT 1)
"""
"""What `read_era` takes."""


def read_era(columns: tuple[Any, ...]) -> SessionEra:
    """The columns of ERA."""
    room_id, reset_id = columns
    return SessionEra(room_id=RoomId(room_id), reset_id=reset_id)


def session_era(conn: sqlite3.Connection, _: None) -> SessionEra:
    """The era by now."""
    return read_era(conn.execute(f"SELECT {ERA}").fetchone())
