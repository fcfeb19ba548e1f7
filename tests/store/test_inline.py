"""The store under virtual time: the same answers in the same order."""

import random
import sqlite3
from collections.abc import AsyncIterator

import pytest
import trio

from groupx.domain.commits import CommitFacts
from groupx.domain.envelope import EventDraft
from groupx.domain.errors import ErrorCode, GroupXError
from groupx.domain.ids import MAIN_ROOM, USER_WEB, ActorId, IdSource
from groupx.store.executor import PROBE_SECONDS
from groupx.store.inline import InlineStore
from groupx.store.opening import open_ledger
from groupx.store.transaction import Transaction


class Bench:
    def __init__(self) -> None:
        self.log: list[str] = []
        self.conn = open_ledger(":memory:", now_iso="t", database_id="d")
        self.store = InlineStore(
            lambda: self.conn,
            ids=IdSource(lambda: 1_770_000_000_000, random.Random(1).randbytes),
            now_ms=lambda: 1_770_000_000_000,
            on_commit=self.on_commit,
        )

    def on_commit(self, facts: CommitFacts) -> None:
        self.log += [f"frame {frame.seq}" for frame in facts.frames]
        self.log += [f"wake {lane}" for lane in sorted(facts.lanes)]

    async def say(self, text: str) -> None:
        await self.store.write(say, text)
        self.log.append(f"answered {text}")


def say(tx: Transaction, text: str) -> int | None:
    draft = EventDraft(
        type="message.created",
        room_id=MAIN_ROOM,
        actor_id=USER_WEB,
        correlation_id=text,
        body={"content": text},
    )
    tx.wake_lane(ActorId(f"agent:{text}"))
    return tx.emit(draft).seq


def say_and_fail(tx: Transaction, text: str) -> None:
    say(tx, text)
    raise ZeroDivisionError


def count(conn: sqlite3.Connection, _query: object) -> int:
    return conn.execute("SELECT count(*) FROM events").fetchone()[0]


@pytest.fixture
async def bench() -> AsyncIterator[Bench]:
    made = Bench()
    await made.store.start()
    yield made
    await made.store.aclose()


async def test_the_commit_is_told_before_the_answer(bench: Bench) -> None:
    await bench.say("a")
    assert bench.log == ["frame 1", "wake agent:a", "answered a"]
    assert bench.store.stats.groups == 1


async def test_a_failing_write_leaves_nothing(bench: Bench) -> None:
    with pytest.raises(ZeroDivisionError):
        await bench.store.write(say_and_fail, "x")
    assert await bench.store.read(count, None) == 0
    assert bench.log == []


async def test_a_caller_that_was_cancelled_before_submits_nothing(bench: Bench) -> None:
    with trio.CancelScope() as scope:
        scope.cancel()
        await bench.say("a")
    assert await bench.store.read(count, None) == 0


async def test_a_fault_heals_in_virtual_time(bench: Bench, autojump_clock: object) -> None:
    (pages,) = bench.conn.execute("PRAGMA page_count").fetchone()
    bench.conn.execute(f"PRAGMA max_page_count = {pages}")
    for _ in range(2):
        with pytest.raises(GroupXError) as caught:
            await bench.say("b" * 100_000)
        assert caught.value.code is ErrorCode.STORE_UNAVAILABLE
    bench.conn.execute("PRAGMA max_page_count = 1000000")
    assert bench.store.fault is not None
    await trio.sleep(PROBE_SECONDS)
    await bench.say("c")
    assert bench.store.fault is None


async def test_a_closed_store_refuses(bench: Bench) -> None:
    await bench.store.aclose()
    for call in (bench.say("a"), bench.store.read(count, None)):
        with pytest.raises(GroupXError, match="is closed"):
            await call


async def test_a_store_before_its_start_refuses() -> None:
    bench = Bench()
    with pytest.raises(GroupXError, match="not open yet"):
        await bench.say("a")
    bench.conn.close()
