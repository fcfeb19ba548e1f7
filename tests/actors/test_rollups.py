"""Dated memory on virtual time: when agents write it, and what becomes of it when they cannot."""

from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from itertools import pairwise
from typing import Any

import pytest
import trio
import trio.testing

from groupx.actors.messages import Read, Write
from groupx.actors.rollup_scheduler import RollupPorts, RollupSchedulerActor
from groupx.actors.side_sessions import AT_ONCE, SideAnswer, SideFailure
from groupx.domain.compaction import SwapCheckpoint
from groupx.domain.ids import MAIN_ROOM, ActorId
from groupx.domain.rollup import ASSIGNMENT
from groupx.domain.roster import AgentState
from groupx.store.queries.compaction import standing
from groupx.store.queries.rollups import batch_pairs
from groupx.store.transactions.checkpoint import swap_checkpoint
from tests.actors.fakes import Room, answers, open_room

A, B, C = ActorId("agent:a"), ActorId("agent:b"), ActorId("agent:c")
NOTHING = "NOTHING WORTH KEEPING"
MINUTE = 60


class Side:
    """What programs answer beside the room; what they were asked, by whom, and how many at once."""

    def __init__(self, script: Callable[[], Awaitable[str]] | None = None) -> None:
        self.script = script
        self.asked: list[tuple[ActorId, str]] = []
        self.at_once = self.most = 0

    async def ask(self, actor_id: ActorId, text: str) -> SideAnswer:
        assert text.startswith(ASSIGNMENT)
        self.asked.append((actor_id, text))
        self.at_once += 1
        self.most = max(self.most, self.at_once)
        try:
            await trio.sleep(5)
            answer = f"memory {len(self.asked)}" if self.script is None else await self.script()
            return SideAnswer(text=answer)
        finally:
            self.at_once -= 1

    @property
    def by(self) -> list[ActorId]:
        return [actor_id for actor_id, _ in self.asked]


def scheduler(room: Room, store: Any = None) -> RollupSchedulerActor:
    return RollupSchedulerActor(
        RollupPorts(
            store=store or room.store,
            side=room,
            directory=room.directory,
            bell=room.writer.completed,
            entropy=room.random.randbytes,
            now_ms=room.now_ms,
            local_date=lambda: room.local_date,
        )
    )


@asynccontextmanager
async def rolling(
    tmp_path, *names: str, side: Side | None = None
) -> AsyncIterator[tuple[Room, Side]]:
    side = side or Side()
    async with open_room(tmp_path, *(names or ("a",))) as room:
        room.side = side
        for program in room.programs.values():
            program.script = answers
        room.nursery.start_soon(scheduler(room).run)
        await trio.testing.wait_all_tasks_blocked()
        yield room, side


async def turns(room: Room, count: int, *to: ActorId, content: str = "hello") -> None:
    for _ in range(count):
        await room.ended(*await room.send(*(to or (A,)), content=content))


def records(room: Room) -> list[tuple[str, str, str]]:
    return room.rows(
        "SELECT scope_id, status, content FROM memory_records"
        " WHERE agent_memory_type = 'dated' ORDER BY rowid"
    )


def waiting(room: Room) -> int:
    return sum(n for (n,) in room.rows("SELECT pending_turns FROM agent_dated_memory_rollups"))


# --- when -----------------------------------------------------------------------------------------


async def test_eight_turns_wait_for_five_quiet_minutes(autojump_clock, tmp_path):
    async with rolling(tmp_path) as (room, side):
        await turns(room, 8)
        await trio.sleep(4 * MINUTE)
        assert side.asked == []
        await turns(room, 1)
        await trio.sleep(4.8 * MINUTE)
        assert side.asked == []
        await trio.sleep(2 * MINUTE)
        assert records(room) == [(A, "active", "memory 1")]
        assert waiting(room) == 0


