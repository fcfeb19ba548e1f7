"""Where a stream begins: which room, and how far the ledger goes."""

import sqlite3

import attrs

from groupx.domain.errors import ErrorCode, GroupXError
from groupx.domain.ids import RoomId
from groupx.store.queries.rooms import active_room


@attrs.frozen(kw_only=True)
class StreamStart:
    """The room of a stream; `through_seq` is the newest seq of the whole ledger, 0 if none."""

    room_id: RoomId
    through_seq: int


def stream_start(conn: sqlite3.Connection, room_id: str | None) -> StreamStart:
    """For the named room, or the active one. NOT_FOUND when there is no such room."""
    if room_id is None:
        room = active_room(conn)
    elif conn.execute("SELECT 1 FROM rooms WHERE room_id = ?", (room_id,)).fetchone():
        room = RoomId(room_id)
    else:
        raise GroupXError(
            ErrorCode.NOT_FOUND,
            f"There is no room '{room_id}' here, so there is nothing to stream. "
            "Reload the page to see the rooms there are.",
        )
    newest = conn.execute("SELECT ifnull(max(seq), 0) FROM events").fetchone()
    return StreamStart(room_id=room, through_seq=newest[0])
