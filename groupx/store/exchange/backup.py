"""A backup: everything the database holds, as one private file, while the room goes on."""

import contextlib
import sqlite3
from pathlib import Path

import attrs

from groupx.domain.times import iso_from_ms
from groupx.store import faults
from groupx.store.copying import verified_copy
from groupx.store.exchange.files import STAGED, cannot_write, new_file
from groupx.store.meter import Meter


@attrs.frozen(kw_only=True)
class Backup:
    """A backup that was made and read back."""

    path: Path
    bytes: int


def make_backup(database: Path, target: Path, meter: Meter) -> Backup:
    """Copy `database`, as it is at one moment, into the new file `target` (0600), and verify it.

    STORE_CONFLICT when `target` exists or cannot be made there, STORE_UNAVAILABLE when the copy
    is not good; nothing of it is left then. From any thread: it has a connection of its own.
    """
    with new_file(target) as staged:
        verified_copy(database, staged, meter)
        _leave_wal(staged)
    return Backup(path=target, bytes=target.stat().st_size)


def _leave_wal(copy: Path) -> None:
    """So that reading the backup makes no files beside it; the ledger turns WAL on again."""
    with contextlib.closing(sqlite3.connect(copy, isolation_level=None)) as conn:
        (mode,) = conn.execute("PRAGMA journal_mode = DELETE").fetchone()
    if mode != "delete":
        raise faults.unreadable(sqlite3.OperationalError(f"journal mode {mode}"))


def default_target(folder: Path, database: Path, now_ms: int) -> Path:
    """`<folder>/<database's name>-<UTC time>.db`; makes the folder (0700).

    Sweeps what a killed backup left there: one is made at a time.
    """
    target = folder / f"{database.stem}-{file_time(now_ms)}.db"
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        folder.chmod(0o700)
        for left in folder.glob(STAGED.format("*", "*") + "*"):
            left.unlink(missing_ok=True)
    except OSError as error:
        raise cannot_write(target, error) from error
    return target


def file_time(now_ms: int) -> str:
    """`20260131T090500.123Z`: a time that sorts, and that any file system takes as a name."""
    return iso_from_ms(now_ms).replace("-", "").replace(":", "")
