"""A backup is one moment of a database in use, whole and private, or it is not there."""

import os
import sqlite3
import stat
import threading

import pytest

from groupx.domain.errors import GroupXError
from groupx.store.copying import row_counts
from groupx.store.exchange import backup as backups
from groupx.store.exchange.backup import default_target, make_backup
from groupx.store.meter import Meter
from groupx.store.opening import open_ledger
from groupx.store.probe import probe
from tests.store.exchange.conftest import NOW, export, export_file
from tests.store.released import copy_of

SILENT = Meter(lambda _done, _total: None)


@pytest.fixture
def database(full, bring, tmp_path):
    """A file that holds what the full ledger holds."""
    bring(export(full.conn), "groupx-local.db")
    open_ledger(tmp_path / "groupx-local.db", now_iso=NOW, database_id="never").close()
    return tmp_path / "groupx-local.db"


def names(folder):
    """What is there, but for what SQLite keeps beside a database in use."""
    return sorted(
        path.name for path in folder.iterdir() if path.suffix not in {".db-wal", ".db-shm"}
    )


def test_it_holds_everything_and_is_private(database, tmp_path):
    old = os.umask(0)
    try:
        made = make_backup(database, tmp_path / "copy.db", SILENT)
    finally:
        os.umask(old)
    assert made.bytes == (tmp_path / "copy.db").stat().st_size
    assert stat.S_IMODE((tmp_path / "copy.db").stat().st_mode) == 0o600
    assert probe(tmp_path / "copy.db") == 10
    assert export_file(tmp_path / "copy.db") == export_file(database)
    assert names(tmp_path) == ["copy.db", "groupx-local.db"]


@pytest.mark.slow
def test_while_it_is_made_the_room_goes_on(database, tmp_path):
    """Two writes of one transaction are both in it or neither, and no write waits for it."""
    conn = open_ledger(database, now_iso=NOW, database_id="never")
    conn.execute("PRAGMA synchronous = OFF")
    insert = "INSERT INTO context_resets VALUES (?, 'room:main', 0, 0, '2026-01-01T00:00:00Z')"
    for count in range(3_000):
        conn.execute(insert, (f"before {count} {'x' * 2_000}",))
    made = threading.Event()

    def make() -> None:
        make_backup(database, tmp_path / "copy.db", SILENT)
        made.set()

    thread = threading.Thread(target=make)
    thread.start()
    written = 0
    while not made.is_set():
        conn.execute("BEGIN IMMEDIATE")
        conn.execute(insert, (f"one {written}",))
        conn.execute(insert, (f"two {written}",))
        conn.execute("COMMIT")
        written += 1
    thread.join()
    copy = sqlite3.connect(tmp_path / "copy.db")
    ones, twos = (
        copy.execute(
            f"SELECT count(*) FROM context_resets WHERE reset_id GLOB '{name} *'"
        ).fetchone()
        for name in ("one", "two")
    )
    assert ones == twos
    assert written > 3
    copy.close()
    conn.close()


def test_older_formats_are_backed_up_as_they_are(tmp_path):
    """The crashed one has everything in its WAL."""
    source = copy_of("format-9-crashed", tmp_path / "old")
    before = {path.name: path.read_bytes() for path in source.parent.glob("*.db*")}
    make_backup(source, tmp_path / "copy.db", SILENT)
    assert probe(tmp_path / "copy.db") == 9
    conn = sqlite3.connect(tmp_path / "copy.db")
    assert row_counts(conn)["events"] == 66
    conn.close()
    for name in ("format-9-crashed.db", "format-9-crashed.db-wal"):
        assert (source.parent / name).read_bytes() == before[name]


@pytest.mark.parametrize("kind", ["file", "folder", "link", "sidecar"])
def test_nothing_is_written_over(database, tmp_path, kind):
    target = tmp_path / "copy.db"
    if kind == "file":
        target.write_bytes(b"mine")
    elif kind == "folder":
        target.mkdir()
    elif kind == "link":
        target.symlink_to(tmp_path / "nowhere")
    else:
        (tmp_path / "copy.db-wal").write_bytes(b"mine")
    before = sorted(os.listdir(tmp_path))
    with pytest.raises(GroupXError, match="exists already") as caught:
        make_backup(database, target, SILENT)
    assert caught.value.code == "STORE_CONFLICT"
    assert sorted(os.listdir(tmp_path)) == before


def test_a_name_that_is_taken_meanwhile_is_kept(database, tmp_path, monkeypatch):
    target = tmp_path / "copy.db"
    copy = backups.verified_copy

    def and_another(*given):
        copy(*given)
        target.write_bytes(b"mine")

    monkeypatch.setattr(backups, "verified_copy", and_another)
    with pytest.raises(GroupXError, match="exists already"):
        make_backup(database, target, SILENT)
    assert target.read_bytes() == b"mine"
    assert names(tmp_path) == ["copy.db", "groupx-local.db"]


def test_what_is_given_up_leaves_nothing(database, tmp_path):
    with pytest.raises(sqlite3.OperationalError, match="interrupted"):
        make_backup(database, tmp_path / "c.db", Meter(lambda *_: None, unwanted=lambda: True))
    assert names(tmp_path) == ["groupx-local.db"]


def test_a_full_disk_is_said_and_leaves_nothing(database, tmp_path, monkeypatch):
    def full(_source, target, _meter):
        target.write_bytes(b"part")
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(backups, "verified_copy", full)
    with pytest.raises(GroupXError, match="No space left") as caught:
        make_backup(database, tmp_path / "copy.db", SILENT)
    assert caught.value.code == "STORE_UNAVAILABLE"
    assert names(tmp_path) == ["groupx-local.db"]


def test_a_damaged_database_is_not_called_backed_up(database, tmp_path):
    with database.open("r+b") as file:
        size = file.seek(0, 2)
        file.seek(size // 2)
        file.write(b"\xff" * 8_192)
    with pytest.raises(GroupXError) as caught:
        make_backup(database, tmp_path / "copy.db", SILENT)
    assert caught.value.code in {"STORE_UNAVAILABLE", "SCHEMA_CORRUPT"}
    assert not (tmp_path / "copy.db").exists()


def test_a_folder_that_is_not_there(database, tmp_path):
    with pytest.raises(GroupXError, match="cannot be written") as caught:
        make_backup(database, tmp_path / "nowhere" / "copy.db", SILENT)
    assert caught.value.code == "STORE_CONFLICT"


def test_the_usual_place(tmp_path):
    folder = tmp_path / "backups"
    target = default_target(folder, tmp_path / "groupx-local.db", 1_770_000_000_123)
    assert target == folder / "groupx-local-20260202T024000.123Z.db"
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    (folder / ".groupx-local-1.db.abcd.part").touch()
    (folder / ".groupx-local-1.db.abcd.part-journal").touch()
    (folder / "groupx-local-1.db").touch()
    default_target(folder, tmp_path / "groupx-local.db", 0)
    assert os.listdir(folder) == ["groupx-local-1.db"]


def test_the_usual_place_that_cannot_be_made(tmp_path):
    (tmp_path / "backups").write_bytes(b"")
    with pytest.raises(GroupXError, match="cannot be written"):
        default_target(tmp_path / "backups", tmp_path / "groupx-local.db", 0)
