"""A backup takes the place of the database; the old one is kept, and nothing is sent twice."""

import os
import shutil
import sqlite3

import pytest

from groupx.domain.errors import GroupXError
from groupx.store.exchange.backup import make_backup
from groupx.store.exchange.restore import HELD_BECAUSE, restore
from groupx.store.meter import Meter
from groupx.store.opening import open_ledger
from groupx.store.probe import probe
from tests.store.exchange.conftest import NOW, export, export_file
from tests.store.released import copy_of

SILENT = Meter(lambda _done, _total: None)
NOW_MS = 1_770_000_000_000
KEPT = "groupx.db.replaced-20260202T024000.000Z"


@pytest.fixture
def place(full, bring, tmp_path):
    """A database, its backup, and what happened since."""
    bring(export(full.conn), "groupx.db")
    make_backup(tmp_path / "groupx.db", tmp_path / "backup.db", SILENT)
    conn = open_ledger(tmp_path / "groupx.db", now_iso=NOW, database_id="never")
    conn.execute("UPDATE rooms SET title = 'since'")
    conn.execute("UPDATE lane_states SET state = 'runnable', reason = NULL")
    conn.close()
    return tmp_path


def run(place, backup="backup.db"):
    return restore(
        place / backup,
        place / "groupx.db",
        now_ms=NOW_MS,
        new_database_id="database_new",
        meter=SILENT,
    )


def test_the_database_is_what_it_was_and_the_other_one_is_kept(place):
    since, backup = export_file(place / "groupx.db"), (place / "backup.db").read_bytes()
    done = run(place)
    assert export_file(place / "groupx.db") == export_file(place / "backup.db") != since
    assert (done.database, done.kept) == (place / "groupx.db", place / KEPT)
    assert export_file(place / KEPT) == since
    assert (place / "backup.db").read_bytes() == backup
    assert sorted(os.listdir(place)) == ["backup.db", "groupx.db", KEPT]
    assert (place / "groupx.db").stat().st_mode & 0o777 == 0o600


def test_what_waits_in_it_waits_for_the_user(place):
    held = run(place).held
    assert (held.turns, held.agents) == (3, ("agent:a", "agent:c"))
    conn = sqlite3.connect(place / "groupx.db")
    rows = conn.execute("SELECT actor_id, state, reason FROM lane_states").fetchall()
    assert sorted(rows) == [(actor, "paused", HELD_BECAUSE) for actor in held.agents]
    conn.close()


def test_the_wal_of_a_killed_room_goes_with_it(place):
    """It would damage the new one, and it holds the newest of the old one."""
    conn = open_ledger(place / "groupx.db", now_iso=NOW, database_id="never")
    conn.execute("UPDATE rooms SET title = 'only in the WAL'")
    for suffix in ("", "-wal", "-shm"):
        shutil.copy(f"{place / 'groupx.db'}{suffix}", f"{place / 'killed.db'}{suffix}")
    conn.close()
    for suffix in ("", "-wal", "-shm"):
        os.replace(f"{place / 'killed.db'}{suffix}", f"{place / 'groupx.db'}{suffix}")
    run(place)
    assert b"only in the WAL" not in export_file(place / "groupx.db")
    assert {f"{KEPT}-wal", f"{KEPT}-shm"} <= set(os.listdir(place))
    assert b"only in the WAL" in export_file(place / KEPT)


def test_where_there_was_none(place):
    (place / "groupx.db").unlink()
    assert run(place).kept is None
    assert export_file(place / "groupx.db") == export_file(place / "backup.db")


def test_a_backup_of_an_older_format_is_upgraded_on_its_way(place):
    old = copy_of("format-9", place / "old")
    before = old.read_bytes()
    done = run(place, "old/format-9.db")
    assert probe(place / "groupx.db") == 10
    assert done.held.turns == 2
    assert old.read_bytes() == before
    assert os.listdir(place / "old") == ["format-9.db"]
    assert sorted(os.listdir(place)) == ["backup.db", "groupx.db", KEPT, "old"]


@pytest.mark.parametrize(
    ("kind", "code"),
    [
        ("missing", "NOT_FOUND"),
        ("folder", "NOT_FOUND"),
        ("itself", "STORE_CONFLICT"),
        ("link to itself", "STORE_CONFLICT"),
        ("empty", "SCHEMA_MISMATCH"),
        ("foreign", "SCHEMA_MISMATCH"),
        ("truncated", "SCHEMA_CORRUPT"),
        ("changed", "SCHEMA_CORRUPT"),
        ("kept name taken", "STORE_CONFLICT"),
    ],
)
def test_what_is_refused_changes_nothing(place, kind, code):
    backup = place / "backup.db"
    if kind in {"missing", "folder", "itself", "link to itself"}:
        backup.unlink()
    if kind == "folder":
        backup.mkdir()
    elif kind == "itself":
        os.link(place / "groupx.db", backup)
    elif kind == "link to itself":
        backup.symlink_to("groupx.db")
    elif kind == "empty":
        backup.write_bytes(b"")
    elif kind == "foreign":
        backup.write_bytes(b"not a database" * 1_000)
    elif kind == "truncated":
        backup.write_bytes(backup.read_bytes()[:-1_000])
    elif kind == "changed":
        conn = sqlite3.connect(backup)
        conn.execute("DROP INDEX events_room_seq_idx")
        conn.close()
    elif kind == "kept name taken":
        (place / KEPT).write_bytes(b"mine")
    names, database = sorted(os.listdir(place)), (place / "groupx.db").read_bytes()
    with pytest.raises(GroupXError) as caught:
        run(place)
    assert caught.value.code == code
    assert sorted(os.listdir(place)) == names
    assert (place / "groupx.db").read_bytes() == database


def test_damage_inside_is_noticed(place):
    with (place / "backup.db").open("r+b") as file:
        file.seek(file.seek(0, 2) // 2)
        file.write(b"\xff" * 8_192)
    database = (place / "groupx.db").read_bytes()
    with pytest.raises(GroupXError):
        run(place)
    assert (place / "groupx.db").read_bytes() == database
    assert sorted(os.listdir(place)) == ["backup.db", "groupx.db"]


def test_a_file_system_without_links(place, monkeypatch):
    def no_links(*_given, **_options):
        raise PermissionError(1, "Operation not permitted")

    since = export_file(place / "groupx.db")
    monkeypatch.setattr(os, "link", no_links)
    run(place)
    assert export_file(place / "groupx.db") == export_file(place / "backup.db")
    assert export_file(place / KEPT) == since
    assert sorted(os.listdir(place)) == ["backup.db", "groupx.db", KEPT]
