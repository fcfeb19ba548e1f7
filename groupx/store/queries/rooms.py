"""The rooms, and the one that everything acts on."""

import sqlite3

from groupx.domain.errors import ErrorCode, GroupXError
from groupx.domain.ids import RoomId
from groupx.domain.pages import RoomView

_ROOMS = """
SELECT room_id, title, active, created_at, archived_at FROM rooms
ORDER BY active DESC, created_at DESC, room_id LIMIT 1000
"""
_EXISTS = "SELECT 1 FROM rooms WHERE room_id = ?"
_ACTIVE = "SELECT room_id FROM rooms WHERE active = 1"


def active_room(conn: sqlite3.Connection) -> RoomId:
    """The active room's id."""
    row = conn.execute(_ACTIVE).fetchone()
    if row is None:
        raise GroupXError(
            ErrorCode.STORE_CONFLICT,
            "This ledger has no active room, so nothing can be said in it.",
        )
    return RoomId(row[0])


def must_exist(conn: sqlite3.Connection, room_id: str) -> None:
    """NOT_FOUND when there is no such room."""
    if conn.execute(_EXISTS, (room_id,)).fetchone() is None:
        raise GroupXError(ErrorCode.NOT_FOUND, f"There is no room '{room_id}' in this ledger.")


def rooms(conn: sqlite3.Connection) -> tuple[RoomView, ...]:
    """All rooms, the active one first, then the newest."""
    return tuple(
        RoomView(
            room_id=RoomId(row[0]),
            title=row[1],
            active=bool(row[2]),
            created_at=row[3],
            archived_at=row[4],
        )
        for row in conn.execute(_ROOMS)
    )
