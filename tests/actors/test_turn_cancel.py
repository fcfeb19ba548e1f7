"""Cancel in every state and against every race; time-outs; the ladder of stopping a turn."""

import pytest
import trio

from groupx.adapters.contract import Completed, ContentDelta, Failed, Heartbeat, Started, ToolUpdate
from groupx.domain.errors import ErrorCode
from groupx.domain.ids import ActorId
from groupx.domain.limits import Timeouts
from groupx.domain.roster import AgentState
from tests.actors.fakes import answers, open_room

A = ActorId("agent:a")


async def test_a_queued_turn_is_cancelled_at_once_and_never_sent(jumping_clock, tmp_path) -> None:
    async with open_room(tmp_path, "a") as room:
        [first, second] = [*await room.send(A), *await room.send(A)]
        prompt = await room.programs[A].next_prompt()
        assert (await room.cancel(second)).status == "cancelled"
        prompt.answer()
        await room.ended(first)
        await trio.sleep(5)
        assert room.turn(second) == ("cancelled", None, None)
        assert len(room.programs[A].prompts) == 1


async def test_a_turn_is_cancelled_while_its_agent_starts(jumping_clock, tmp_path) -> None:
    async with open_room(tmp_path, "a") as room:
        [turn] = await room.send(A)
        assert room.directory.view(A).state is AgentState.STARTING
        assert (await room.cancel(turn)).status == "cancelled"
        await trio.sleep(5)
        assert room.programs[A].prompts == []
        assert room.directory.view(A).state is AgentState.IDLE


@pytest.mark.parametrize("began", [False, True])
async def test_a_confirmed_cancel(jumping_clock, tmp_path, began) -> None:
    async with open_room(tmp_path, "a") as room:
        [turn] = await room.send(A)
        prompt = await room.programs[A].next_prompt()
        if began:
            prompt.say("half an answer")
            await trio.sleep(3)
        assert (await room.cancel(turn)).status == "cancelling"
        await room.ended(turn)
        assert room.turn(turn) == ("cancelled", None, "delivered" if began else "unknown")
        [event] = room.events("turn.cancelled")
        assert event["reason"] == "user"
        assert prompt.cancels == 1
        await room.until(lambda: room.directory.view(A).state is AgentState.IDLE)
        assert len(room.programs[A].sessions) == 1


async def test_a_completion_that_beats_the_cancel_stays_completed(jumping_clock, tmp_path) -> None:
    async with open_room(tmp_path, "a") as room:
        room.programs[A].confirms_cancel = False
        [turn] = await room.send(A)
        prompt = await room.programs[A].next_prompt()
        prompt.say("all of it")
        await trio.sleep(1)
        assert (await room.cancel(turn)).status == "cancelling"
        await prompt.cancelled.wait()
        assert room.directory.view(A).state is AgentState.CANCELLING
        prompt.finish(Completed())
        await room.ended(turn)
        assert room.turn(turn) == ("completed", None, "delivered")
        assert room.events("message.created")[1]["content"] == "all of it"


async def test_a_cancel_that_comes_too_late_does_not_stop_the_next_turn(
    jumping_clock, tmp_path
) -> None:
    async with open_room(tmp_path, "a") as room:
        [first, second] = [*await room.send(A), *await room.send(A)]
        (await room.programs[A].next_prompt()).answer()
        prompt = await room.programs[A].next_prompt()
        assert (await room.cancel(first)).status == "completed"
        room.bells.ring_cancel(A, force=True)
        await trio.sleep(5)
        assert prompt.cancels == 0
        prompt.answer()
        await room.ended(second)
        assert room.status(second) == "completed"


async def test_an_ignored_cancel_is_repeated_then_the_tree_is_killed(
    jumping_clock, tmp_path
) -> None:
    async with open_room(tmp_path, "a", timeouts=Timeouts(cancel=10_000)) as room:
        room.programs[A].confirms_cancel = False
        [turn, later] = [*await room.send(A), *await room.send(A)]
        prompt = await room.programs[A].next_prompt()
        prompt.say("half")
        await trio.sleep(1)
        asked = trio.current_time()
        await room.cancel(turn)
        await room.ended(turn)
        assert 10 <= trio.current_time() - asked < 10.5
        assert prompt.cancels == 2
        assert prompt.session.killed
        assert room.turn(turn) == ("interrupted", "TURN_CANCEL_TIMEOUT", "delivered")
        (await room.programs[A].next_prompt()).answer()
        await room.ended(later)
        assert room.events("session.ready")[1]["continuity"] == "rebuilt"


async def test_force_kills_without_waiting(jumping_clock, tmp_path) -> None:
    async with open_room(tmp_path, "a") as room:
        room.programs[A].confirms_cancel = False
        [turn] = await room.send(A)
        prompt = await room.programs[A].next_prompt()
        asked = trio.current_time()
        assert (await room.cancel(turn, force=True)).status == "cancelling"
        await room.ended(turn)
        assert trio.current_time() - asked < 0.1
        assert prompt.session.killed
        assert room.turn(turn) == ("interrupted", "TURN_CANCEL_TIMEOUT", "unknown")


