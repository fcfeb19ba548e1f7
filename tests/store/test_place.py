"""A database that is taken away under the open store: noticed before anything is promised."""

import os
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from outcome import Error

from groupx.domain.errors import GroupXError
from groupx.store.executor import LOOK_SECONDS, PROBE_SECONDS, Executor, facts_of
from groupx.store.jobs import WriteJob
from groupx.store.place import LeaseLost, Place
from groupx.store.transaction import Transaction
from tests.store.fault_bench import NOW, Bench, codes, ids, message, open_faulty, say


class PlacedBench(Bench):
    """In a folder of its own, with a lease that a test takes away."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir()
        self.path = folder / "x.db"
        self.conn = open_faulty(self.path)
        self.clock = 0.0
        self.lost: str | None = None
        self.executor = Executor(
            self.conn,
            ids=ids(),
            now_ms=lambda: NOW,
            seconds=lambda: self.clock,
            place=Place(self.path, lambda: self.lost),
        )

    def later(self) -> None:
        """An idle store has looked again."""
        self.clock += max(LOOK_SECONDS, PROBE_SECONDS)
        self.executor.look_if_due()

    @property
    def fault(self) -> GroupXError | None:
        return self.executor.fault


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[PlacedBench]:
    made = PlacedBench(tmp_path / "room")
    assert codes(made.submit(say("before"))) == ["done"]
    yield made
    made.executor.close()


def replace(file: Path) -> None:
    shutil.copy(file, file.with_name("copy"))
    os.link(file, file.with_name("kept"))
    os.replace(file.with_name("copy"), file)


def beside(path: Path, suffix: str) -> Path:
    return path.with_name(path.name + suffix)


def delete_all(path: Path) -> None:
    for suffix in ("", "-wal", "-shm"):
        beside(path, suffix).unlink()


AWAY: dict[str, Callable[[Path], object]] = {
    "all deleted": delete_all,
    "deleted": Path.unlink,
    "replaced": replace,
    "moved": lambda path: path.rename(path.with_name("y.db")),
    "its folder moved": lambda path: path.parent.rename(path.parent.with_name("other")),
    "its -wal deleted": lambda path: beside(path, "-wal").unlink(),
    "its -wal replaced": lambda path: replace(beside(path, "-wal")),
    "its -shm deleted": lambda path: beside(path, "-shm").unlink(),
}


@pytest.mark.parametrize("how", AWAY)
def test_nothing_is_promised_any_more(bench: PlacedBench, how: str) -> None:
    AWAY[how](bench.path)
    assert codes(bench.submit(say("one"), say("two"))) == ["STORE_UNAVAILABLE"] * 2
    bench.later()
    refused = bench.submit(say("three"))
    assert codes(refused) == ["STORE_UNAVAILABLE"]
    assert facts_of(refused) is None
    assert bench.fault is not None
    assert "removed, moved or replaced" in bench.fault.message
    assert bench.read("SELECT count(*) FROM turns") == [(2,)], "of the message before; read on"


@pytest.mark.parametrize("how", AWAY)
def test_an_idle_store_notices_it_too(bench: PlacedBench, how: str) -> None:
    bench.later()
    assert bench.fault is None
    AWAY[how](bench.path)
    bench.later()
    assert bench.fault is not None


@pytest.mark.parametrize("word", ["SAVEPOINT", "COMMIT"])
@pytest.mark.parametrize("how", AWAY)
def test_nor_when_it_happens_in_the_middle_of_a_group(
    bench: PlacedBench, how: str, word: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In the last moment too: after the look that comes before the COMMIT."""
    execute = type(bench.conn).execute
    away = [AWAY[how]]

    def taking(conn: sqlite3.Connection, sql: str, *values: object) -> sqlite3.Cursor:
        if away and sql.startswith(word):
            away.pop()(bench.path)
        return execute(bench.conn, sql, *values)

    monkeypatch.setattr(type(bench.conn), "execute", taking)
    group = bench.submit(say("one"), say("two"))
    assert not away
    assert codes(group) == ["STORE_UNAVAILABLE"] * 2
    assert facts_of(group) is None


