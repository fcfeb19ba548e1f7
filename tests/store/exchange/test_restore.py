"""A backup takes the place of the database; the old one is kept, and nothing is sent twice."""

import errno
import os
import shutil
import sqlite3
import sys
from functools import partial
from pathlib import Path

import pytest

from groupx.domain.errors import GroupXError
from groupx.store.exchange import restore as restoring
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


def leave_a_wal(place, *, damaged=False):
    """As a killed room leaves it: the newest is only in the `-wal`."""
    conn = open_ledger(place / "groupx.db", now_iso=NOW, database_id="never")
    conn.execute("UPDATE rooms SET title = 'only in the WAL'")
    for suffix in ("", "-wal", "-shm"):
        shutil.copy(f"{place / 'groupx.db'}{suffix}", f"{place / 'killed.db'}{suffix}")
    conn.close()
    for suffix in ("", "-wal", "-shm"):
        os.replace(f"{place / 'killed.db'}{suffix}", f"{place / 'groupx.db'}{suffix}")
    if damaged:  # a header that is no database's, in the file and in its WAL
        for suffix in ("", "-wal"):
            file = Path(f"{place / 'groupx.db'}{suffix}")
            file.write_bytes(file.read_bytes().replace(b"SQLite format 3", b"SQLite format ?"))


def test_the_wal_of_a_killed_room_goes_with_it(place):
    """It would damage the new one, and it holds the newest of the old one."""
    leave_a_wal(place)
    run(place)
    assert b"only in the WAL" not in export_file(place / "groupx.db")
    assert b"only in the WAL" in export_file(place / KEPT)
    assert sorted(os.listdir(place)) == ["backup.db", "groupx.db", KEPT]


def test_a_damaged_one_is_kept_as_it_is_with_its_wal(place):
    leave_a_wal(place, damaged=True)
    before = [(place / f"groupx.db{suffix}").read_bytes() for suffix in ("", "-wal")]
    run(place)
    assert [(place / f"{KEPT}{suffix}").read_bytes() for suffix in ("", "-wal")] == before
    assert export_file(place / "groupx.db") == export_file(place / "backup.db")
    assert sorted(os.listdir(place)) == ["backup.db", "groupx.db", KEPT, f"{KEPT}-wal"]


def test_one_that_another_program_reads_is_not_replaced(place, monkeypatch):
    leave_a_wal(place)
    other = sqlite3.connect(place / "groupx.db", isolation_level=None)
    monkeypatch.setattr(sqlite3, "connect", partial(sqlite3.connect, timeout=0.05))
    other.execute("BEGIN")
    other.execute("SELECT * FROM rooms").fetchall()
    with pytest.raises(GroupXError) as caught:
        run(place)
    other.close()
    assert caught.value.code == "STORE_BUSY"
    assert b"only in the WAL" in export_file(place / "groupx.db")
    assert not (place / KEPT).exists()


def cut_short(place, at, how):
    """A restore in a child that at its `at`-th touch of a file is killed, or told EIO: its end."""
    touches = 0

    def hook(event, args):
        nonlocal touches
        if event in TOUCHES and "groupx.db" in f"{args[0]}":
            touches += 1
            if touches == at:
                if how == "killed":
                    os._exit(9)
                raise OSError(errno.EIO, "Input/output error")

    child = os.fork()
    if child == 0:
        ended = 1
        try:
            exchange = restoring._exchange

            def watched(*given):
                sys.addaudithook(hook)
                return exchange(*given)

            restoring._exchange = watched
            run(place)
            ended = 0
        except GroupXError:
            ended = 5
        finally:
            os._exit(ended)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


TOUCHES = {"open", "os.rename", "os.remove", "os.link", "sqlite3.connect", "shutil.copyfile"}


@pytest.mark.slow
@pytest.mark.parametrize("how", ["killed", "EIO"])
@pytest.mark.parametrize("damaged", [False, True], ids=["whole", "damaged"])
def test_cut_short_anywhere_there_is_the_old_one_or_the_new_one(place, how, damaged, tmp_path):
    leave_a_wal(place, damaged=damaged)
    names = ("", "-wal")
    old = [(place / f"groupx.db{suffix}").read_bytes() for suffix in names]
    restored = export_file(place / "backup.db")
    since = None
    if not damaged:
        shutil.copytree(place, place / "other")
        since = export_file(place / "other" / "groupx.db")
        shutil.rmtree(place / "other")
    for at in range(1, 60):
        room = tmp_path / f"cut-{at}"
        room.mkdir()
        for name in ("backup.db", "groupx.db", "groupx.db-wal", "groupx.db-shm"):
            shutil.copy(place / name, room / name)
        ended = cut_short(room, at, how)
        if ended == 0 and not (how == "EIO" and at < 12):
            break
        assert ended in ({9} if how == "killed" else {0, 5})
        now = {name: (room / name).read_bytes() for name in os.listdir(room) if "groupx" in name}
        kept = [now.get(f"{KEPT}{suffix}") for suffix in names]
        there = [now.get(f"groupx.db{suffix}") for suffix in names]
        if damaged:
            if there[0] == old[0]:
                assert there[1] == old[1] or kept == old
                assert how == "killed" or there[1] == old[1]
            else:
                assert export_file(room / "groupx.db") == restored
                assert kept == old
            assert kept[0] is None or kept == old
        else:
            found = export_file(room / "groupx.db")
            assert found in {since, restored}
            assert found == since or kept[0] is not None
            assert kept[0] is None or export_file(room / KEPT) == since
            assert how == "killed" or found == restored or kept[0] is None
        if how == "EIO":
            assert not [name for name in now if name.startswith(".") and ".part" in name]
    assert at > 8


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
