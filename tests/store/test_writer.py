"""The store's thread: real time, real files; tests wait for events, never for the clock."""

import random
import sqlite3
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import trio
import trio.testing

from groupx.domain.commits import CommitFacts
from groupx.domain.envelope import EventDraft
from groupx.domain.errors import ErrorCode, GroupXError
from groupx.domain.ids import MAIN_ROOM, USER_WEB, IdSource
from groupx.store import executor as executor_module
from groupx.store.opening import open_ledger
from groupx.store.transaction import Transaction
from groupx.store.writer import StoreThread


class Failing(sqlite3.Connection):
    """Raises for every COMMIT while `broken`."""

    broken = False

    def execute(self, sql: str, *values: Any) -> sqlite3.Cursor:  # pyright: ignore
        if self.broken and sql == "COMMIT":
            raise sqlite3.OperationalError("disk I/O error")
        return super().execute(sql, *values)


class Bench:
    """A running store, what it committed, and a gate that holds its thread in a read."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.commits = 0
        self.log: list[str] = []
        self.gate = threading.Event()
        self.entered = threading.Event()
        self.conn: Any = None
        self.store = StoreThread(
            self._open,
            ids=IdSource(lambda: 1_770_000_000_000, random.Random(1).randbytes),
            now_ms=lambda: 1_770_000_000_000,
            on_commit=self.on_commit,
        )

    def _open(self) -> sqlite3.Connection:
        open_ledger(self.path, now_iso="t", database_id="d").close()
        self.conn = sqlite3.connect(self.path, isolation_level=None, factory=Failing)
        self.conn.set_trace_callback(self._count)
        return self.conn

    def _count(self, statement: str) -> None:
        self.commits += statement == "COMMIT"

    def on_commit(self, facts: CommitFacts) -> None:
        self.log += [f"frame {frame.seq}" for frame in facts.frames]

    async def say(self, text: str) -> None:
        await self.store.write(say, text)
        self.log.append(f"answered {text}")

    async def held(
        self,
        submit: Callable[[trio.Nursery], None],
        meanwhile: Callable[[], None] = lambda: None,
    ) -> None:
        """Hold the thread while `submit` starts tasks; once all wait for it, `meanwhile`."""
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self.store.read, self._hold, None)
            await trio.to_thread.run_sync(self.entered.wait)
            submit(nursery)
            await trio.testing.wait_all_tasks_blocked()
            meanwhile()
            self.gate.set()

    def _hold(self, _conn: sqlite3.Connection, _query: object) -> None:
        self.entered.set()
        self.gate.wait()


def say(tx: Transaction, text: str) -> int | None:
    draft = EventDraft(
        type="message.created",
        room_id=MAIN_ROOM,
        actor_id=USER_WEB,
        correlation_id=text,
        body={"content": text},
    )
    return tx.emit(draft).seq


def stored(conn: sqlite3.Connection, _query: object) -> list[str]:
    return [row[0] for row in conn.execute("SELECT correlation_id FROM events ORDER BY seq")]


def endless(conn: sqlite3.Connection, _query: object) -> Any:
    sql = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n"
    return conn.execute(sql).fetchone()


class OwnFault(Exception):
    pass


def say_and_fail(tx: Transaction, text: str) -> None:
    say(tx, text)
    raise OwnFault


@pytest.fixture
async def bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    # A busy machine must not split a group; test_executor.py moves the clock by hand.
    monkeypatch.setattr(executor_module, "MAX_GROUP_SECONDS", 60.0)
    made = Bench(tmp_path / "x.db")
    await made.store.start()
    yield made
    await made.store.aclose()


async def test_what_waits_is_committed_together(bench: Bench) -> None:
    def submit(nursery: trio.Nursery) -> None:
        for number in range(5):
            nursery.start_soon(bench.say, str(number))

    await bench.held(submit)
    assert bench.commits == 1
    assert bench.store.stats.largest_group == 5
    assert sorted(await bench.store.read(stored, None)) == list("01234")


async def test_commits_are_told_before_anyone_is_answered(bench: Bench) -> None:
    def submit(nursery: trio.Nursery) -> None:
        for text in "abc":
            nursery.start_soon(bench.say, text)

    await bench.held(submit)
    assert bench.log[:3] == ["frame 1", "frame 2", "frame 3"]
    assert sorted(bench.log[3:]) == ["answered a", "answered b", "answered c"]


async def test_a_failing_write_fails_only_its_caller(bench: Bench) -> None:
    failures: list[str] = []

    async def fail(text: str) -> None:
        try:
            await bench.store.write(say_and_fail, text)
        except OwnFault:
            failures.append(text)

    def submit(nursery: trio.Nursery) -> None:
        nursery.start_soon(bench.say, "a")
        nursery.start_soon(fail, "x")
        nursery.start_soon(bench.say, "b")

    await bench.held(submit)
    assert failures == ["x"]
    assert sorted(await bench.store.read(stored, None)) == ["a", "b"]


async def test_a_cancelled_caller_still_waits_for_its_outcome(bench: Bench) -> None:
    scope = trio.CancelScope()

    async def caller() -> None:
        with scope:
            await bench.say("a")

    await bench.held(lambda nursery: nursery.start_soon(caller), meanwhile=scope.cancel)
    assert bench.log == ["frame 1", "answered a"]
    assert await bench.store.read(stored, None) == ["a"]


async def test_a_caller_that_was_cancelled_before_submits_nothing(bench: Bench) -> None:
    with trio.CancelScope() as scope:
        scope.cancel()
        await bench.say("a")
    assert scope.cancelled_caught
    assert await bench.store.read(stored, None) == []


async def test_a_full_queue_makes_callers_wait(bench: Bench) -> None:
    bench.store._slots = trio.Semaphore(3)  # pyright: ignore
    pending: list[int] = []

    def submit(nursery: trio.Nursery) -> None:
        for number in range(6):
            nursery.start_soon(bench.say, str(number))

    await bench.held(submit, meanwhile=lambda: pending.append(bench.store.pending))
    assert pending == [3]
    assert len(await bench.store.read(stored, None)) == 6


async def test_a_read_is_stopped_at_its_deadline(bench: Bench) -> None:
    with pytest.raises(GroupXError) as caught:
        await bench.store.read(endless, None, deadline_ms=5)
    assert caught.value.code is ErrorCode.STORE_BUSY
    await bench.say("still here")


async def test_a_write_waits_for_one_slow_read_at_most(bench: Bench) -> None:
    order: list[str] = []

    async def read() -> None:
        with pytest.raises(GroupXError):
            await bench.store.read(endless, None, deadline_ms=5)
        order.append("read")

    async def write() -> None:
        await bench.store.write(say, "a")
        order.append("write")

    def submit(nursery: trio.Nursery) -> None:
        for _ in range(4):
            nursery.start_soon(read)
        nursery.start_soon(write)

    await bench.held(submit)
    assert order.index("write") <= 1


async def test_a_read_waits_for_one_group_at_most(bench: Bench) -> None:
    groups: list[int] = []

    async def write(number: int) -> None:
        for again in range(5):
            await bench.store.write(say, f"{number}-{again}")

    async def read() -> None:
        await bench.store.read(stored, None)
        groups.append(bench.store.stats.groups)

    def submit(nursery: trio.Nursery) -> None:
        nursery.start_soon(read)
        for number in range(3):
            nursery.start_soon(write, number)

    await bench.held(submit)
    assert groups[0] <= 2


async def test_a_lost_commit_is_a_fault_that_heals(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(executor_module, "PROBE_SECONDS", 0.01)
    bench.conn.broken = True
    with pytest.raises(GroupXError) as caught:
        await bench.say("a")
    assert caught.value.code is ErrorCode.STORE_UNAVAILABLE
    assert bench.store.fault is not None
    assert bench.log == []
    assert await bench.store.read(stored, None) == []
    bench.conn.broken = False
    while bench.store.fault is not None:
        await bench.store.read(stored, None)
    await bench.say("b")
    assert await bench.store.read(stored, None) == ["b"]


async def test_closing_finishes_what_waits_and_refuses_the_rest(bench: Bench) -> None:
    nurseries: list[trio.Nursery] = []

    def submit(nursery: trio.Nursery) -> None:
        nurseries.append(nursery)
        for text in "ab":
            nursery.start_soon(bench.say, text)

    await bench.held(submit, meanwhile=lambda: nurseries[0].start_soon(bench.store.aclose))
    assert sorted(bench.log[2:]) == ["answered a", "answered b"]
    with pytest.raises(GroupXError) as caught:
        await bench.say("c")
    assert caught.value.code is ErrorCode.STORE_UNAVAILABLE
    assert [path.name for path in bench.path.parent.iterdir()] == ["x.db"]
    await bench.store.aclose()


async def test_a_caller_before_the_start_is_refused(tmp_path: Path) -> None:
    bench = Bench(tmp_path / "x.db")
    with pytest.raises(GroupXError, match="not open yet"):
        await bench.say("a")
    await bench.store.aclose()


async def test_what_the_opener_raises_the_start_raises(tmp_path: Path) -> None:
    (tmp_path / "x.db").write_text("this is no database, only a text that looks like nothing")
    bench = Bench(tmp_path / "x.db")
    with pytest.raises(GroupXError) as caught:
        await bench.store.start()
    assert caught.value.code is ErrorCode.SCHEMA_MISMATCH
    await bench.store.aclose()


async def test_a_crash_of_the_thread_is_seen_and_answered(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    def crash(*_: object) -> Any:
        raise ZeroDivisionError

    monkeypatch.setattr(executor_module.Executor, "write_group", crash)
    with pytest.raises(GroupXError) as caught:
        await bench.say("a")
    assert caught.value.code is ErrorCode.STORE_UNAVAILABLE
    await bench.store.died.wait()
    assert isinstance(bench.store.death, ZeroDivisionError)
    with pytest.raises(GroupXError):
        await bench.store.read(stored, None)


async def test_a_crash_of_the_listener_is_seen_and_the_caller_answered(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    def crash(_facts: CommitFacts) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(bench.store, "_on_commit", crash)
    await bench.say("a")
    await bench.store.died.wait()
    assert isinstance(bench.store.death, ZeroDivisionError)


@pytest.mark.slow
async def test_many_callers_lose_and_double_nothing(bench: Bench) -> None:
    failed: list[str] = []

    async def caller(name: str) -> None:
        for number in range(20):
            text = f"{name}-{number}"
            if number % 3:
                await bench.say(text)
                continue
            try:
                await bench.store.write(say_and_fail, text)
            except OwnFault:
                failed.append(text)

    async with trio.open_nursery() as nursery:
        for name in range(16):
            nursery.start_soon(caller, str(name))
    kept = await bench.store.read(stored, None)
    assert len(kept) == len(set(kept)) == 16 * 13
    assert len(failed) == 16 * 7
    assert not set(kept) & set(failed)
    assert [line for line in bench.log if line.startswith("frame")] == [
        f"frame {seq}" for seq in range(1, len(kept) + 1)
    ]
    assert bench.store.pending == 0
