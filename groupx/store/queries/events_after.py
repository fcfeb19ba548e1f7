"""The next events above a cursor: what a subscriber that fell off the hub's ring reads."""

import sqlite3

from groupx.domain.commits import Frame
from groupx.domain.limits import MAX_PAGE_BYTES, MAX_PAGE_EVENTS
from groupx.domain.pages import EventsAfter
from groupx.store.event_pages import bounded
from groupx.store.event_rows import COLUMNS

_OF_ROOM = f"""
SELECT {COLUMNS} FROM events e WHERE e.room_id = ? AND e.seq > ? ORDER BY e.seq LIMIT ?
"""
_OF_ALL = f"SELECT {COLUMNS} FROM events e WHERE e.seq > ? ORDER BY e.seq LIMIT ?"


def events_after(conn: sqlite3.Connection, query: EventsAfter) -> list[Frame]:
    """Ascending, at most 200 and 4 MiB, encoded exactly as they were sent live."""
    limit = max(1, min(query.limit, MAX_PAGE_EVENTS))
    if query.room_id is None:
        rows = conn.execute(_OF_ALL, (query.after_seq, limit))
    else:
        rows = conn.execute(_OF_ROOM, (query.room_id, query.after_seq, limit))
    return bounded(rows, MAX_PAGE_BYTES)