def test_the_same_files_back_under_their_names_heal_it(bench: PlacedBench) -> None:
    room, other = bench.path.parent, bench.path.parent.with_name("other")
    room.rename(other)
    bench.later()
    assert bench.fault is not None
    shutil.copytree(other, room)
    bench.later()
    assert bench.fault is not None, "a copy is not the open file"
    shutil.rmtree(room)
    other.rename(room)
    bench.later()
    assert bench.fault is None
    assert codes(bench.submit(say("after"))) == ["done"]
    assert bench.kept() == ["before 2", "after 2"]


def test_at_the_stop_nobody_is_asked_to_try_again(bench: PlacedBench) -> None:
    bench.path.unlink()
    bench.later()
    for waits in (True, False):
        bench.executor.waits = waits
        [refused] = bench.submit(say("late"))
        assert isinstance(refused.result, Error)
        assert isinstance(refused.result.error, GroupXError)
        assert refused.result.error.details.get("ended", False) is not waits


def test_another_database_of_that_name_is_left_alone(bench: PlacedBench) -> None:
    bench.path.parent.rename(bench.path.parent.with_name("other"))
    other = PlacedBench(bench.path.parent)
    assert codes(other.submit(say("theirs"))) == ["done"]
    bench.executor.close()
    other.later()
    assert other.fault is None, "its -wal is still there"
    assert codes(other.submit(say("also theirs"))) == ["done"]
    assert other.kept() == ["theirs 2", "also theirs 2"]
    other.executor.close()


@pytest.mark.parametrize(
    ("how", "found"),
    [("its folder moved", "other/x.db"), ("its -wal deleted", "room/x.db")],
)
def test_what_was_promised_is_where_it_can_be_found(
    bench: PlacedBench, tmp_path: Path, how: str, found: str
) -> None:
    AWAY[how](bench.path)
    bench.submit(say("late"))
    bench.executor.close()
    bench.path = tmp_path / found
    assert bench.kept() == ["before 2"]


def test_a_copy_in_its_place_still_has_the_wal_it_needs(bench: PlacedBench) -> None:
    replace(bench.path)
    bench.submit(say("late"))
    bench.executor.close()
    assert bench.kept() == ["before 2"]


def test_a_lost_lease_ends_the_store_with_nothing_written(bench: PlacedBench) -> None:
    def lose(tx: Transaction, _: object) -> None:
        tx.conn.execute("UPDATE turns SET error_code = 'x'")
        bench.lost = "x.db.lock"

    with pytest.raises(LeaseLost, match=r"x\.db\.lock"):
        bench.submit(WriteJob(run=lose, argument=message("one")))
    with pytest.raises(LeaseLost):
        bench.later()
    bench.executor.close()
    other = sqlite3.connect(bench.path)
    assert other.execute("SELECT DISTINCT error_code FROM turns").fetchall() == [(None,)]
    other.close()


def test_a_lock_of_another_program_is_seen_until_it_is_over(bench: PlacedBench) -> None:
    bench.conn.execute("PRAGMA busy_timeout = 1")
    other = sqlite3.connect(bench.path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    assert not bench.executor.is_locked
    assert codes(bench.submit(say("one"))) == ["STORE_BUSY"]
    bench.conn.execute("PRAGMA busy_timeout = 60000")
    bench.later()
    assert bench.executor.is_locked, "and nobody waited for it"
    assert bench.fault is None
    other.execute("ROLLBACK")
    other.close()
    bench.later()
    assert not bench.executor.is_locked
    assert bench.conn.execute("PRAGMA busy_timeout").fetchone() == (60_000,)
    assert codes(bench.submit(say("one"))) == ["done"]


def test_a_wait_for_the_lock_is_seen_while_it_lasts(
    bench: PlacedBench, monkeypatch: pytest.MonkeyPatch
) -> None:
    execute = type(bench.conn).execute
    seen: list[bool] = []

    def slow(conn: sqlite3.Connection, sql: str, *values: object) -> sqlite3.Cursor:
        if sql == "BEGIN IMMEDIATE":
            seen.append(bench.executor.is_locked)
            bench.clock += 1
            seen.append(bench.executor.is_locked)
        return execute(bench.conn, sql, *values)

    monkeypatch.setattr(type(bench.conn), "execute", slow)
    assert codes(bench.submit(say("one"))) == ["done"]
    assert seen == [False, True]
    assert not bench.executor.is_locked
