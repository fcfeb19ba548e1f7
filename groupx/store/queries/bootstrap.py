"""What a face shows first, from one read snapshot whose cost does not grow with the history."""

import sqlite3

from groupx.domain.pages import Bootstrap, BootstrapQuery
from groupx.store.event_pages import page_before
from groupx.store.queries.lane import lane_views
from groupx.store.queries.rooms import active_room, room, rooms
from groupx.store.turn_views import open_turns

MAX_OPEN_TURNS = 500


def bootstrap(conn: sqlite3.Connection, query: BootstrapQuery) -> Bootstrap:
    """The newest events (at least one), open turns, lanes and rooms; NOT_FOUND."""
    about = room(conn, query.room_id or active_room(conn))
    room_id = about.room_id
    lanes = lane_views(conn, room_id)
    turns = open_turns(conn, (lane.actor_id for lane in lanes), MAX_OPEN_TURNS)
    return Bootstrap(
        page=page_before(conn, room_id, None, limit=query.max_events, max_bytes=query.max_bytes),
        room=about,
        rooms=rooms(conn),
        turns=tuple(turn for turn in turns if turn.room_id == room_id),
        lanes=lanes,
    )
