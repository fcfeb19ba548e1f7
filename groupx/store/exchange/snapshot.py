"""Where an export ends, fixed by its first read: later writes change nothing of what it says.

Events, and turns and attempts once they have ended, never change; the few that are open are taken
along here. Of all other rows those that exist now are exported, as they stand when their page is
read.
"""

import sqlite3
from collections.abc import Mapping
from typing import Any

import attrs

from groupx.domain.turns import OPEN
from groupx.store.exchange.reading import Row
from groupx.store.exchange.sections import ATTEMPT, SECTIONS, TURN, Section
from groupx.store.queries.database_identity import database_identity
from groupx.store.queries.rooms import active_room

_OPEN = "SELECT rowid FROM turns WHERE status IN ({})".format(
    ", ".join(f"'{status}'" for status in sorted(OPEN))
)
_WHERE = {
    TURN.line: f"rowid IN ({_OPEN})",
    ATTEMPT.line: f"turn_id IN (SELECT turn_id FROM turns WHERE rowid IN ({_OPEN}))",
}


@attrs.frozen(kw_only=True)
class Snapshot:
    """What the first read found."""

    format: int
    database_id: str
    active_room: str
    through: Mapping[str, int]
    """By section: its last row."""
    open_rows: Mapping[str, Mapping[int, Row]]
    """By section, then row: what was still going to change."""


def take_snapshot(conn: sqlite3.Connection, _query: None) -> Snapshot:
    """STORE_CONFLICT when no room is active."""
    identity = database_identity(conn, None)
    through: dict[str, int] = {}
    for section in SECTIONS:
        (last,) = conn.execute(f"SELECT max(rowid) FROM {section.table}").fetchone()
        through[section.line] = last or 0
    return Snapshot(
        format=identity.format,
        database_id=identity.database_id,
        active_room=active_room(conn),
        through=through,
        open_rows={section.line: _open_rows(conn, section) for section in (TURN, ATTEMPT)},
    )


def count_rooms(conn: sqlite3.Connection, through: int) -> int:
    """How many of the rooms up to a row are still there."""
    (count,) = conn.execute("SELECT count(*) FROM rooms WHERE rowid <= ?", (through,)).fetchone()
    return count


def _open_rows(conn: sqlite3.Connection, section: Section) -> dict[int, Row]:
    columns = ", ".join(field.source or field.column for field in section.fields)
    found: list[Any] = conn.execute(
        f"SELECT rowid, {columns} FROM {section.table} WHERE {_WHERE[section.line]}"
    ).fetchall()
    return {row[0]: row for row in found}
