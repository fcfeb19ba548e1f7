"""The guarded upgrade: one transaction from an older format to the current one, or nothing."""

import contextlib
import filecmp
import os
import sqlite3
from collections.abc import Mapping
from pathlib import Path

import attrs

from groupx.domain.errors import ErrorCode, GroupXError
from groupx.store import faults
from groupx.store.copying import CHECK_SHARE, COPY_SHARE, no_copy, row_counts, verified_copy
from groupx.store.formats.chain import CURRENT, STEPS, Step, mark, run_step
from groupx.store.markers import corrupt
from groupx.store.meter import TOTAL, Meter
from groupx.store.probe import validate

_INSTRUCTIONS_PER_ROW = 90
_MAX_COPIES = 99


@attrs.frozen(kw_only=True)
class Upgraded:
    """What was upgraded, and where the copy from before is; None when none was wanted."""

    found: int
    copy: Path | None


class UpgradeWatch:
    """Who looks on; this one does not. Everything is called on the thread that upgrades."""

    def begun(self, found: int) -> None:
        """A database of the older format `found` is about to be upgraded."""

    def progressed(self, done: int, total: int) -> None:
        """It has come this far."""

    def unwanted(self) -> bool:
        """Whether the upgrade is to be given up, with everything as it was."""
        return False

    def reached(self, point: str) -> None:
        """A named point: `upgrade.locked`, `.copied`, `.<step>`, `.marked`, `.committed`."""

    def ended(self, upgraded: Upgraded | None) -> None:
        """It is committed, or None: rolled back."""


@attrs.frozen(kw_only=True)
class Upgrade:
    """How one is done: with a copy from before, and who is told."""

    keep_copy: bool = True
    watch: UpgradeWatch = attrs.field(factory=UpgradeWatch)

    def run(
        self, conn: sqlite3.Connection, path: Path, found: int, values: Mapping[str, str]
    ) -> None:
        """The whole upgrade and its COMMIT, inside the caller's BEGIN IMMEDIATE.

        `values` are what the steps write into new rows.
        SCHEMA_CORRUPT when the database has not the shape of `found`, or has rows that the
        chain cannot take. The caller rolls back.
        """
        watch = self.watch
        watch.begun(found)
        upgraded: Upgraded | None = None
        try:
            done = self._run(conn, path, found, values)
            conn.execute("COMMIT")
            upgraded = done
        finally:
            watch.ended(upgraded)
        watch.reached("upgrade.committed")
        # It is upgraded: a checkpoint that fails, as on a full disk, leaves it in the WAL.
        with contextlib.suppress(sqlite3.Error):
            conn.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()

    def _run(
        self, conn: sqlite3.Connection, path: Path, found: int, values: Mapping[str, str]
    ) -> Upgraded:
        watch = self.watch
        validate(conn, found)
        watch.reached("upgrade.locked")
        meter = Meter(watch.progressed, unwanted=watch.unwanted)
        copy = keep_copy(path, meter) if self.keep_copy else None
        watch.reached("upgrade.copied")
        meter.phase(TOTAL - COPY_SHARE - CHECK_SHARE if self.keep_copy else TOTAL)
        expected = sum(row_counts(conn).values()) * _INSTRUCTIONS_PER_ROW
        with meter.counting(conn, expected):
            for step in STEPS[found:]:
                _take(conn, step, found, values)
                watch.reached(f"upgrade.{step.number}")
                if watch.unwanted():
                    raise given_up()
            validate(conn, CURRENT)
        if not mark(conn, found):
            raise corrupt(found, "its marker changed while it was upgraded")
        watch.reached("upgrade.marked")
        return Upgraded(found=found, copy=copy)


PLAIN = Upgrade()
"""With a copy, and nobody looking."""


def keep_copy(path: Path, meter: Meter) -> Path:
    """A verified copy of `path` beside it, as `<db>.before-format-<n>.bak`. STORE_UNAVAILABLE.

    An older copy is never overwritten: the new one is numbered (`.2.bak`), unless both hold the
    same, as after an upgrade that was cut short. The caller holds the database's write lock, so
    nobody else makes one.
    """
    stem = f"{path}.before-format-{CURRENT}"
    part = Path(f"{stem}.part")
    try:
        part.unlink(missing_ok=True)  # of an upgrade that was killed
        verified_copy(path, part, meter)
        for number in range(1, _MAX_COPIES + 1):
            copy = Path(f"{stem}.bak" if number == 1 else f"{stem}.{number}.bak")
            if not os.path.lexists(copy):
                part.rename(copy)
                _settle(copy.parent)
                return copy
            same = copy.is_file() and not copy.is_symlink()
            if same and filecmp.cmp(part, copy, shallow=False):
                part.unlink()
                return copy
        part.unlink()
    except OSError as error:
        raise no_copy(part, error.strerror or str(error)) from error
    raise no_copy(part, f"there are {_MAX_COPIES} already; keep those you need elsewhere")


def given_up() -> GroupXError:
    """The upgrade was interrupted because GroupX was asked to stop."""
    return GroupXError(
        ErrorCode.RUNTIME_CLOSING,
        "GroupX was stopped while it upgraded the database; the database is as it was. "
        "Start it again: the upgrade begins anew.",
    )


def _settle(folder: Path) -> None:
    """The name of a new file survives a power loss only once its folder is written too."""
    fd = os.open(folder, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)


def _take(conn: sqlite3.Connection, step: Step, found: int, values: Mapping[str, str]) -> None:
    try:
        run_step(conn, step, values)
    except sqlite3.Error as error:
        if faults.is_fault(error) or faults.is_interrupt(error):
            raise
        cause = f"step {step.number} of its upgrade to format {CURRENT} failed ({error})"
        raise corrupt(found, cause) from error
