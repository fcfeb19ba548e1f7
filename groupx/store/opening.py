"""From a path to an open ledger: looked at, then created, upgraded or found whole; else refused."""

import sqlite3
from collections.abc import Callable, Mapping
from pathlib import Path

from groupx.domain.errors import ErrorCode, GroupXError
from groupx.store import faults
from groupx.store.connection import Target, open_connection
from groupx.store.formats.chain import CURRENT, create
from groupx.store.markers import NO_TABLES, read_format
from groupx.store.probe import probe
from groupx.store.upgrade import PLAIN, Upgrade, given_up

MAX_ROUNDS = 4
"""How often another program may change the format between the look and the opening."""


def open_ledger(
    target: Target,
    *,
    now_iso: str,
    database_id: str,
    opener: Callable[[Target], sqlite3.Connection] = open_connection,
    upgrade: Upgrade = PLAIN,
) -> sqlite3.Connection:
    """An open connection to a ledger of the current format.

    An older one is upgraded. `now_iso` and `database_id` are written only into a database that
    is created or upgraded. Refuses with SCHEMA_MISMATCH or SCHEMA_CORRUPT, and then no byte of
    the file has changed; STORE_BUSY when another program holds it; SCHEMA_CONFLICT when its
    format keeps moving.
    """
    values = {"now": now_iso, "database_id": database_id}
    for _ in range(MAX_ROUNDS):
        found = NO_TABLES if target == ":memory:" else probe(target)
        try:
            conn = opener(target)
            try:
                if _settled(conn, target, found, values, upgrade):
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


def _settled(
    conn: sqlite3.Connection,
    target: Target,
    found: int,
    values: Mapping[str, str],
    upgrade: Upgrade,
) -> bool:
    """Whether the format is still `found` under the lock; what is not current is made so there."""
    conn.execute("BEGIN IMMEDIATE")
    try:
        same = read_format(conn) == found
        if same and NO_TABLES < found < CURRENT:
            upgrade.run(conn, Path(target), found, values)
            return True
        if same and found == NO_TABLES:
            create(conn, values)
        conn.execute("COMMIT")
    except BaseException:
        conn.rollback()
        raise
    return same


def _translated(error: sqlite3.Error) -> GroupXError:
    if faults.is_interrupt(error):
        return given_up()
    if faults.is_busy(error):
        return faults.locked_elsewhere()
    return faults.not_opened(error)
