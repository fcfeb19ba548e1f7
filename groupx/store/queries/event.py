"""One event by its id."""

import sqlite3

from groupx.domain.commits import Frame
from groupx.domain.errors import ErrorCode, GroupXError
from groupx.store.event_rows import COLUMNS, frame

_BY_ID = f"SELECT {COLUMNS} FROM events e WHERE e.event_id = ?"


def event(conn: sqlite3.Connection, event_id: str) -> Frame:
    """As everyone gets it, of whatever room; NOT_FOUND."""
    row = conn.execute(_BY_ID, (event_id,)).fetchone()
    if row is None:
        raise GroupXError(ErrorCode.NOT_FOUND, f"There is no event '{event_id}' in this ledger.")
    return frame(row)
