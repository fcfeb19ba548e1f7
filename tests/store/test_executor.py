"""Groups, savepoints, bounds, faults and deadlines, without a thread or a loop."""

import functools
import itertools
import random
import sqlite3
from collections import deque
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groupx.domain.envelope import EventDraft
from groupx.domain.errors import ErrorCode, GroupXError, RecordedRefusal
from groupx.domain.ids import MAIN_ROOM, USER_WEB, ActorId, IdSource
from groupx.store import executor as executor_module
from groupx.store.connection import open_connection
from groupx.store.executor import MAX_GROUP_WRITES, PROBE_SECONDS, Executor, facts_of
from groupx.store.formats.chain import create_current
from groupx.store.jobs import ReadJob, WriteJob
from groupx.store.transaction import Transaction


@functools.cache
def empty_ledger() -> bytes:
    conn = open_connection(":memory:")
    create_current(conn, now_iso="t", database_id="d")
    image = conn.serialize()
    conn.close()
    return image


class Failing(sqlite3.Connection):
    """Raises `error` for the statement `at`, as a failing disk would."""

    at: str | None = None
    error = "disk I/O error"

    def execute(self, sql: str, *values: Any) -> sqlite3.Cursor:  # pyright: ignore
        if sql == self.at:
            raise sqlite3.OperationalError(self.error)
        return super().execute(sql, *values)


class Bench:
    """An executor on a database of its own, with a clock that moves only by hand."""

    def __init__(self, conn: sqlite3.Connection) -> None:
        self.conn = conn
        self.clock = 0.0
        self.statements: list[str] = []
        ids = IdSource(lambda: 1_770_000_000_000, random.Random(1).randbytes)
        self.executor = Executor(
            conn, ids=ids, now_ms=lambda: 1_770_000_000_000, seconds=lambda: self.clock
        )
        conn.set_trace_callback(self.statements.append)

    def run(self, *jobs: WriteJob) -> list[WriteJob]:
        waiting = deque(jobs)
        group = self.executor.write_group(waiting)
        assert not waiting
        return group

    def count(self, statement: str) -> int:
        return self.statements.count(statement)

    def stored(self) -> list[str]:
        rows = self.conn.execute("SELECT correlation_id FROM events ORDER BY seq")
        return [row[0] for row in rows]


def say(tx: Transaction, text: str) -> str:
    tx.emit(
        EventDraft(
            type="message.created",
            room_id=MAIN_ROOM,
            actor_id=USER_WEB,
            correlation_id=text,
            body={"content": text},
        )
    )
    tx.wake_lane(ActorId(f"agent:{text}"))
    return f"said {text}"


class OwnFault(Exception):
    pass


def say_and_fail(tx: Transaction, text: str) -> str:
    say(tx, text)
    raise OwnFault(text)


def job(text: str, run: Callable[[Transaction, str], Any] = say) -> WriteJob:
    return WriteJob(run=run, argument=text)


def code(done: WriteJob | ReadJob) -> ErrorCode:
    with pytest.raises(GroupXError) as caught:
        unwrap(done)
    return caught.value.code


def unwrap(done: WriteJob | ReadJob) -> Any:
    assert done.result is not None
    return done.result.unwrap()


@pytest.fixture
def bench() -> Iterator[Bench]:
    conn = open_connection(":memory:")
    conn.deserialize(empty_ledger())
    yield Bench(conn)
    conn.close()


@pytest.fixture
def failing() -> Iterator[Bench]:
    conn = sqlite3.connect(":memory:", isolation_level=None, factory=Failing)
    conn.deserialize(empty_ledger())
    yield Bench(conn)
    conn.close()


def test_a_group_is_one_commit(bench: Bench) -> None:
    group = bench.run(job("a"), job("b"), job("c"))
    assert [unwrap(done) for done in group] == ["said a", "said b", "said c"]
    assert bench.count("COMMIT") == 1
    assert bench.count("BEGIN IMMEDIATE") == 1
    assert bench.stored() == ["a", "b", "c"]


def test_the_facts_of_a_group_are_in_order(bench: Bench) -> None:
    facts = facts_of(bench.run(job("a"), job("x", say_and_fail), job("b")))
    assert facts is not None
    assert [frame.seq for frame in facts.frames] == [1, 2]
    assert facts.lanes == {"agent:a", "agent:b"}


def test_a_group_that_changed_nothing_has_no_facts(bench: Bench) -> None:
    assert facts_of(bench.run(job("a", lambda _tx, text: text))) is None


