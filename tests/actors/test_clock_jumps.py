"""The clock on the wall is moved in the middle of a turn: nothing is measured by it."""

import re
from datetime import datetime

import pytest
import trio

from groupx.actors.messages import Read
from groupx.domain.ids import ActorId
from groupx.domain.limits import Timeouts
from groupx.domain.pages import HistoryQuery
from groupx.domain.roster import AgentState
from groupx.store.queries.history import history
from tests.actors.fakes import answers, open_room

A = ActorId("agent:a")
HOUR_MS, DAY_MS = 3_600_000, 86_400_000
JUMPS = pytest.mark.parametrize("jump", [-400 * DAY_MS, -HOUR_MS, HOUR_MS, 400 * DAY_MS])
TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")


@JUMPS
async def test_time_outs_do_not_see_it(jumping_clock, tmp_path, jump) -> None:
    timeouts = Timeouts(first_event=100_000, idle=200_000, cancel=10_000)
    async with open_room(tmp_path, "a", timeouts=timeouts) as room:
        room.programs[A].confirms_cancel = False

        async def turn_with(*events: str) -> tuple[str, float]:
            """(error code, seconds) of a turn in which the clock jumps after 50 seconds."""
            [turn] = await room.send(A)
            prompt = await room.programs[A].next_prompt()
            began = trio.current_time()
            if "speaks" in events:
                prompt.say("half")
            await trio.sleep(50)
            room.jumped_ms += jump
            if "cancelled" in events:
                began = trio.current_time()
                await room.cancel(turn)
            await room.ended(turn)
            return room.turn(turn)[1], trio.current_time() - began

        code, seconds = await turn_with()
        assert (code, int(seconds)) == ("TURN_FIRST_EVENT_TIMEOUT", 110)
        code, seconds = await turn_with("speaks")
        assert (code, int(seconds)) == ("TURN_IDLE_TIMEOUT", 210)
        code, seconds = await turn_with("speaks", "cancelled")
        assert (code, int(seconds)) == ("TURN_CANCEL_TIMEOUT", 10)


@JUMPS
async def test_order_is_by_seq_and_times_are_what_the_clock_said(
    jumping_clock, tmp_path, jump
) -> None:
    async with open_room(tmp_path, "a") as room:
        turns = await room.send(A)
        prompt = await room.programs[A].next_prompt()
        prompt.say("half")
        await trio.sleep(3)
        room.jumped_ms += jump
        turns += [*await room.send(A), *await room.send(A)]
        room.programs[A].script = answers
        prompt.answer("all of it")
        await room.ended(*turns)
        page = await room.store.ask(Read(history, HistoryQuery(room_id=None, limit=200)))
        rows = room.rows("SELECT seq, event_id, occurred_at FROM events ORDER BY seq")
        assert [event.seq for event in page.events] == [seq for seq, _, _ in rows]
        assert all(TIME.fullmatch(at) for _, _, at in rows)
        first, last = (datetime.fromisoformat(at) for _, _, at in (rows[0], rows[-1]))
        assert abs((last - first).total_seconds() - jump / 1000) < 60
        ids = [event_id.partition("_")[2] for _, event_id, _ in rows]
        assert ids == sorted(ids), "ids never go back"
        ended = [event["turnId"] for event in room.events("turn.completed")]
        assert ended == turns, "first in, first out"
        assert [room.status(turn) for turn in turns] == ["completed"] * 3


@JUMPS
async def test_a_start_is_tried_again_when_its_pause_is_over(jumping_clock, tmp_path, jump) -> None:
    from tests.actors.test_session_keeper import NOT_NOW

    async with open_room(tmp_path, "a", started=False) as room:
        room.programs[A].start_errors = [NOT_NOW]
        room.nursery.start_soon(room.tree.run)
        await room.until(lambda: bool(room.streamed("session.retrying")))
        room.jumped_ms += jump
        began = trio.current_time()
        await room.until(lambda: room.directory.view(A).state is AgentState.IDLE)
        assert trio.current_time() - began < 1


async def test_a_turn_over_midnight_is_of_the_day_on_which_it_ended(
    jumping_clock, tmp_path
) -> None:
    async with open_room(tmp_path, "a") as room:
        [before] = await room.send(A)
        (await room.programs[A].next_prompt()).answer()
        await room.ended(before)
        [over] = await room.send(A)
        prompt = await room.programs[A].next_prompt()
        prompt.say("it is late")
        await trio.sleep(60)
        room.local_date = "2026-02-03"
        prompt.answer("it is early")
        await room.ended(over)
        filed = dict(room.rows("SELECT turn_id, local_date FROM agent_dated_memory_sources"))
        assert filed == {before: "2026-02-02", over: "2026-02-03"}
        days = room.rows(
            "SELECT local_date, pending_turns FROM agent_dated_memory_rollups ORDER BY local_date"
        )
        assert days == [("2026-02-02", 1), ("2026-02-03", 1)]
