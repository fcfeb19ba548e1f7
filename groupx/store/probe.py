"""A look at a database file that changes nothing: which format it is, and whether it is whole.

It must come before any connection that writes: already `journal_mode = WAL`, and the close of a
read-write connection, change the file. Never probe a file that this process has open: closing it
would drop this process's locks on it.
"""

import contextlib
import fcntl
import itertools
import os
import sqlite3
from collections.abc import Generator
from pathlib import Path

from groupx.domain.errors import ErrorCode, GroupXError
from groupx.store import faults
from groupx.store.first_page import FirstPage
from groupx.store.markers import NO_TABLES, corrupt, mismatch, read_format
from groupx.store.structure import TOLERATED, describe, differences, reference

_SHOWN_DIFFERENCES = 5
_STEP_INSTRUCTIONS = 10_000
_MAX_STEPS = 1_000
"""A look takes few thousand of SQLite's instructions; a crafted view could take them for ever."""
_SIDECARS = ("-wal", "-shm")
_LOCK_BYTES = (0x4000_0000, 512)
"""Where SQLite locks a database file; every open connection in WAL mode holds a part of it."""
_SHM_LOCK_BYTES = (120, 9)
"""The same in the `-shm`: whoever uses it holds the last of them."""


def probe(path: Path, *, busy_seconds: float = 5.0) -> int:
    """The format of the file, whose shape is that of the format; NO_TABLES when it is empty.

    SCHEMA_MISMATCH or SCHEMA_CORRUPT for what cannot be opened, STORE_BUSY when another program
    holds it. The file and its `-wal` keep every byte; sidecars that the look made are gone.
    """
    try:
        path.stat()
        if not path.is_file():
            raise mismatch("something that is not a file")
        first = FirstPage.of(path)
    except FileNotFoundError:
        return NO_TABLES
    except OSError as error:
        raise mismatch(
            f"a file that cannot be read ({error.strerror}); check its permissions and its "
            "directory's"
        ) from error
    with leaving_no_sidecars(path), _looking(path, busy_seconds) as conn:
        number = read_format(conn)
        if number == NO_TABLES:
            first.refuse_content()
        else:
            validate(conn, number)
            _refuse_torn(path, first.size, number)
        return number


def refuse_unwritable(path: Path) -> None:
    """STORE_UNAVAILABLE when the database, or a sidecar of it, is there and cannot be written."""
    for file in (path, *(sidecar(path, suffix) for suffix in _SIDECARS)):
        if file.exists() and not os.access(file, os.W_OK):
            raise GroupXError(
                ErrorCode.STORE_UNAVAILABLE,
                f"The database cannot be opened: {file} cannot be written. Nothing was changed. "
                "Make it yours (`ls -l` shows whose it is; then `chown`, or `chmod u+w`), and "
                "start again.",
                cause=f"{file} cannot be written",
            )


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
            f"{path.absolute().as_uri()}?{_how(path)}",
            uri=True,
            isolation_level=None,
            timeout=busy_seconds,
        )
        steps = itertools.count(1)
        conn.set_progress_handler(lambda: next(steps) > _MAX_STEPS, _STEP_INSTRUCTIONS)
        try:
            conn.execute("BEGIN")  # one moment, whatever another program upgrades meanwhile
            yield conn
        finally:
            conn.close()
    except sqlite3.Error as error:
        raise _translated(error) from error


def _how(path: Path) -> str:
    """A database that cannot be written and has no `-wal` is read without making one.

    Not so beside a `-journal`: then it is in the middle of a change, which must be noticed.
    """
    moving = any(os.path.lexists(sidecar(path, suffix)) for suffix in ("-wal", "-journal"))
    return "mode=ro" if moving or os.access(path, os.W_OK) else "mode=ro&immutable=1"


def _translated(error: sqlite3.Error) -> GroupXError:
    if faults.is_busy(error):
        return faults.locked_elsewhere()
    match faults.primary_code(error):
        case sqlite3.SQLITE_INTERRUPT:
            return mismatch("a database that cannot be looked through in a sensible time")
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
    made = missing_sidecars(path)
    try:
        yield
    finally:
        remove_unused(path, made)


def missing_sidecars(path: Path) -> list[Path]:
    """Which sidecars of the database are not there."""
    sidecars = [sidecar(path, suffix) for suffix in _SIDECARS]
    return [file for file in sidecars if not file.exists()]


def sidecar(path: Path, suffix: str) -> Path:
    """Beside the database itself, which `path` may be a link to."""
    return Path(f"{path.resolve()}{suffix}")


def remove_unused(path: Path, sidecars: list[Path]) -> None:
    """Remove those of `sidecars` that nobody uses. This process has the database not open.

    Under SQLite's own lock, since another program may have begun to use them meanwhile.
    """
    if not any(file.exists() for file in sidecars):
        return
    try:
        with _nobody_else(path, sidecars):
            wal = sidecar(path, "-wal")
            if wal in sidecars and wal.exists() and wal.stat().st_size:
                return
            for file in sidecars:
                file.unlink(missing_ok=True)
    except OSError:
        return  # somebody else has it open, and the sidecars are theirs now


@contextlib.contextmanager
def _nobody_else(path: Path, made: list[Path]) -> Generator[None]:
    """OSError when another program has the database open, or when that cannot be told."""
    start, length = _LOCK_BYTES
    shm = sidecar(path, "-shm")
    if not os.access(path, os.W_OK) and shm in made:
        # A lock needs a file that can be written: SQLite's on the sidecar that was made here.
        path, (start, length) = shm, _SHM_LOCK_BYTES
        path.chmod(0o600)
    fd = os.open(path, os.O_RDWR | os.O_CLOEXEC)
    try:
        fcntl.lockf(fd, fcntl.LOCK_EX | fcntl.LOCK_NB, length, start)
        yield
    finally:
        os.close(fd)