def test_a_failing_write_takes_back_only_itself(bench: Bench) -> None:
    first, failed, last = bench.run(job("a"), job("x", say_and_fail), job("b"))
    assert (unwrap(first), unwrap(last)) == ("said a", "said b")
    with pytest.raises(OwnFault):
        unwrap(failed)
    assert bench.stored() == ["a", "b"]
    assert bench.executor.fault is None


def test_a_refusal_that_is_on_record_keeps_what_it_wrote(bench: Bench) -> None:
    def refuse(tx: Transaction, text: str) -> str:
        say(tx, text)
        raise RecordedRefusal(ErrorCode.HOP_LIMIT_REACHED, text)

    group = bench.run(job("a"), job("x", refuse), job("y", say_and_fail), job("b"))
    assert code(group[1]) is ErrorCode.HOP_LIMIT_REACHED
    assert bench.stored() == ["a", "x", "b"]
    facts = facts_of(group)
    assert facts is not None
    assert [frame.seq for frame in facts.frames] == [1, 2, 3]
    assert facts.lanes == {"agent:a", "agent:x", "agent:b"}


def test_a_statement_that_fails_takes_back_only_its_write(bench: Bench) -> None:
    def break_rule(tx: Transaction, text: str) -> None:
        say(tx, text)
        tx.conn.execute("INSERT INTO groupx_schema VALUES (2, 1)")

    first, failed = bench.run(job("a"), job("x", break_rule))
    assert unwrap(first) == "said a"
    with pytest.raises(sqlite3.IntegrityError):
        unwrap(failed)
    assert bench.stored() == ["a"]


def test_a_group_has_a_greatest_size(bench: Bench) -> None:
    waiting = deque(job(str(number)) for number in range(MAX_GROUP_WRITES + 3))
    assert len(bench.executor.write_group(waiting)) == MAX_GROUP_WRITES
    assert len(bench.executor.write_group(waiting)) == 3
    assert bench.executor.stats.largest_group == MAX_GROUP_WRITES
    assert bench.executor.stats.groups == 2


def test_a_group_has_a_longest_time(bench: Bench) -> None:
    def slow(tx: Transaction, text: str) -> None:
        bench.clock += 0.006

    waiting = deque(job(str(number), slow) for number in range(5))
    assert [len(bench.executor.write_group(waiting)) for _ in range(3)] == [2, 2, 1]


def test_when_commit_fails_nobody_is_told_yes(failing: Bench) -> None:
    failing.conn.at = "COMMIT"  # pyright: ignore
    group = failing.run(job("a"), job("x", say_and_fail), job("b"))
    assert [code(done) for done in group] == [ErrorCode.STORE_UNAVAILABLE] * 3
    assert facts_of(group) is None
    assert failing.stored() == []
    fault = failing.executor.fault
    assert fault is not None
    assert "disk I/O error" in fault.message


def test_a_fault_refuses_writes_until_one_can_be_kept(failing: Bench) -> None:
    conn: Any = failing.conn
    conn.at = "COMMIT"
    failing.run(job("a"))
    conn.at = None
    (refused,) = failing.run(job("b"))
    assert code(refused) is ErrorCode.STORE_UNAVAILABLE
    read = ReadJob(run=lambda conn, _: conn.execute("SELECT 7").fetchone()[0], argument=None)
    failing.executor.read(read)
    assert unwrap(read) == 7
    failing.clock += PROBE_SECONDS
    (done,) = failing.run(job("c"))
    assert unwrap(done) == "said c"
    assert failing.executor.fault is None
    assert failing.stored() == ["c"]


def test_a_probe_that_fails_keeps_the_fault(failing: Bench) -> None:
    conn: Any = failing.conn
    conn.at = "COMMIT"
    failing.run(job("a"))
    conn.error = "database or disk is full"
    failing.clock += PROBE_SECONDS
    failing.executor.probe_if_due()
    assert failing.executor.fault is not None
    assert "disk is full" in failing.executor.fault.message
    assert not conn.in_transaction
    conn.at = None
    failing.executor.probe_if_due()
    assert failing.executor.fault is not None, "tried again too soon"
    failing.clock += PROBE_SECONDS
    failing.executor.probe_if_due()
    assert failing.executor.fault is None


def test_a_full_disk_loses_the_whole_group(bench: Bench) -> None:
    (pages,) = bench.conn.execute("PRAGMA page_count").fetchone()
    bench.conn.execute(f"PRAGMA max_page_count = {pages}")
    waiting = deque([job("a"), job("b" * 100_000), job("c")])
    lost = bench.executor.write_group(waiting)
    assert [code(done) for done in lost] == [ErrorCode.STORE_UNAVAILABLE] * 2
    refused = bench.executor.write_group(waiting)
    assert [code(done) for done in refused] == [ErrorCode.STORE_UNAVAILABLE]
    assert bench.stored() == []
    bench.conn.execute("PRAGMA max_page_count = 1000000")
    bench.clock += PROBE_SECONDS
    assert unwrap(bench.run(job("d"))[0]) == "said d"


