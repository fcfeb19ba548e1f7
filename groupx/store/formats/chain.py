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


def create(conn: sqlite3.Connection, *, now_iso: str, database_id: str) -> None:
    """Run the whole chain and set the marker, inside the caller's transaction."""
    values = {"now": now_iso, "database_id": database_id}
    for step in STEPS:
        run_step(conn, step, values)
    conn.execute("INSERT INTO groupx_schema (singleton, format) VALUES (1, ?)", (CURRENT,))
    conn.execute(f"PRAGMA user_version = {CURRENT}")


def create_current(conn: sqlite3.Connection, *, now_iso: str, database_id: str) -> None:
    """Make an empty database one of the current format, all or nothing."""
    conn.execute("BEGIN IMMEDIATE")
    try:
        create(conn, now_iso=now_iso, database_id=database_id)
        conn.execute("COMMIT")
    except BaseException:
        conn.rollback()
        raise
