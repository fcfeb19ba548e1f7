"""A page of a room's history, by keyset."""

import sqlite3

from groupx.domain.limits import MAX_PAGE_BYTES
from groupx.domain.pages import HistoryPage, HistoryQuery
from groupx.store.event_pages import page_before
from groupx.store.queries.rooms import active_room, must_exist


def history(conn: sqlite3.Connection, query: HistoryQuery) -> HistoryPage:
    """At most 200 events and 4 MiB; NOT_FOUND for an unknown room."""
    room_id = query.room_id or active_room(conn)
    must_exist(conn, room_id)
    return page_before(conn, room_id, query.before_seq, limit=query.limit, max_bytes=MAX_PAGE_BYTES)
