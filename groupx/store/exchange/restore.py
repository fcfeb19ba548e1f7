"""A backup takes the place of the database; what was there is kept beside it."""

import contextlib
import errno
import os
from pathlib import Path

import attrs

from groupx.domain.errors import ErrorCode, GroupXError
from groupx.domain.times import iso_from_ms
from groupx.store.copying import verified_copy
from groupx.store.exchange.backup import file_time
from groupx.store.exchange.files import SIDECARS, new_file, refuse_existing, sync
from groupx.store.exchange.held_lanes import Held, hold_open_lanes
from groupx.store.markers import NO_TABLES
from groupx.store.meter import Meter
from groupx.store.opening import open_ledger
from groupx.store.probe import leaving_no_sidecars, probe
from groupx.store.upgrade import Upgrade

HELD_BECAUSE = "it came with a restored backup; it may have been sent since the backup was made"


@attrs.frozen(kw_only=True)
class Restored:
    """What a restore did."""

    database: Path
    kept: Path | None
    """The database from before, with its `-wal` if it had one; None when there was none."""
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
        was_there = os.path.lexists(database)
        _exchange(ready, database, kept)
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


def _exchange(ready: Path, database: Path, kept: Path) -> None:
    """A database is there at every moment; an old `-wal` must never lie beside the new one."""
    if os.path.lexists(database):
        _also_name(database, kept)
    for suffix in SIDECARS:
        with contextlib.suppress(FileNotFoundError):
            Path(f"{database}{suffix}").rename(f"{kept}{suffix}")
    ready.replace(database)
    sync(database.parent)


def _also_name(database: Path, kept: Path) -> None:
    try:
        os.link(database, kept, follow_symlinks=False)
    except OSError as error:
        if error.errno not in {errno.EPERM, errno.ENOTSUP, errno.ENOSYS, errno.EMLINK}:
            raise
        database.rename(kept)  # a file system without links


def _failed(database: Path, kept: Path, error: OSError) -> GroupXError:
    return GroupXError(
        ErrorCode.STORE_UNAVAILABLE,
        f"The backup could not be put in the place of {database} ({error.strerror}). If there is a "
        f"{kept.name} beside it, that is the database from before. Mend what is named, then "
        "restore again.",
        cause=str(error.strerror),
    )
