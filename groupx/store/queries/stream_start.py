"""Where a stream begins: which room, what runs in it, and how far the ledger goes."""

import sqlite3

import attrs

from groupx.domain.ids import RoomId
from groupx.domain.views import TurnView
from groupx.store.queries.bootstrap import MAX_OPEN_TURNS
from groupx.store.queries.lane import lane_views
from groupx.store.queries.rooms import active_room, must_exist
from groupx.store.turn_views import open_turns


@attrs.frozen(kw_only=True)
class StreamStart:
    """One room, from one read snapshot."""

    room_id: RoomId
    through_seq: int
    """The newest seq of the whole ledger, 0 if it is empty."""
    turns: tuple[TurnView, ...]
    """Open turns, as in the bootstrap."""


def stream_start(conn: sqlite3.Connection, room_id: RoomId | None) -> StreamStart:
    """For the named room, or the active one. NOT_FOUND when there is no such room."""
    room = room_id or active_room(conn)
    must_exist(conn, room)
    lanes = (lane.actor_id for lane in lane_views(conn, room))
    newest = conn.execute("SELECT ifnull(max(seq), 0) FROM events").fetchone()
    return StreamStart(
        room_id=room,
        through_seq=newest[0],
        turns=tuple(
            turn for turn in open_turns(conn, lanes, MAX_OPEN_TURNS) if turn.room_id == room
        ),
    )
