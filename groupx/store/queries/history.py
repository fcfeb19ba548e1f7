"""A page of a room's history, by keyset."""

import sqlite3

import attrs

from groupx.domain.commits import Frame
from groupx.domain.errors import ErrorCode, GroupXError
from groupx.domain.ids import RoomId
from groupx.domain.limits import MAX_PAGE_BYTES
from groupx.domain.pages import HistoryPage, HistoryQuery
from groupx.store.event_pages import page_after, page_around, page_before
from groupx.store.event_rows import COLUMNS, frame
from groupx.store.queries.rooms import active_room, must_exist

_SEQ = "SELECT seq FROM events WHERE event_id = ? AND room_id = ?"
_ENDINGS = f"""
SELECT {COLUMNS} FROM events q
CROSS JOIN turns t ON t.turn_id = json_extract(q.body_json, '$.turnId')
CROSS JOIN events e ON e.event_id = t.terminal_event_id
WHERE q.room_id = ? AND q.seq BETWEEN ? AND ? AND e.seq > ? AND q.event_type IN (
  'turn.queued', 'turn.dispatched', 'turn.started', 'turn.reasoning.recorded',
  'tool.progress.recorded'
)
GROUP BY e.seq
"""


def history(conn: sqlite3.Connection, query: HistoryQuery) -> HistoryPage:
    """At most 200 events and 4 MiB; NOT_FOUND for an unknown room, or no such event in it."""
    room_id = query.room_id or active_room(conn)
    must_exist(conn, room_id)
    page = _page(conn, room_id, query)
    return attrs.evolve(page, endings=_endings(conn, page))


def _page(conn: sqlite3.Connection, room_id: RoomId, query: HistoryQuery) -> HistoryPage:
    limit, most = query.limit, MAX_PAGE_BYTES
    if query.around is not None:
        row = conn.execute(_SEQ, (query.around, room_id)).fetchone()
        if row is None:
            raise GroupXError(ErrorCode.NOT_FOUND, "There is no such event in this room.")
        return page_around(conn, room_id, row[0], limit=limit, max_bytes=most)
    if query.after_seq is not None:
        return page_after(conn, room_id, query.after_seq, limit=limit, max_bytes=most)
    return page_before(conn, room_id, query.before_seq, limit=limit, max_bytes=most)


def _endings(conn: sqlite3.Connection, page: HistoryPage) -> tuple[Frame, ...]:
    if not page.events:
        return ()
    first, last = page.events[0].seq, page.events[-1].seq
    rows = conn.execute(_ENDINGS, (page.room_id, first, last, last))
    return tuple(frame(row) for row in rows)
