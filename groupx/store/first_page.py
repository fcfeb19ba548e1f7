"""What is in a file before any table is: nothing, or the page that GroupX itself began."""

import sqlite3
from pathlib import Path
from typing import Self

import attrs

from groupx.store.markers import mismatch

_HEADER_BYTES = 100
_MAGIC = b"SQLite format 3\0"
_WAL = b"\x02\x02"
_MAJOR, _MINOR, _PATCH = sqlite3.sqlite_version_info
_OWN_VERSION = _MAJOR * 1_000_000 + _MINOR * 1_000 + _PATCH


@attrs.frozen
class FirstPage:
    """A database file as it was before anything opened it."""

    header: bytes
    size: int
    has_wal: bool

    @classmethod
    def of(cls, path: Path) -> Self:
        """Look at a regular file. OSError."""
        with path.open("rb") as file:
            header = file.read(_HEADER_BYTES)
        return cls(header, path.stat().st_size, Path(f"{path}-wal").exists())

    def refuse_content(self) -> None:
        """SCHEMA_MISMATCH unless it is empty or what a creation leaves that was broken off.

        That is one page in WAL mode. A ledger has its tables in the file before it is used; but
        one of an older program looks the same whose content was all in a `-wal` that is lost.
        Only the version of the SQLite that wrote it tells them apart.
        """
        if self.size == 0:
            return
        if not self._is_begun():
            raise mismatch("a file that holds something, but no table of GroupX's")
        if not (self.has_wal or self._is_ours()):
            raise mismatch(
                "a database without tables whose -wal file is missing (if there was one, put it "
                "back beside it; if there was none, move the file away)"
            )

    def _is_begun(self) -> bool:
        page = int.from_bytes(self.header[16:18], "big")
        return (
            self.header.startswith(_MAGIC)
            and self.header[18:20] == _WAL
            and self.size == (65_536 if page == 1 else page)
        )

    def _is_ours(self) -> bool:
        return int.from_bytes(self.header[96:100], "big") == _OWN_VERSION
