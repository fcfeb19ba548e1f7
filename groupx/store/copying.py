"""A copy of a database that is known to be good, made while the database is in use."""

import contextlib
import os
import sqlite3
from collections.abc import Mapping
from pathlib import Path

from groupx.domain.errors import ErrorCode, GroupXError
from groupx.store import faults
from groupx.store.markers import read_format
from groupx.store.meter import Meter

COPY_SHARE, CHECK_SHARE = 100, 400
"""Thousandths, as measured on a million events."""
_PAGES_PER_STEP = 512
_CHECK_CACHE_KIB = 64 * 1024
_CHECK_INSTRUCTIONS_PER_ROW = 50


def verified_copy(path: Path, target: Path, meter: Meter) -> None:
    """Write `path`, with what its WAL holds, as the new private file `target`.

    The copy is of one moment, and was read back: its integrity, its format and the number of rows
    in each table are those of the original. STORE_UNAVAILABLE when the copy cannot be made
    (`target` may be there already) or is not good; then it is gone.
    """
    try:
        _make_private(target)
    except OSError as error:
        raise no_copy(target, error.strerror or str(error)) from error
    try:
        _copy_and_check(path, target, meter)
    except BaseException:
        target.unlink(missing_ok=True)
        raise


def no_copy(target: Path, cause: str) -> GroupXError:
    """STORE_UNAVAILABLE: there is no copy, so what needed one was not begun."""
    return GroupXError(
        ErrorCode.STORE_UNAVAILABLE,
        f"No good copy of the database could be made as {target} ({cause}), so nothing was done "
        "and the database is as it was. Free space for a file of its size, or mend what is named.",
        cause=cause,
    )


def row_counts(conn: sqlite3.Connection) -> Mapping[str, int]:
    """Rows of every table that is stored, SQLite's own among them."""
    tables = conn.execute(
        "SELECT name FROM main.sqlite_schema WHERE type = 'table' AND rootpage > 0"
    ).fetchall()
    quoted = {name: name.replace('"', '""') for (name,) in tables}
    return {
        name: conn.execute(f'SELECT count(*) FROM main."{spelled}"').fetchone()[0]
        for name, spelled in quoted.items()
    }


def _copy_and_check(path: Path, target: Path, meter: Meter) -> None:
    try:
        with contextlib.closing(_reader(path, "mode=ro")) as source:
            source.execute("BEGIN")
            expected = read_format(source), row_counts(source)
            with contextlib.closing(sqlite3.connect(target, isolation_level=None)) as copy:
                meter.phase(COPY_SHARE)
                source.backup(copy, pages=_PAGES_PER_STEP, progress=meter.copied)
        # Nobody else knows this file yet, so it does not change while it is read.
        with contextlib.closing(_reader(target, "mode=ro&immutable=1")) as copy:
            copy.execute(f"PRAGMA cache_size = -{_CHECK_CACHE_KIB}")
            meter.phase(CHECK_SHARE)
            rows = sum(expected[1].values())
            with meter.counting(copy, rows * _CHECK_INSTRUCTIONS_PER_ROW):
                damage = copy.execute("PRAGMA integrity_check(1)").fetchone()[0]
            found = read_format(copy), row_counts(copy)
    except sqlite3.Error as error:
        if faults.is_interrupt(error):
            raise
        raise no_copy(target, str(error)) from error
    if damage != "ok":
        raise no_copy(target, f"the database is damaged: {damage}")
    if found != expected:
        raise no_copy(target, "it does not hold what the database holds")


def _reader(path: Path, options: str) -> sqlite3.Connection:
    return sqlite3.connect(f"{path.absolute().as_uri()}?{options}", uri=True, isolation_level=None)


def _make_private(target: Path) -> None:
    fd = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    try:
        os.fchmod(fd, 0o600)
    finally:
        os.close(fd)
