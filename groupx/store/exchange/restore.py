"""A backup takes the place of the database; what was there is kept beside it."""

import contextlib
import errno
import os
import shutil
import sqlite3
from collections.abc import Iterable
from pathlib import Path

import attrs

from groupx.domain.errors import ErrorCode, GroupXError
from groupx.domain.times import iso_from_ms
from groupx.store import faults
from groupx.store.copying import verified_copy
from groupx.store.exchange.backup import file_time
from groupx.store.exchange.files import SIDECARS, make_private, new_file, refuse_existing, sync
from groupx.store.exchange.held_lanes import Held, hold_open_lanes
from groupx.store.markers import NO_TABLES
from groupx.store.meter import Meter
from groupx.store.opening import open_ledger
from groupx.store.probe import leaving_no_sidecars, probe
from groupx.store.upgrade import Upgrade

HELD_BECAUSE = "it came with a restored backup; it may have been sent since the backup was made"

_KEPT_SIDECARS = ("-wal", "-journal")
"""What a damaged database may have its newest in; `-shm` is only a table of locks."""


@attrs.frozen(kw_only=True)
class Restored:
    """What a restore did."""

    database: Path
    kept: Path | None
    """A copy of the database from before; None when there was none."""
    held: Held
    """Unfinished turns, and the agents whose queues were paused for them."""


def restore(
    backup: Path, database: Path, *, now_ms: int, new_database_id: str, meter: Meter
) -> Restored:
    """Put a verified copy of `backup`, of the current format, in the place of `database`.

    The caller holds the lease. A backup of a format without ids gets the new one.
    SCHEMA_MISMATCH, SCHEMA_CORRUPT, NOT_FOUND or STORE_UNAVAILABLE when the backup is not good,
    STORE_CONFLICT when a file is in the way; `database` is then what it was.
    """
    _check_backup(backup, database)
    kept = database.with_name(f"{database.name}.replaced-{file_time(now_ms)}")
    refuse_existing(kept)
    ready = database.with_name(f".{database.name}.restored-{file_time(now_ms)}")
    try:
        with leaving_no_sidecars(backup), new_file(ready) as staged:
            verified_copy(backup, staged, meter)
            held = _prepare(staged, iso_from_ms(now_ms), new_database_id)
        was_there = _exchange(ready, database, kept)
    except OSError as error:
        raise _failed(database, kept, error) from error
    finally:
        with contextlib.suppress(OSError):
            ready.unlink()
    return Restored(database=database, kept=kept if was_there else None, held=held)


def _check_backup(backup: Path, database: Path) -> None:
    if not backup.is_file():
        missing = "no file" if not backup.exists() else "not a file"
        raise GroupXError(
            ErrorCode.NOT_FOUND,
            f"{backup} is {missing}, so nothing was restored. Name a file that `groupx backup` "
            "made.",
        )
    with contextlib.suppress(FileNotFoundError):
        if backup.samefile(database):
            raise GroupXError(
                ErrorCode.STORE_CONFLICT,
                f"{backup} is the database itself, so there is nothing to restore.",
            )
    if probe(backup) == NO_TABLES:
        raise GroupXError(ErrorCode.SCHEMA_MISMATCH, f"{backup} is empty, so nothing was restored.")


def _prepare(staged: Path, now_iso: str, new_database_id: str) -> Held:
    """Of the current format, with what waits in it held."""
    conn = open_ledger(
        staged, now_iso=now_iso, database_id=new_database_id, upgrade=Upgrade(keep_copy=False)
    )
    try:
        conn.execute("BEGIN IMMEDIATE")
        held = hold_open_lanes(conn, reason=HELD_BECAUSE, now_iso=now_iso)
        conn.execute("COMMIT")
        conn.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    finally:
        conn.close()
    return held


def _exchange(ready: Path, database: Path, kept: Path) -> bool:
    """Whether there was one before, which is then in `kept`.

    SQLite applies any `-wal` that it finds beside a database. So the old one is made whole
    without its `-wal` before that is taken away, and only then does the new one get the name:
    whenever this is cut short, there is the old database or the new one, and never a mixture.
    """
    _fold(database)
    copies = _keep(database, kept)
    aside = {
        Path(f"{database}{suffix}"): ready.with_name(f"{ready.name}.old{suffix}")
        for suffix in SIDECARS
    }
    moved: list[Path] = []
    try:
        for sidecar, away in aside.items():
            with contextlib.suppress(FileNotFoundError):
                sidecar.rename(away)
                moved.append(sidecar)
        sync(database.parent)
        ready.replace(database)
    except BaseException:
        for sidecar in moved:
            aside[sidecar].rename(sidecar)
        _remove(copies)
        raise
    sync(database.parent)
    _remove([aside[sidecar] for sidecar in moved])
    return bool(copies)


def _fold(database: Path) -> None:
    """Move what the sidecars hold into the file itself; a damaged one stays as it is.

    STORE_BUSY when another program has it open, OSError when the disk fails.
    """
    if not database.is_file() or not any(map(os.path.lexists, _sidecars(database.resolve()))):
        return
    uri = database.absolute().as_uri()
    try:
        # First without writing: merely closing a damaged one would change it.
        with contextlib.closing(sqlite3.connect(f"{uri}?mode=ro", uri=True)) as conn:
            conn.execute("SELECT count(*) FROM sqlite_schema").fetchone()
    except sqlite3.Error as error:
        if faults.is_damage(error):
            return
    try:
        with contextlib.closing(sqlite3.connect(f"{uri}?mode=rw", uri=True)) as conn:
            conn.execute("SELECT count(*) FROM sqlite_schema").fetchone()
            (unfinished, *_) = conn.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
    except sqlite3.Error as error:
        if faults.is_busy(error):
            raise faults.locked_elsewhere() from error
        raise OSError(errno.EIO, str(error)) from error
    if unfinished:
        raise faults.locked_elsewhere()


def _keep(database: Path, kept: Path) -> list[Path]:
    """True copies under the kept names, the database last; what was made. Nothing when it fails."""
    suffixes = [suffix for suffix in (*_KEPT_SIDECARS, "") if _holds(database.resolve(), suffix)]
    staged = {suffix: kept.with_name(f".{kept.name}.part{suffix}") for suffix in suffixes}
    copies: list[Path] = []
    try:
        for suffix, part in staged.items():
            make_private(part)
            shutil.copyfile(f"{database.resolve()}{suffix}", part)
            sync(part)
        for suffix, part in staged.items():
            copies.append(part.rename(f"{kept}{suffix}"))
        sync(kept.parent)
    except BaseException:
        _remove([*staged.values(), *copies])
        raise
    return copies


def _holds(database: Path, suffix: str) -> bool:
    file = Path(f"{database}{suffix}")
    return file.exists() and (not suffix or file.stat().st_size > 0)


def _sidecars(database: Path) -> list[Path]:
    return [Path(f"{database}{suffix}") for suffix in SIDECARS]


def _remove(files: Iterable[Path]) -> None:
    for file in files:
        with contextlib.suppress(OSError):
            file.unlink()


def _failed(database: Path, kept: Path, error: OSError) -> GroupXError:
    return GroupXError(
        ErrorCode.STORE_UNAVAILABLE,
        f"The backup could not be put in the place of {database} ({error.strerror}). Without a "
        f"{kept.name} beside it, it is the database from before; with one, that is the one from "
        "before and it is the restored one. Mend what is named, then restore again.",
        cause=str(error.strerror),
    )
