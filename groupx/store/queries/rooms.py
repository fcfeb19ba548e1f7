"""The rooms, and the one that everything acts on."""

import sqlite3
from typing import Any

from groupx.domain.errors import ErrorCode, GroupXError
from groupx.domain.ids import RoomId
from groupx.domain.pages import RoomView
from groupx.domain.rooms import Idle, RoomSummary, Shown

_COLUMNS = "rooms.room_id, rooms.title, rooms.active, rooms.created_at, rooms.archived_at"
_ROOMS = f"SELECT {_COLUMNS} FROM rooms ORDER BY active DESC, created_at DESC, room_id LIMIT 1000"
_ROOM = f"SELECT {_COLUMNS} FROM rooms WHERE rooms.room_id = ?"
_EXISTS = "SELECT 1 FROM rooms WHERE room_id = ?"
_ACTIVE = "SELECT room_id FROM rooms WHERE active = 1"
_SUMMARIES = f"""
SELECT {_COLUMNS},
  (SELECT count(*) FROM events e WHERE e.room_id = rooms.room_id),
  (SELECT count(*) FROM events e CROSS JOIN turns t ON t.source_event_id = e.event_id
    WHERE e.room_id = rooms.room_id),
  ifnull((SELECT occurred_at FROM events e WHERE e.room_id = rooms.room_id
    ORDER BY e.seq DESC LIMIT 1), rooms.created_at) AS last_activity_at
FROM rooms
"""
_NEWEST_FIRST = " ORDER BY rooms.active DESC, last_activity_at DESC, rooms.room_id"
_SHOWN: dict[Shown, str] = {
    "listed": " WHERE rooms.archived_at IS NULL",
    "archived": " WHERE rooms.archived_at IS NOT NULL",
    "all": "",
}
_IDLE = """
 WHERE rooms.active = 0 AND last_activity_at < :before AND NOT EXISTS (
  SELECT 1 FROM turns t CROSS JOIN events e ON e.event_id = t.source_event_id
  WHERE t.status IN ('queued', 'dispatching', 'running', 'cancelling')
    AND e.room_id = rooms.room_id)
"""


def active_room(conn: sqlite3.Connection) -> RoomId:
    """The active room's id."""
    row = conn.execute(_ACTIVE).fetchone()
    if row is None:
        raise GroupXError(
            ErrorCode.STORE_CONFLICT,
            "This ledger has no active room, so nothing can be said in it.",
        )
    return RoomId(row[0])


def active_room_id(conn: sqlite3.Connection, _query: None) -> RoomId:
    """The same, as a query."""
    return active_room(conn)


def exists(conn: sqlite3.Connection, room_id: str) -> bool:
    """Whether there is such a room."""
    return conn.execute(_EXISTS, (room_id,)).fetchone() is not None


def must_exist(conn: sqlite3.Connection, room_id: str) -> None:
    """NOT_FOUND when there is no such room."""
    if not exists(conn, room_id):
        raise _no_room(room_id)


def asked_room(conn: sqlite3.Connection, room_id: str | None) -> RoomId:
    """The room that is asked for, None the active one; NOT_FOUND."""
    if room_id is None:
        return active_room(conn)
    must_exist(conn, room_id)
    return RoomId(room_id)


def room(conn: sqlite3.Connection, room_id: str) -> RoomView:
    """One room; NOT_FOUND."""
    row = conn.execute(_ROOM, (room_id,)).fetchone()
    if row is None:
        raise _no_room(room_id)
    return RoomView(**_fields(row))


def rooms(conn: sqlite3.Connection) -> tuple[RoomView, ...]:
    """All rooms (at most 1000), the active one first, then the newest."""
    return tuple(RoomView(**_fields(row)) for row in conn.execute(_ROOMS))


def list_rooms(conn: sqlite3.Connection, shown: Shown) -> tuple[RoomSummary, ...]:
    """With what is in them, the active one first, then by their last activity."""
    return _summaries(conn, _SHOWN[shown], {})


def idle_rooms(conn: sqlite3.Connection, idle: Idle) -> tuple[RoomSummary, ...]:
    """Those that may be pruned."""
    return _summaries(conn, _IDLE, {"before": idle.before})


def _summaries(
    conn: sqlite3.Connection, where: str, values: dict[str, str]
) -> tuple[RoomSummary, ...]:
    rows = conn.execute(_SUMMARIES + where + _NEWEST_FIRST, values)
    return tuple(
        RoomSummary(events=row[5], turns=row[6], last_activity_at=row[7], **_fields(row))
        for row in rows
    )


def _fields(row: tuple[Any, ...]) -> dict[str, Any]:
    return {
        "room_id": RoomId(row[0]),
        "title": row[1],
        "active": bool(row[2]),
        "created_at": row[3],
        "archived_at": row[4],
    }


def _no_room(room_id: str) -> GroupXError:
    return GroupXError(ErrorCode.NOT_FOUND, f"There is no room '{room_id}' in this ledger.")
