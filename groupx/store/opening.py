"""From a path to an open ledger: looked at, then created or found whole; anything else refused."""

import sqlite3
from collections.abc import Callable

from groupx.domain.errors import ErrorCode, GroupXError
from groupx.store import faults
from groupx.store.connection import Target, open_connection
from groupx.store.formats.chain import CURRENT, create
from groupx.store.markers import NO_TABLES, not_upgraded, read_format
from groupx.store.probe import probe

MAX_ROUNDS = 4
"""How often another program may change the format between the look and the opening."""


def open_ledger(
    target: Target,
    *,
    now_iso: str,
    database_id: str,
    opener: Callable[[Target], sqlite3.Connection] = open_connection,
) -> sqlite3.Connection:
    """An open connection to a ledger of the current format.

    `now_iso` and `database_id` are written only into a database that is created. Refuses with
    SCHEMA_MISMATCH or SCHEMA_CORRUPT, and then no byte of the file has changed; STORE_BUSY when
    another program holds it; SCHEMA_CONFLICT when its format keeps moving.
    """
    for _ in range(MAX_ROUNDS):
        found = NO_TABLES if target == ":memory:" else probe(target)
        if found not in (NO_TABLES, CURRENT):
            raise not_upgraded(found)
        try:
            conn = opener(target)
            try:
                if _settled(conn, found, now_iso, database_id):
                    return conn
            except BaseException:
                conn.close()
                raise
            conn.close()
        except sqlite3.Error as error:
            raise _translated(error) from error
    raise GroupXError(
        ErrorCode.SCHEMA_CONFLICT,
        f"Another program changed this database's format {MAX_ROUNDS} times while it was being "
        "opened; it was left as it is. Close what else has it open, then start again.",
        rounds=MAX_ROUNDS,
    )


def _settled(conn: sqlite3.Connection, found: int, now_iso: str, database_id: str) -> bool:
    """Whether the format is still `found` under the lock; an empty database is filled there."""
    conn.execute("BEGIN IMMEDIATE")
    try:
        same = read_format(conn) == found
        if same and found == NO_TABLES:
            create(conn, now_iso=now_iso, database_id=database_id)
        conn.execute("COMMIT")
    except BaseException:
        conn.rollback()
        raise
    return same


def _translated(error: sqlite3.Error) -> GroupXError:
    if faults.is_busy(error):
        return faults.locked_elsewhere()
    return faults.unavailable(error)