@pytest.mark.parametrize("ending", ["COMMIT", "ROLLBACK"])
def test_a_write_that_ends_the_transaction_loses_the_group(bench: Bench, ending: str) -> None:
    def end(tx: Transaction, _text: str) -> None:
        tx.conn.execute(ending)

    group = bench.run(job("a"), job("x", end))
    assert [code(done) for done in group] == [ErrorCode.STORE_UNAVAILABLE] * 2
    assert facts_of(group) is None
    assert not bench.conn.in_transaction


def test_a_locked_database_is_busy_and_no_fault(tmp_path: Path) -> None:
    conn, other = (open_connection(tmp_path / "x.db") for _ in range(2))
    create_current(conn, now_iso="t", database_id="d")
    bench = Bench(conn)
    conn.execute("PRAGMA busy_timeout = 1")
    other.execute("BEGIN IMMEDIATE")
    group = bench.run(job("a"), job("b"))
    assert [code(done) for done in group] == [ErrorCode.STORE_BUSY] * 2
    assert bench.executor.fault is None
    other.execute("ROLLBACK")
    assert unwrap(bench.run(job("c"))[0]) == "said c"
    other.close()
    conn.close()


def ask(bench: Bench, sql: str) -> ReadJob:
    read = ReadJob(run=lambda conn, _: conn.execute(sql).fetchall(), argument=None)
    bench.executor.read(read)
    return read


@pytest.fixture
def damaged(tmp_path: Path) -> Iterator[Bench]:
    """Whole in its first pages, overwritten in those that hold the events."""
    path = tmp_path / "x.db"
    conn = open_connection(path)
    create_current(conn, now_iso="t", database_id="d")
    whole = Bench(conn)
    for number in range(20):
        whole.run(job(f"{number}" + "x" * 4_000))
    (root,) = conn.execute("SELECT rootpage FROM sqlite_master WHERE name = 'events'").fetchone()
    (size,) = conn.execute("PRAGMA page_size").fetchone()
    whole.executor.close()
    with path.open("r+b") as file:
        file.seek((root - 1) * size)
        file.write(b"\xee" * size)
    conn = open_connection(path)
    yield Bench(conn)
    conn.close()


READ_EVENTS = "SELECT body_json FROM events"


@pytest.mark.parametrize("by_reading", [False, True])
def test_damage_stays_until_the_next_start(damaged: Bench, by_reading: bool) -> None:
    first = ask(damaged, READ_EVENTS) if by_reading else damaged.run(job("a"))[0]
    assert code(first) is ErrorCode.STORE_UNAVAILABLE
    for _ in range(3):
        damaged.clock += PROBE_SECONDS
        damaged.executor.probe_if_due()
        (refused,) = damaged.run(job("b", lambda _tx, text: text))
        with pytest.raises(GroupXError, match="damaged") as caught:
            unwrap(refused)
        assert "keep a copy" in caught.value.message
        assert "by itself" not in caught.value.message
    assert damaged.executor.fault is not None
    assert not damaged.executor.is_healing
    assert damaged.count("COMMIT") == 0
    assert unwrap(ask(damaged, "SELECT actor_id FROM actors")), "what is whole can be read"


@pytest.mark.parametrize(
    ("number", "stops", "heals"),
    [
        (sqlite3.SQLITE_CORRUPT, True, False),
        (sqlite3.SQLITE_CORRUPT | 3 << 8, True, False),
        (sqlite3.SQLITE_NOTADB, True, False),
        (sqlite3.SQLITE_IOERR_READ, True, True),
        (sqlite3.SQLITE_CANTOPEN, False, True),
        (sqlite3.SQLITE_ERROR, False, True),
    ],
)
def test_what_a_failing_read_says_of_writing(
    bench: Bench, number: int, stops: bool, heals: bool
) -> None:
    def fail(_conn: sqlite3.Connection, _query: object) -> None:
        error = sqlite3.OperationalError("injected")
        error.sqlite_errorcode = number
        raise error

    bench.executor.read(ReadJob(run=fail, argument=None))
    assert (bench.executor.fault is not None) == stops
    bench.clock += PROBE_SECONDS
    (done,) = bench.run(job("a"))
    if heals:
        assert unwrap(done) == "said a"
    else:
        assert code(done) is ErrorCode.STORE_UNAVAILABLE


