"""Old backups and exports in the database's own folder, and whether they are of this database."""

import contextlib
import sqlite3
from pathlib import Path
from typing import Any, cast

import attrs
import orjson

from groupx.domain.rooms import Artifacts

_HEADER_BYTES = 64 * 1024


@attrs.frozen(kw_only=True)
class OldFiles:
    """What a prune finds in the folder."""

    mine: tuple[Path, ...]
    bytes: int
    skipped: int

    def counted(self) -> Artifacts:
        """For the report."""
        return Artifacts(files=len(self.mine), bytes=self.bytes, skipped=self.skipped)


def find_old_files(folder: Path, database_id: str, before_ms: int) -> OldFiles:
    """The files directly in `folder` that were last written before `before_ms`.

    A backup says in itself of which database it is, an export for import in its first line; what
    does not say this database's id is skipped.
    """
    mine: list[Path] = []
    size = skipped = 0
    for path in sorted(folder.glob("*")) if folder.is_dir() else ():
        if path.is_symlink() or not path.is_file():
            continue
        facts = path.stat()
        if facts.st_mtime_ns // 1_000_000 >= before_ms:
            continue
        if _database_of(path) == database_id:
            mine.append(path)
            size += facts.st_size
        else:
            skipped += 1
    return OldFiles(mine=tuple(mine), bytes=size, skipped=skipped)


def remove(files: OldFiles) -> Artifacts:
    """Delete those of this database; one that cannot be deleted is counted as skipped."""
    removed, size = 0, 0
    for path in files.mine:
        try:
            length = path.stat().st_size
            path.unlink()
        except OSError:
            continue
        removed += 1
        size += length
    skipped = files.skipped + len(files.mine) - removed
    return Artifacts(files=removed, bytes=size, skipped=skipped)


def _database_of(path: Path) -> str | None:
    with contextlib.suppress(OSError, sqlite3.Error, ValueError):
        with path.open("rb") as file:
            start = file.read(_HEADER_BYTES)
        if start.startswith(b"SQLite format 3\x00"):
            return _id_in_database(path)
        header: Any = orjson.loads(start.split(b"\n", 1)[0])
        if isinstance(header, dict):
            found = cast("dict[str, Any]", header).get("databaseId")
            return found if isinstance(found, str) else None
    return None


def _id_in_database(path: Path) -> str | None:
    # Immutable: nobody writes to a backup, and reading it must leave no files beside it.
    with contextlib.closing(
        sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro&immutable=1", uri=True)
    ) as conn:
        row = conn.execute("SELECT database_id FROM groupx_instance").fetchone()
    return None if row is None else str(row[0])
