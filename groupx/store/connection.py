"""The ledger's connection: opened with every guarantee on, and each one read back."""

import os
import sqlite3
import sys
import time
from pathlib import Path
from typing import Literal

import attrs

from groupx.domain.errors import ErrorCode, GroupXError
from groupx.store.faults import is_busy

BUSY_TIMEOUT_MS = 5_000
CACHE_KIB = 32 * 1024
CHECKPOINT_PAGES = 1_000
CACHED_STATEMENTS = 512
_BUSY_PAUSE_SECONDS = 0.01

Target = Path | Literal[":memory:"]


@attrs.frozen
class Pragma:
    """A setting, how it is written, and what SQLite says once it holds."""

    name: str
    value: str
    reads: int | str


PRAGMAS = (
    Pragma("busy_timeout", str(BUSY_TIMEOUT_MS), BUSY_TIMEOUT_MS),
    Pragma("journal_mode", "WAL", "wal"),
    Pragma("synchronous", "FULL", 2),
    Pragma("foreign_keys", "ON", 1),
    Pragma("wal_autocheckpoint", str(CHECKPOINT_PAGES), CHECKPOINT_PAGES),
    Pragma("cache_size", str(-CACHE_KIB), -CACHE_KIB),
    Pragma("temp_store", "MEMORY", 2),
)
_FULLFSYNC = Pragma("fullfsync", "ON", 1)
"""What macOS needs for a commit to survive a power loss; elsewhere SQLite ignores it."""


def open_connection(target: Target) -> sqlite3.Connection:
    """Open for reading and writing, with WAL and a full sync at every commit.

    A file that does not exist is made with mode 0600 whatever the umask. STORE_UNAVAILABLE when
    a setting does not take; sqlite3.Error as it comes.
    """
    in_memory = target == ":memory:"
    if not in_memory:
        _make_private(Path(target))
    conn = sqlite3.connect(
        target, isolation_level=None, cached_statements=CACHED_STATEMENTS, check_same_thread=True
    )
    try:
        pragmas = (*PRAGMAS, _FULLFSYNC) if sys.platform == "darwin" else PRAGMAS
        for pragma in pragmas:
            reads = "memory" if in_memory and pragma.name == "journal_mode" else pragma.reads
            _set(conn, pragma, reads)
    except BaseException:
        conn.close()
        raise
    return conn


def _make_private(path: Path) -> None:
    """SQLite gives `-wal` and `-shm` the mode of the database itself."""
    try:
        fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    except FileExistsError:
        return
    except OSError as error:
        raise GroupXError(
            ErrorCode.STORE_UNAVAILABLE,
            f"The database {path} could not be created ({error.strerror}). "
            "Check that its directory exists and that this user may write there.",
            cause=str(error.strerror),
        ) from error
    try:
        os.fchmod(fd, 0o600)
    finally:
        os.close(fd)


def _set(conn: sqlite3.Connection, pragma: Pragma, reads: int | str) -> None:
    _write(conn, f"PRAGMA {pragma.name} = {pragma.value}")
    row = conn.execute(f"PRAGMA {pragma.name}").fetchone()
    observed = None if row is None else row[0]
    if observed != reads:
        raise GroupXError(
            ErrorCode.STORE_UNAVAILABLE,
            f"SQLite did not take '{pragma.name} = {pragma.value}' (it says {observed!r}), so "
            "the ledger could not promise to keep what it accepts; nothing was opened. "
            "Check that the database is on a local file system that this user may write to.",
            pragma=pragma.name,
            expected=reads,
            observed=observed,
        )


def _write(conn: sqlite3.Connection, statement: str) -> None:
    """SQLite does not itself wait for the lock when two programs turn WAL on at once."""
    until = time.monotonic() + BUSY_TIMEOUT_MS / 1000
    while True:
        try:
            conn.execute(statement).fetchall()
        except sqlite3.OperationalError as error:
            if not is_busy(error) or time.monotonic() > until:
                raise
            time.sleep(_BUSY_PAUSE_SECONDS)
        else:
            return