async def test_so_do_many_characters_and_fewer_of_both_wait_for_the_day_to_end(
    autojump_clock, tmp_path
):
    async with rolling(tmp_path) as (room, side):
        await turns(room, 2)
        await trio.sleep(60 * MINUTE)
        assert side.asked == []
        await turns(room, 1, content="x" * 16_000)
        await trio.sleep(7 * MINUTE)
        assert len(side.asked) == 1


async def test_midnight_needs_no_turn_and_no_quiet(autojump_clock, tmp_path):
    async with rolling(tmp_path) as (room, side):
        await turns(room, 1)
        room.local_date = "2026-02-03"
        await trio.sleep(MINUTE + 6)
        assert len(side.asked) == 1
        await turns(room, 1)
        await trio.sleep(60 * MINUTE)
        assert len(side.asked) == 1
        days = room.rows("SELECT local_date, pending_turns FROM agent_dated_memory_rollups")
        assert days == [("2026-02-02", 0), ("2026-02-03", 1)]


@pytest.mark.parametrize("hours", [-30, 30])
async def test_a_clock_that_jumps_is_noticed_within_a_minute(autojump_clock, tmp_path, hours):
    async with rolling(tmp_path) as (room, side):
        await turns(room, 8)
        room.jumped_ms = hours * 3_600_000
        await trio.sleep(MINUTE + 6)
        assert len(side.asked) == 1


async def test_a_checkpoint_that_passes_a_source_is_reason_enough(autojump_clock, tmp_path):
    async with rolling(tmp_path) as (room, _):
        await turns(room, 1)
        now = await room.store.ask(Read(standing, MAIN_ROOM))
        swap = SwapCheckpoint(
            room_id=MAIN_ROOM, previous_id=None, from_seq=1, through_seq=now.newest_seq,
            read_seq=now.newest_seq, content="so far", generator_actor_id=A, prompt_characters=9,
        )  # fmt: skip
        await room.store.ask(Write(swap_checkpoint, swap))
        room.writer.completed.ring()
        await trio.sleep(6)
        assert records(room) == [(A, "active", "memory 1")]


async def test_nobody_looks_while_nothing_waits(autojump_clock, tmp_path):
    async with rolling(tmp_path) as (room, side):
        looks: list[str] = []
        room.conn.set_trace_callback(looks.append)
        await trio.sleep(24 * 60 * MINUTE)
        assert [sql for sql in looks if "rollups" in sql] == []
        room.conn.set_trace_callback(None)
        assert side.asked == []


# --- by whom --------------------------------------------------------------------------------------


async def test_each_writes_its_own_and_one_place_is_left_for_the_room(autojump_clock, tmp_path):
    async with rolling(tmp_path, "a", "b", "c") as (room, side):
        await turns(room, 1, A, B, C)
        room.local_date = "2026-02-03"
        await trio.sleep(2 * MINUTE)
        assert sorted(side.by) == [A, B, C]
        assert side.most == 1 < AT_ONCE
        assert sorted(row[0] for row in records(room)) == [A, B, C]
        for actor_id, prompt in side.asked:
            assert f"you: {actor_id}\n" in prompt


async def test_one_batch_of_an_agent_at_a_time_day_after_day(autojump_clock, tmp_path):
    async with rolling(tmp_path) as (room, side):
        await room.control(A, "stop")
        await room.until(lambda: room.directory.view(A).state is AgentState.STOPPED)
        for date in ("2026-02-02", "2026-02-03"):
            room.local_date = date
            await room.control(A, "start")
            await room.until(lambda: room.directory.view(A).state is AgentState.IDLE)
            await turns(room, 1)
        room.local_date = "2026-02-05"
        await trio.sleep(3 * MINUTE)
        assert side.most == 1
        days = [prompt.split("day: ")[1][:10] for _, prompt in side.asked]
        assert days == ["2026-02-02", "2026-02-03"]


