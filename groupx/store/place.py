"""Where the open database is, and whether it is still there and still this store's alone.

SQLite writes to the file that it opened, whatever becomes of its name: what is committed to a
file that was removed, moved or replaced is lost to the next start.
"""

import contextlib
import sqlite3
from collections.abc import Callable
from pathlib import Path

from groupx.process.held_file import HeldFile
from groupx.store.faults import Displaced
from groupx.store.held_wal import HeldWal
from groupx.store.probe import sidecar

_SUFFIXES = ("-wal", "-shm")


class LeaseLost(Exception):
    """Another runtime may be let in, so this one must end."""

    def __init__(self, lock_file: str) -> None:
        super().__init__(
            f"its lock file {lock_file} was removed, moved or replaced, so that another GroupX can "
            "open this room at the same time; one of the two has to end"
        )


def _nothing_lost() -> None:
    return None


class Place:
    """What to look at for the database at `database`; None is one in memory.

    `lost_lease` names a lock file that is no longer the held one.
    """

    def __init__(
        self, database: Path | None, lost_lease: Callable[[], str | None] = _nothing_lost
    ) -> None:
        self._database = database
        self._lost_lease = lost_lease
        self._held: tuple[HeldFile, ...] = ()
        self._wal: HeldWal | None = None

    def hold(self) -> None:
        """Remember which files these are; the database has just been opened.

        OSError, sqlite3.Error.
        """
        if self._database is None:
            return
        self._wal = HeldWal(self._database)
        sidecars = [sidecar(self._database, suffix) for suffix in _SUFFIXES]
        found = [HeldFile.of(file) for file in sidecars if file.exists()]
        self._held = (HeldFile.of(self._database), *found)

    def look(self) -> None:
        """Raises LeaseLost or Displaced. Some microseconds."""
        lock_file = self._lost_lease()
        if lock_file is not None:
            raise LeaseLost(lock_file)
        self.look_at_files()

    def look_at_files(self) -> None:
        """Raises Displaced."""
        for file in self._held:
            if not file.is_there():
                raise Displaced(f"{file.path} was removed, moved or replaced")

    def close(self, conn: sqlite3.Connection) -> None:
        """Move the `-wal` into the database and close.

        The last close removes the `-wal` by its name: of displaced files, that could be another
        database's, and the `-wal` that was left behind may be needed. They are left as they are;
        but a database whose `-wal` is gone takes in what that held.
        """
        if not self._held or self._held[0].is_there():
            # A checkpoint that fails loses nothing: the WAL keeps what was committed.
            with contextlib.suppress(sqlite3.Error):
                conn.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
        if self._wal is not None and all(file.is_there() for file in self._held):
            self._wal.close()
        conn.close()
        if self._wal is not None:
            self._wal.close()
