"""The numbered steps in order, and how a new database is made from them."""

import sqlite3
from collections.abc import Mapping

import attrs

from groupx.store.formats import (
    step_01,
    step_02,
    step_03,
    step_04,
    step_05,
    step_06,
    step_07,
    step_08,
    step_09,
    step_10,
)
from groupx.store.search_index import keep_in_step


@attrs.frozen(kw_only=True)
class Step:
    """What takes a database from format `number - 1` to `number`; `:now` and `:database_id`
    are bound where a statement names them."""

    number: int
    name: str
    statements: tuple[str, ...]


STEPS: tuple[Step, ...] = tuple(
    Step(number=module.NUMBER, name=module.NAME, statements=module.STATEMENTS)
    for module in (
        step_01, step_02, step_03, step_04, step_05,
        step_06, step_07, step_08, step_09, step_10,
    )
)  # fmt: skip

CURRENT = STEPS[-1].number
FIRST_MARKED = step_10.NUMBER
"""The first format that says its number in `groupx_schema`; older ones only in user_version."""

_FIRST_MARK = """
INSERT INTO groupx_schema (singleton, format)
  SELECT 1, ? FROM pragma_user_version
    WHERE user_version = ? AND NOT EXISTS (SELECT 1 FROM groupx_schema)
"""


def run_step(conn: sqlite3.Connection, step: Step, values: Mapping[str, str]) -> None:
    """Run one step inside the caller's transaction, and log it.

    Statement by statement: `executescript` would commit what is open.
    """
    for statement in step.statements:
        conn.execute(statement, values)
    conn.execute(
        "INSERT INTO schema_migrations (version, name, applied_at) VALUES (?, ?, ?)",
        (step.number, step.name, values["now"]),
    )


def create(conn: sqlite3.Connection, values: Mapping[str, str]) -> None:
    """Run the whole chain and set the marker, inside the caller's transaction."""
    for step in STEPS:
        run_step(conn, step, values)
    keep_in_step(conn)
    mark(conn, 0)


def mark(conn: sqlite3.Connection, found: int) -> bool:
    """Set every marker from format `found` to the current one; False when it is not `found`."""
    if found < FIRST_MARKED:
        marked = conn.execute(_FIRST_MARK, (CURRENT, found))
    else:
        marked = conn.execute(
            "UPDATE groupx_schema SET format = ? WHERE format = ?", (CURRENT, found)
        )
    if marked.rowcount != 1:
        return False
    conn.execute(f"PRAGMA user_version = {CURRENT}")
    return True


def create_current(conn: sqlite3.Connection, *, now_iso: str, database_id: str) -> None:
    """Make an empty database one of the current format, all or nothing."""
    conn.execute("BEGIN IMMEDIATE")
    try:
        create(conn, {"now": now_iso, "database_id": database_id})
        conn.execute("COMMIT")
    except BaseException:
        conn.rollback()
        raise
