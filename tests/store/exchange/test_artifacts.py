"""Old files in the folder of backups: those of this database are found, all others left alone."""

import os
from pathlib import Path

import orjson
import pytest

from groupx.store.connection import open_connection
from groupx.store.exchange.artifacts import find_old_files, remove
from groupx.store.exchange.backup import make_backup
from groupx.store.formats.chain import create_current
from groupx.store.meter import Meter

OLD, NEW, BEFORE = 1_000, 9_000, 5_000
"""Milliseconds."""


def aged(path: Path, ms: int) -> Path:
    os.utime(path, ns=(ms * 1_000_000, ms * 1_000_000))
    return path


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "backups").mkdir()
    return tmp_path / "backups"


def backup(folder: Path, name: str, database_id: str, ms: int = OLD) -> Path:
    database = folder.parent / f"{name}-source.db"
    conn = open_connection(database)
    create_current(conn, now_iso="2026-02-01T00:00:00.000Z", database_id=database_id)
    conn.close()
    make_backup(database, folder / name, Meter(lambda _done, _total: None))
    return aged(folder / name, ms)


def test_only_old_files_of_this_database_are_its_own(folder: Path) -> None:
    mine = backup(folder, "mine.db", "database_me")
    backup(folder, "new.db", "database_me", NEW)
    backup(folder, "other.db", "database_other")
    header = orjson.dumps({"line": "groupx", "databaseId": "database_me"}) + b"\n{}\n"
    (folder / "export.jsonl").write_bytes(header)
    export = aged(folder / "export.jsonl", OLD)
    for name, content in {
        "page.html": b"<!doctype html>",
        "empty": b"",
        "torn.db": b"SQLite format 3\x00 and then nothing",
        "odd.jsonl": b'{"databaseId": 7}\n',
        "list.jsonl": b"[1]\n",
        "binary": b"\xff\xfe\x00",
    }.items():
        (folder / name).write_bytes(content)
        aged(folder / name, OLD)
    (folder / "link.db").symlink_to(mine)
    (folder / "sub").mkdir()
    names = {path.name for path in folder.iterdir()}

    found = find_old_files(folder, "database_me", BEFORE)
    assert set(found.mine) == {mine, export}
    assert found.bytes == mine.stat().st_size + export.stat().st_size
    assert found.skipped == 7
    assert {path.name for path in folder.iterdir()} == names, "looking leaves nothing behind"

    done = remove(found)
    assert done == found.counted()
    assert {path.name for path in folder.iterdir()} == names - {"mine.db", "export.jsonl"}
    assert remove(found).files == 0


def test_a_folder_that_is_not_there_holds_nothing(tmp_path: Path) -> None:
    found = find_old_files(tmp_path / "none", "database_me", BEFORE)
    assert (found.mine, found.bytes, found.skipped) == ((), 0, 0)
