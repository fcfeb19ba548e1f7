"""Reading events in bounded pages, by index only."""

import sqlite3
from collections.abc import Iterable
from typing import Any

from groupx.domain.commits import Frame
from groupx.domain.ids import RoomId
from groupx.domain.limits import MAX_PAGE_EVENTS
from groupx.domain.pages import HistoryPage
from groupx.store.event_rows import COLUMNS, frame

_BEFORE = f"""
SELECT {COLUMNS} FROM events e WHERE e.room_id = ? AND e.seq < ? ORDER BY e.seq DESC LIMIT ?
"""
_AFTER = f"""
SELECT {COLUMNS} FROM events e WHERE e.room_id = ? AND e.seq > ? ORDER BY e.seq LIMIT ?
"""
_OLDER = "SELECT 1 FROM events WHERE room_id = ? AND seq < ? LIMIT 1"
_NEWEST = "SELECT max(seq) FROM events WHERE room_id = ?"
_BEYOND = (1 << 63) - 1


def bounded(rows: Iterable[tuple[Any, ...]], max_bytes: int) -> list[Frame]:
    """Frames until the next would go over `max_bytes`; at least one when there is one."""
    frames: list[Frame] = []
    size = 0
    for row in rows:
        item = frame(row)
        size += len(item.data)
        if frames and size > max_bytes:
            break
        frames.append(item)
    return frames


def page_before(
    conn: sqlite3.Connection,
    room_id: RoomId,
    before_seq: int | None,
    *,
    limit: int,
    max_bytes: int,
) -> HistoryPage:
    """The newest events of a room under `before_seq`."""
    limit = max(1, min(limit, MAX_PAGE_EVENTS))
    bound = _BEYOND if before_seq is None else before_seq
    newest_first = bounded(conn.execute(_BEFORE, (room_id, bound, limit)), max_bytes)
    return _page(conn, room_id, tuple(reversed(newest_first)))


def page_after(
    conn: sqlite3.Connection, room_id: RoomId, after_seq: int, *, limit: int, max_bytes: int
) -> HistoryPage:
    """The oldest events of a room above `after_seq`."""
    limit = max(1, min(limit, MAX_PAGE_EVENTS))
    rows = conn.execute(_AFTER, (room_id, after_seq, limit))
    return _page(conn, room_id, tuple(bounded(rows, max_bytes)))


def page_around(
    conn: sqlite3.Connection, room_id: RoomId, seq: int, *, limit: int, max_bytes: int
) -> HistoryPage:
    """The event at `seq`, with about as many before it as after it."""
    half, most = max(1, min(limit, MAX_PAGE_EVENTS) // 2), max_bytes // 2
    before = page_before(conn, room_id, seq, limit=half, max_bytes=most)
    after = page_after(conn, room_id, seq - 1, limit=half, max_bytes=most)
    return _page(conn, room_id, before.events + after.events)


def _page(conn: sqlite3.Connection, room_id: RoomId, events: tuple[Frame, ...]) -> HistoryPage:
    first = events[0].seq if events else None
    older = first is not None and conn.execute(_OLDER, (room_id, first)).fetchone() is not None
    return HistoryPage(
        room_id=room_id,
        events=events,
        previous_before_seq=first if older else None,
        through_seq=conn.execute(_NEWEST, (room_id,)).fetchone()[0] or 0,
    )