async def test_an_owner_that_is_not_there_is_waited_for_and_nobody_else_writes(
    autojump_clock, tmp_path
):
    async with rolling(tmp_path, "a", "b") as (room, side):
        await turns(room, 1)
        await room.control(A, "stop")
        await room.until(lambda: room.directory.view(A).state is AgentState.STOPPED)
        room.local_date = "2026-02-03"
        await trio.sleep(60 * MINUTE)
        assert (side.asked, waiting(room)) == ([], 1)
        await room.control(A, "start")
        await trio.sleep(2 * MINUTE)
        assert (side.by, waiting(room)) == ([A], 0)


# --- when it goes wrong ---------------------------------------------------------------------------


async def test_what_is_no_answer_is_tried_again_ever_later(autojump_clock, tmp_path):
    asked: list[float] = []

    async def script() -> str:
        asked.append(trio.current_time())
        if len(asked) == 1:
            raise SideFailure("ADAPTER_START_FAILED", "it did not start", transient=True)
        return "" if len(asked) < 4 else "at last"

    async with rolling(tmp_path, side=Side(script)) as (room, _):
        await turns(room, 1)
        room.local_date = "2026-02-03"
        await trio.sleep(30 * MINUTE)
        gaps = [later - sooner for sooner, later in pairwise(asked)]
        assert [gap >= minutes * MINUTE for gap, minutes in zip(gaps, (1, 2, 4), strict=True)] == [
            True, True, True,
        ]  # fmt: skip
        assert records(room) == [(A, "active", "at last")]
        [turn] = room.rows("SELECT status FROM turns")
        assert turn == ("completed",)


async def days_of_one_turn(room: Room, *dates: str) -> None:
    """A turn on each of them, while nobody may write about them."""
    for actor_id in room.programs:
        for date in dates:
            room.local_date = date
            await turns(room, 1, actor_id)


DATES = ("2026-02-01", "2026-02-02", "2026-02-03", "2026-02-04", "2026-02-05")


@pytest.mark.parametrize("count", [1, 5])
async def test_an_owner_whose_answers_never_count_is_asked_as_often_for_many_days_as_for_one(
    autojump_clock, tmp_path, count
):
    """At 1, 2, 4, 8, 16 and 32 minutes after the first, and then hourly."""

    async def script() -> str:
        return ""

    async with open_room(tmp_path, "a") as room:
        room.side = side = Side(script)
        room.programs[A].script = answers
        await days_of_one_turn(room, *DATES[:count])
        room.local_date = "2026-02-06"
        room.nursery.start_soon(scheduler(room).run)
        await trio.sleep(24 * 60 * MINUTE)
        assert len(side.asked) == 7 + 22
        assert waiting(room) == count
        written = Counter(prompt.split("day: ")[1][:10] for _, prompt in side.asked)
        assert len(written) == count


async def test_one_day_of_which_nothing_comes_keeps_neither_other_days_nor_others_back(
    autojump_clock, tmp_path
):
    class Choosy(Side):
        async def ask(self, actor_id: ActorId, text: str) -> SideAnswer:
            answer = await super().ask(actor_id, text)
            return SideAnswer(text="") if f"day: {DATES[0]}" in text else answer

    async with open_room(tmp_path, "a", "b") as room:
        room.side = side = Choosy()
        for program in room.programs.values():
            program.script = answers
        await days_of_one_turn(room, *DATES[:3])
        room.local_date = "2026-02-06"
        room.nursery.start_soon(scheduler(room).run)
        await trio.sleep(5 * MINUTE)
        assert waiting(room) == 2
        assert Counter(row[0] for row in records(room)) == {A: 2, B: 2}
        assert set(side.by) == {A, B}


