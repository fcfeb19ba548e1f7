"""An old database keeps its `-wal`, byte for byte, unless its upgrade is committed."""

import contextlib
import os
import sqlite3
from pathlib import Path

import attrs

from groupx.store.probe import missing_sidecars, remove_unused, sidecar


@attrs.frozen
class WalMark:
    """How long a `-wal` is, and SQLite's number for what is committed."""

    size: int
    version: int


class HeldWal:
    """While it is held, closing a connection does not move the `-wal` into the database.

    SQLite does that at the close of the last connection, unless that one may only read: so one
    that may only read is opened before the one that upgrades, and closed after it.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._wal = sidecar(path, "-wal")
        self._made = missing_sidecars(path)
        uri = f"{path.absolute().as_uri()}?mode=ro"
        self._conn = sqlite3.connect(uri, uri=True, isolation_level=None)
        try:
            self._conn.execute("SELECT count(*) FROM sqlite_schema").fetchone()
        except BaseException:
            self._conn.close()
            raise

    def mark(self) -> WalMark:
        """What there is now. The caller holds the write lock and has written nothing."""
        (version,) = self._conn.execute("PRAGMA data_version").fetchone()
        return WalMark(self._wal.stat().st_size if self._wal.exists() else 0, version)

    def trim(self, conn: sqlite3.Connection, before: WalMark) -> None:
        """Cut off what `conn` wrote behind `before` and rolled back. It only takes up space."""
        with contextlib.suppress(sqlite3.Error, OSError):
            conn.execute("BEGIN IMMEDIATE")
            try:
                now = self.mark()
                if now.version == before.version and now.size > before.size:
                    os.truncate(self._wal, before.size)
            finally:
                conn.rollback()

    def close(self) -> None:
        """From now on, the last close moves it into the database."""
        self._conn.close()

    def let_go(self, *, in_use: bool) -> None:
        """`in_use`: another connection of this process goes on with the database."""
        self.close()
        # With one open, no file descriptor of the database may be closed: it would lose its locks.
        if not in_use:
            remove_unused(self._path, self._made)