def test_a_later_fault_does_not_hide_the_damage(failing: Bench) -> None:
    conn: Any = failing.conn

    def corrupt(_tx: Transaction, _text: str) -> None:
        error = sqlite3.DatabaseError("database disk image is malformed")
        error.sqlite_errorcode = sqlite3.SQLITE_CORRUPT
        raise error

    failing.run(job("a", corrupt))
    full = sqlite3.OperationalError("disk I/O error")
    full.sqlite_errorcode = sqlite3.SQLITE_IOERR

    def fail(_conn: sqlite3.Connection, _query: object) -> None:
        raise full

    failing.executor.read(ReadJob(run=fail, argument=None))
    assert failing.executor.fault is not None
    assert "damaged" in failing.executor.fault.message
    assert conn.in_transaction is False


def endless(conn: sqlite3.Connection, _query: object) -> list[Any]:
    sql = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n"
    return conn.execute(sql).fetchall()


def test_a_read_that_takes_too_long_is_stopped(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    looks = iter(range(100))
    executor = Executor(
        bench.conn,
        ids=IdSource(lambda: 0, random.Random(1).randbytes),
        now_ms=lambda: 0,
        seconds=lambda: next(looks) / 100,
    )
    monkeypatch.setattr(executor_module, "_STEPS_PER_CHECK", 100)
    read = ReadJob(run=endless, argument=None, deadline_ms=50)
    executor.read(read)
    with pytest.raises(GroupXError, match="50 ms") as caught:
        unwrap(read)
    assert caught.value.code is ErrorCode.STORE_BUSY
    assert caught.value.details == {"retryAfter": 1}
    fine = ReadJob(run=lambda conn, q: conn.execute("SELECT ?", (q,)).fetchone(), argument=3)
    executor.read(fine)
    assert unwrap(fine) == (3,)


def short(conn: sqlite3.Connection, _query: object) -> list[Any]:
    numbers = "n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 100)"
    sql = f"WITH RECURSIVE {numbers} SELECT max(i) FROM n"
    return conn.execute(sql).fetchall()


@pytest.mark.parametrize(
    ("run", "work_per_look", "wall_per_look", "stopped"),
    [
        (short, 0.0, 0.001, False),
        (short, 0.0, 0.049, False),
        (short, 0.06, 0.0, True),
        (endless, 0.0, 0.1, True),
        (endless, 0.001, 0.0, True),
    ],
)
def test_the_deadline_counts_work_and_the_wall_clock_only_ends_what_does_not_end(
    bench: Bench,
    monkeypatch: pytest.MonkeyPatch,
    run: Any,
    work_per_look: float,
    wall_per_look: float,
    stopped: bool,
) -> None:
    wall, work = itertools.count(), itertools.count()
    executor = Executor(
        bench.conn,
        ids=IdSource(lambda: 0, random.Random(1).randbytes),
        now_ms=lambda: 0,
        seconds=lambda: next(wall) * wall_per_look,
        worked=lambda: next(work) * work_per_look,
    )
    monkeypatch.setattr(executor_module, "_STEPS_PER_CHECK", 200)
    read = ReadJob(run=run, argument=None, deadline_ms=50)
    executor.read(read)
    if stopped:
        with pytest.raises(GroupXError, match="STORE_BUSY"):
            unwrap(read)
    else:
        assert unwrap(read) == [(100,)]
    assert stopped or next(wall) > 3


def test_a_read_passes_on_what_its_function_raises(bench: Bench) -> None:
    def fail(_conn: sqlite3.Connection, _query: object) -> None:
        raise OwnFault

    read = ReadJob(run=fail, argument=None)
    bench.executor.read(read)
    with pytest.raises(OwnFault):
        unwrap(read)


def test_closing_moves_the_wal_into_the_file(tmp_path: Path) -> None:
    conn = open_connection(tmp_path / "x.db")
    create_current(conn, now_iso="t", database_id="d")
    bench = Bench(conn)
    bench.run(job("a"))
    bench.executor.close()
    assert [path.name for path in tmp_path.iterdir()] == ["x.db"]


@pytest.mark.slow
@given(st.lists(st.lists(st.booleans(), max_size=6), max_size=6))
def test_exactly_the_good_writes_are_there(groups: list[list[bool]]) -> None:
    conn = open_connection(":memory:")
    conn.deserialize(empty_ledger())
    bench = Bench(conn)
    expected: list[str] = []
    frames = 0
    for number, goods in enumerate(groups):
        texts = [f"{number}-{place}" for place in range(len(goods))]
        runs = [say if good else say_and_fail for good in goods]
        done = bench.run(*map(job, texts, runs))
        expected += [text for text, good in zip(texts, goods, strict=True) if good]
        facts = facts_of(done)
        frames += len(facts.frames) if facts else 0
    assert bench.stored() == expected
    assert frames == len(expected)
    conn.close()
