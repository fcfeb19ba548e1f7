"""From a path to an open ledger: looked at, then created, upgraded or found whole; else refused."""

import contextlib
import sqlite3
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path

from groupx.domain.errors import ErrorCode, GroupXError
from groupx.store import faults
from groupx.store.connection import Target, open_connection
from groupx.store.formats.chain import CURRENT, create
from groupx.store.held_wal import HeldWal
from groupx.store.markers import NO_TABLES, read_format
from groupx.store.probe import probe, refuse_unwritable
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
        if target != ":memory:":
            refuse_unwritable(target)
        try:
            if target == ":memory:" or not NO_TABLES < found < CURRENT:
                conn = _settle(opener(target), partial(_settled, found=found, values=values))
            else:
                conn = _upgraded(target, found, values, opener, upgrade)
            if conn is not None:
                return _moved_into_file(conn)
        except sqlite3.Error as error:
            raise _translated(error) from error
    raise GroupXError(
        ErrorCode.SCHEMA_CONFLICT,
        f"Another program changed this database's format {MAX_ROUNDS} times while it was being "
        "opened; it was left as it is. Close what else has it open, then start again.",
        rounds=MAX_ROUNDS,
    )


def _settle(
    conn: sqlite3.Connection, settled: Callable[[sqlite3.Connection], bool]
) -> sqlite3.Connection | None:
    """The connection, if it is `settled`; else it is closed."""
    try:
        if settled(conn):
            return conn
    except BaseException:
        conn.close()
        raise
    conn.close()
    return None


def _settled(conn: sqlite3.Connection, found: int, values: Mapping[str, str]) -> bool:
    """Whether the format is still `found` under the lock; an empty database is made a ledger."""
    conn.execute("BEGIN IMMEDIATE")
    try:
        same = read_format(conn) == found
        if same and found == NO_TABLES:
            create(conn, values)
        conn.execute("COMMIT")
    except BaseException:
        conn.rollback()
        raise
    return same


def _moved_into_file(conn: sqlite3.Connection) -> sqlite3.Connection:
    """So that the database file alone says that it is a ledger, and of which format.

    What fails here loses nothing: the WAL keeps it, and a disk that fails says so at a write.
    """
    with contextlib.suppress(sqlite3.Error):
        conn.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    return conn


def _upgraded(
    path: Path,
    found: int,
    values: Mapping[str, str],
    opener: Callable[[Target], sqlite3.Connection],
    upgrade: Upgrade,
) -> sqlite3.Connection | None:
    """The ledger, of the current format; None when its format is not `found` any more."""

    def settled(conn: sqlite3.Connection) -> bool:
        conn.execute("BEGIN IMMEDIATE")
        before = wal.mark()
        try:
            if read_format(conn) == found:
                upgrade.run(conn, path, found, values)
                return True
        except BaseException:
            conn.rollback()
            wal.trim(conn, before)
            raise
        conn.rollback()
        wal.close()  # what others have committed may be moved into the file
        return False

    wal = HeldWal(path)
    conn = None
    try:
        conn = _settle(opener(path), settled)
    finally:
        wal.let_go(in_use=conn is not None)
    return conn


def _translated(error: sqlite3.Error) -> GroupXError:
    if faults.is_interrupt(error):
        return given_up()
    if faults.is_busy(error):
        return faults.locked_elsewhere()
    return faults.not_opened(error)
