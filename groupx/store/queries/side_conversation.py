"""The side conversation, by pages."""

import sqlite3

import attrs

from groupx.domain.errors import ErrorCode, GroupXError
from groupx.domain.side_conversation import SideMessage, SidePage, SideQuery
from groupx.store.side_rows import ROWS, find_row, read_row

_ALL = ROWS.format(content="m.content")
_ORDER = " ORDER BY m.created_at DESC, m.message_id DESC LIMIT :limit"
_NEWEST = _ALL + _ORDER
_BEFORE = _ALL + " WHERE (m.created_at, m.message_id) < (:at, :id)" + _ORDER


def side_page(conn: sqlite3.Connection, query: SideQuery) -> SidePage:
    """Ascending; NOT_FOUND when there is no message to read before."""
    at = None
    if query.before_id is not None:
        before = find_row(conn, query.before_id)
        if before is None:
            raise GroupXError(
                ErrorCode.NOT_FOUND,
                f"There is no message '{query.before_id}' in the conversation with the assistant.",
            )
        at = before.created_at
    values = {
        "at": at,
        "id": query.before_id,
        "limit": query.limit + 1,
    }
    newest_first: list[SideMessage] = []
    more, characters = False, 0
    for row in conn.execute(_NEWEST if at is None else _BEFORE, values):
        message = _shortened(read_row(row), query.characters)
        characters += len(message.content)
        full = len(newest_first) == query.limit or characters > query.max_characters
        if newest_first and full:
            more = True
            break
        newest_first.append(message)
    return SidePage(
        messages=tuple(reversed(newest_first)),
        previous_before_id=newest_first[-1].message_id if more else None,
    )


def _shortened(message: SideMessage, characters: int | None) -> SideMessage:
    """Cut here: SQLite's `substr` ends at a NUL."""
    return attrs.evolve(message, content=message.content[:characters])
