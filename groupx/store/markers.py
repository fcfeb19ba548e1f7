"""Which format a database says it is. Formats 1-9 say so twice, later ones three times."""

import sqlite3

from groupx.domain.errors import ErrorCode, GroupXError
from groupx.store.formats.chain import CURRENT, FIRST_MARKED, STEPS

NO_TABLES = 0
_MARKERS = {"schema_migrations", "groupx_schema"}

_KEPT = "The file was not changed."
_CHOOSE = (
    "Open it with the GroupX that wrote it, or choose another database with GROUPX_DB; "
    "`groupx debug paths` shows which file is used and why."
)


def read_format(conn: sqlite3.Connection) -> int:
    """The format that the markers agree on; NO_TABLES for an empty database.

    SCHEMA_MISMATCH for what is not ours or is newer, SCHEMA_CORRUPT for markers that disagree.
    """
    kinds = dict(conn.execute("SELECT name, type FROM main.sqlite_schema"))
    (version,) = conn.execute("PRAGMA main.user_version").fetchone()
    (application,) = conn.execute("PRAGMA main.application_id").fetchone()
    if not kinds and version == 0 and application == 0:
        return NO_TABLES
    for name in _MARKERS & kinds.keys():
        if kinds[name] != "table":
            raise mismatch(f"a {kinds[name]} in the place of the marker {name}")
    if "schema_migrations" not in kinds:
        raise mismatch("a database without GroupX's marker")
    if "groupx_schema" in kinds:
        number = _marked_format(conn)
    elif 1 <= version < FIRST_MARKED:
        number = version
    else:
        raise mismatch(f"a database without GroupX's marker (user_version {version})")
    if number > CURRENT:
        raise mismatch(f"format {number}, made by a newer GroupX")
    if version != number:
        raise corrupt(number, f"the marker says format {number}, user_version says {version}")
    _check_log(conn, number)
    return number


def mismatch(observed: str) -> GroupXError:
    """SCHEMA_MISMATCH: this build does not know the database."""
    return GroupXError(
        ErrorCode.SCHEMA_MISMATCH,
        f"This database cannot be opened: found {observed}; this build reads formats "
        f"1 to {CURRENT}. {_KEPT} {_CHOOSE}",
        expected=CURRENT,
        observed=observed,
    )


def corrupt(number: int | None, cause: str) -> GroupXError:
    """SCHEMA_CORRUPT: the database claims a format and does not have its shape."""
    subject = "This database" if number is None else f"This database of format {number}"
    return GroupXError(
        ErrorCode.SCHEMA_CORRUPT,
        f"{subject} is damaged: {cause}. {_KEPT} Keep it with its -wal file, and restore a backup "
        "or choose another database with GROUPX_DB.",
        expected=CURRENT,
        observed=number,
        format=number,
        cause=cause,
    )


def _marked_format(conn: sqlite3.Connection) -> int:
    try:
        rows = conn.execute("SELECT singleton, format FROM groupx_schema LIMIT 2").fetchall()
    except sqlite3.OperationalError as error:
        raise mismatch("a marker of an unknown shape") from error
    if len(rows) != 1 or rows[0][0] != 1 or not isinstance(rows[0][1], int):
        raise corrupt(None, "its format marker does not hold exactly one format")
    number = rows[0][1]
    if number < FIRST_MARKED:
        raise corrupt(number, f"format {number} never had a groupx_schema table")
    return number


def _check_log(conn: sqlite3.Connection, number: int) -> None:
    expected = [(step.number, step.name) for step in STEPS[:number]]
    try:
        rows = conn.execute("SELECT version, name FROM schema_migrations ORDER BY version LIMIT 99")
        logged = rows.fetchall()
    except sqlite3.OperationalError as error:
        raise mismatch("a migration log of an unknown shape") from error
    if logged != expected:
        raise corrupt(number, f"its migration log is not that of formats 1 to {number}")