async def test_what_an_answer_took_is_measured_although_nothing_comes_of_it(
    autojump_clock, tmp_path
):
    async def useless() -> str:
        return ""

    async def late() -> str:
        room.conn.execute("UPDATE agent_dated_memory_rollups SET last_attempt_at = 'another'")
        return "a memory"

    for script in (useless, late):
        side = Side(script)
        async with rolling(tmp_path, side=side) as (room, _):
            await turns(room, 1)
            room.local_date = "2026-02-03"
            await room.until(lambda side=side: len(side.asked) == 1)
            await trio.sleep(6)
            assert records(room) == []
            [(_, prompt)] = side.asked
            assert room.rows(
                "SELECT actor_id, characters FROM context_usage WHERE source = 'rollup'"
            ) == [(A, len(prompt))]


class Pruning:
    """A store whose room is pruned just before a batch of it is read."""

    def __init__(self, room: Room) -> None:
        self._room = room
        self.pruned = False

    async def ask(self, request: Any) -> Any:
        if isinstance(request, Read) and request.run is batch_pairs and not self.pruned:
            self.pruned = True
            prune(self._room)
        return await self._room.store.ask(request)


def prune(room: Room) -> None:
    for table in ("sources", "rollups"):
        room.conn.execute(f"DELETE FROM agent_dated_memory_{table}")


@pytest.mark.parametrize("when", ["before it is read", "before it is answered"])
async def test_a_room_that_is_pruned_under_a_batch_ends_it_and_nothing_else(
    autojump_clock, tmp_path, when
):
    async def script() -> str:
        prune(room)
        return "too late"

    async with open_room(tmp_path, "a") as room:
        early = when == "before it is read"
        room.side = side = Side(None if early else script)
        room.programs[A].script = answers
        store = Pruning(room) if early else room.store
        room.nursery.start_soon(scheduler(room, store).run)
        await turns(room, 1)
        room.local_date = "2026-02-03"
        await trio.sleep(5 * MINUTE)
        assert len(side.asked) == (not early)
        assert records(room) == []
        side.script = None
        await turns(room, 1)
        room.local_date = "2026-02-04"
        await trio.sleep(5 * MINUTE)
        assert len(records(room)) == 1


async def test_nothing_worth_keeping_makes_no_record(autojump_clock, tmp_path):
    async def script() -> str:
        return NOTHING

    async with rolling(tmp_path, side=Side(script)) as (room, side):
        await turns(room, 1)
        room.local_date = "2026-02-03"
        await trio.sleep(30 * MINUTE)
        assert (len(side.asked), records(room), waiting(room)) == (1, [], 0)


async def test_a_record_that_is_taken_back_meanwhile_is_in_no_later_one(autojump_clock, tmp_path):
    async with rolling(tmp_path) as (room, side):
        await turns(room, 8)
        await trio.sleep(7 * MINUTE)
        await turns(room, 1)
        room.local_date = "2026-02-03"
        await room.until(lambda: len(side.asked) == 2)
        assert "memory 1" in side.asked[1][1]
        room.conn.execute("UPDATE memory_records SET status = 'retracted', retracted_at = 'now'")
        await trio.sleep(5 * MINUTE)
        assert "memory 1" not in side.asked[2][1]
        assert records(room) == [(A, "retracted", "memory 1"), (A, "active", "memory 3")]


@pytest.mark.parametrize("after", [0.0, 1.0, 4.999, 5.0])
async def test_it_ends_at_once_and_the_next_one_goes_on(autojump_clock, tmp_path, after):
    side = Side()
    async with open_room(tmp_path, "a") as room:
        room.side = side
        room.programs[A].script = answers
        await turns(room, 1)
        room.local_date = "2026-02-03"
        with trio.move_on_after(after) as scope:
            await scheduler(room).run()
        assert scope.cancelled_caught
        assert trio.current_time() - scope.deadline < 0.001
        room.nursery.start_soon(scheduler(room).run)
        await trio.sleep(2 * MINUTE)
        assert [row[1] for row in records(room)] == ["active"]
        assert waiting(room) == 0
        assert len(side.asked) <= 2
