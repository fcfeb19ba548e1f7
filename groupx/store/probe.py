"""A look at a database file that changes nothing: which format it is, and whether it is whole.

It must come before any connection that writes: already `journal_mode = WAL`, and the close of a
read-write connection, change the file. Never probe a file that this process has open: closing it
would drop this process's locks on it.
"""

import contextlib
import fcntl
import os
import sqlite3
from collections.abc import Generator
from pathlib import Path

from groupx.domain.errors import GroupXError
from groupx.store import faults
from groupx.store.markers import NO_TABLES, corrupt, mismatch, read_format
from groupx.store.structure import TOLERATED, describe, differences, reference

_SHOWN_DIFFERENCES = 5
_SIDECARS = ("-wal", "-shm")
_LOCK_BYTES = (0x4000_0000, 512)
"""Where SQLite locks a database file; every open connection in WAL mode holds a part of it."""


def probe(path: Path, *, busy_seconds: float = 5.0) -> int:
    """The format of the file, whose shape is that of the format; NO_TABLES when it is empty.

    SCHEMA_MISMATCH or SCHEMA_CORRUPT for what cannot be opened, STORE_BUSY when another program
    holds it. The file and its `-wal` keep every byte; sidecars that the look made are gone.
    """
    try:
        size = path.stat().st_size
    except FileNotFoundError:
        return NO_TABLES
    except OSError as error:
        raise mismatch(f"a file that cannot be looked at ({error.strerror})") from error
    if not path.is_file():
        raise mismatch("something that is not a file")
    with leaving_no_sidecars(path), _looking(path, busy_seconds) as conn:
        number = read_format(conn)
        if number != NO_TABLES:
            validate(conn, number)
            _refuse_torn(path, size, number)
        return number


def validate(conn: sqlite3.Connection, number: int) -> None:
    """SCHEMA_CORRUPT unless the database has exactly the structure of format `number`."""
    found = differences(describe(conn, without=TOLERATED.get(number)), reference(number))
    if found:
        more = len(found) - _SHOWN_DIFFERENCES
        shown = "; ".join(found[:_SHOWN_DIFFERENCES]) + (f"; and {more} more" if more > 0 else "")
        raise corrupt(number, f"it was changed by hand or made by an unreleased build ({shown})")


@contextlib.contextmanager
def _looking(path: Path, busy_seconds: float) -> Generator[sqlite3.Connection]:
    try:
        conn = sqlite3.connect(
            f"{path.absolute().as_uri()}?mode=ro",
            uri=True,
            isolation_level=None,
            timeout=busy_seconds,
        )
        try:
            yield conn
        finally:
            conn.close()
    except sqlite3.Error as error:
        raise _translated(error) from error


def _translated(error: sqlite3.Error) -> GroupXError:
    if faults.is_busy(error):
        return faults.locked_elsewhere()
    match faults.primary_code(error):
        case sqlite3.SQLITE_NOTADB:
            return mismatch("a file that is not a database")
        case sqlite3.SQLITE_CANTOPEN | sqlite3.SQLITE_PERM | sqlite3.SQLITE_AUTH:
            return mismatch("a file that cannot be read; check its permissions and its directory's")
        case sqlite3.SQLITE_READONLY:
            return mismatch("a database that another program left in the middle of a change")
        case sqlite3.SQLITE_IOERR | sqlite3.SQLITE_NOMEM:
            return faults.unreadable(error)
        case _:
            return corrupt(None, str(error))


def _refuse_torn(path: Path, size: int, number: int) -> None:
    """SQLite notices missing pages by itself, but not that the last one is cut."""
    wal = Path(f"{path}-wal")
    if wal.exists() and wal.stat().st_size:
        return
    with path.open("rb") as file:
        page = int.from_bytes(file.read(18)[16:], "big")
    if size % (65_536 if page == 1 else page):
        raise corrupt(number, "the file ends in the middle of a page")


@contextlib.contextmanager
def leaving_no_sidecars(path: Path) -> Generator[None]:
    """Sidecars that a look at the database makes are gone afterwards."""
    made = [Path(f"{path}{suffix}") for suffix in _SIDECARS]
    made = [sidecar for sidecar in made if not sidecar.exists()]
    try:
        yield
    finally:
        if any(sidecar.exists() for sidecar in made):
            _remove_unused(path, made)


def _remove_unused(path: Path, sidecars: list[Path]) -> None:
    """Under SQLite's own lock, since another program may have begun to use them meanwhile."""
    start, length = _LOCK_BYTES
    try:
        fd = os.open(path, os.O_RDWR | os.O_CLOEXEC)
    except OSError:
        return  # a file that cannot be written: nor could its sidecars be told from another's
    try:
        fcntl.lockf(fd, fcntl.LOCK_EX | fcntl.LOCK_NB, length, start)
        wal = Path(f"{path}-wal")
        if wal in sidecars and wal.exists() and wal.stat().st_size:
            return
        for sidecar in sidecars:
            sidecar.unlink(missing_ok=True)
    except OSError:
        return  # somebody else has it open, and the sidecars are theirs now
    finally:
        os.close(fd)