async def test_force_cuts_the_wait_of_a_cancel_short(jumping_clock, tmp_path) -> None:
    async with open_room(tmp_path, "a") as room:
        room.programs[A].confirms_cancel = False
        [turn] = await room.send(A)
        prompt = await room.programs[A].next_prompt()
        prompt.say()
        asked = trio.current_time()
        await room.cancel(turn)
        await trio.sleep(2)
        await room.cancel(turn, force=True)
        await room.ended(turn)
        assert trio.current_time() - asked < 2.2
        assert room.turn(turn)[1] == "TURN_CANCEL_TIMEOUT"


async def test_a_program_that_exits_on_cancel_is_interrupted(jumping_clock, tmp_path) -> None:
    async with open_room(tmp_path, "a") as room:
        room.programs[A].confirms_cancel = False
        [turn] = await room.send(A)
        prompt = await room.programs[A].next_prompt()
        prompt.say()
        await room.cancel(turn)
        await prompt.cancelled.wait()
        prompt.session.exit(1)
        await room.ended(turn)
        assert room.turn(turn) == ("interrupted", "ADAPTER_EXITED", "delivered")


async def test_a_kill_that_nobody_notices_still_ends_the_turn(jumping_clock, tmp_path) -> None:
    async with open_room(tmp_path, "a") as room:
        program = room.programs[A]

        async def deaf(prompt) -> None:
            await trio.sleep_forever()

        program.script, program.confirms_cancel = deaf, False
        [turn] = await room.send(A)
        await program.next_prompt()
        await room.cancel(turn)
        await room.ended(turn)
        assert room.turn(turn) == ("interrupted", "TURN_CANCEL_TIMEOUT", "unknown")


# --- silence --------------------------------------------------------------------------------


async def test_no_first_event(jumping_clock, tmp_path) -> None:
    async with open_room(tmp_path, "a", timeouts=Timeouts(first_event=180_000)) as room:
        [turn] = await room.send(A)
        await room.programs[A].next_prompt()
        began = trio.current_time()
        await room.ended(turn)
        assert 180 <= trio.current_time() - began < 180.5
        assert room.turn(turn) == ("failed", "TURN_FIRST_EVENT_TIMEOUT", "unknown")
        await room.until(lambda: len(room.programs[A].sessions) == 2)


async def test_idle_counts_from_the_last_sign_of_life(jumping_clock, tmp_path) -> None:
    async with open_room(tmp_path, "a", timeouts=Timeouts(idle=300_000)) as room:
        [turn] = await room.send(A)
        prompt = await room.programs[A].next_prompt()
        prompt.say("thinking")
        for _ in range(5):
            await trio.sleep(250)
            prompt.emit(Heartbeat())
        last = trio.current_time()
        await room.ended(turn)
        assert 300 <= trio.current_time() - last < 300.5
        assert room.turn(turn) == ("failed", "TURN_IDLE_TIMEOUT", "delivered")


async def test_an_open_tool_may_take_an_hour_and_idle_counts_again_after_it(
    jumping_clock, tmp_path
) -> None:
    async with open_room(tmp_path, "a") as room:
        [turn] = await room.send(A)
        prompt = await room.programs[A].next_prompt()
        prompt.emit(Started())
        tool = {"tool_call_id": "t", "name": "build"}
        prompt.emit(ToolUpdate(phase="started", status="in_progress", **tool))
        await trio.sleep(3_000)
        assert room.status(turn) == "running"
        prompt.emit(ToolUpdate(phase="completed", status="completed", **tool))
        closed = trio.current_time()
        await room.ended(turn)
        assert 300 <= trio.current_time() - closed < 300.5
        assert room.turn(turn)[1] == "TURN_IDLE_TIMEOUT"


async def test_an_open_tool_does_not_take_for_ever(jumping_clock, tmp_path) -> None:
    async with open_room(tmp_path, "a") as room:
        [turn] = await room.send(A)
        prompt = await room.programs[A].next_prompt()
        prompt.emit(Started())
        prompt.emit(ToolUpdate(phase="started", status="pending", tool_call_id=None, name="x"))
        began = trio.current_time()
        await room.ended(turn)
        assert 3_600 <= trio.current_time() - began < 3_601


async def test_a_program_that_answers_the_time_outs_cancel_with_an_error_still_timed_out(
    jumping_clock, tmp_path
) -> None:
    async with open_room(tmp_path, "a") as room:
        room.programs[A].confirms_cancel = False
        [turn] = await room.send(A)
        prompt = await room.programs[A].next_prompt()
        prompt.emit(Started(), ContentDelta("…"))
        await prompt.cancelled.wait()
        prompt.finish(Failed(code=ErrorCode.NATIVE_TURN_FAILED, message="aborted"))
        await room.ended(turn)
        assert room.turn(turn)[:2] == ("failed", "TURN_IDLE_TIMEOUT")


@pytest.mark.parametrize("delay", [0.0, 0.001, 0.049, 0.05, 0.051, 0.06, 0.5, 0.99, 1.0, 1.01])
async def test_a_cancel_at_any_moment_ends_the_turn_once(jumping_clock, tmp_path, delay) -> None:
    async with open_room(tmp_path, "a") as room:
        room.programs[A].script = answers
        [turn, later] = [*await room.send(A), *await room.send(A)]
        await trio.sleep(delay)
        await room.cancel(turn)
        await room.ended(turn, later)
        assert room.status(turn) in ("cancelled", "completed")
        assert room.status(later) == "completed"
