"""Start, stop and restart by hand, the ordered stop, and actors that crash."""

import pytest
import trio

from groupx.actors.messages import BuildPacket
from groupx.adapters.contract import Completed
from groupx.domain.errors import ErrorCode, GroupXError
from groupx.domain.ids import ActorId
from groupx.domain.roster import AgentState
from tests.actors.fakes import answers, open_room

A, B = ActorId("agent:a"), ActorId("agent:b")


async def test_starting_waits_for_no_agent(jumping_clock, tmp_path) -> None:
    async with open_room(tmp_path, "a", "b") as room:
        assert trio.current_time() < 0.01
        assert {view.state for view in room.directory.views()} == {AgentState.STARTING}
        await room.until(lambda: {v.state for v in room.directory.views()} == {AgentState.IDLE})


async def test_an_agent_stopped_by_hand_keeps_its_queue_until_it_is_started(
    jumping_clock, tmp_path
) -> None:
    async with open_room(tmp_path, "a", "b") as room:
        room.programs[A].script = answers
        await room.until(lambda: room.directory.view(A).state is AgentState.IDLE)
        await room.set_lane(A, "paused")
        [turn] = await room.send(A)
        view = await room.control(A, "stop")
        assert view.state is AgentState.STOPPED
        await room.until(lambda: room.directory.view(A).state is AgentState.STOPPED)
        assert room.programs[A].sessions[0].closed.is_set()
        assert not room.programs[A].sessions[0].killed
        await room.set_lane(A, "runnable")
        await trio.sleep(60)
        assert room.status(turn) == "queued"
        assert [entry.stopped for entry in room.directory.roster()] == [True, False]
        assert len(await room.send("@all")) == 1
        assert (await room.control(A, "start")).state is AgentState.STARTING
        await room.ended(turn)
        assert room.status(turn) == "completed"


async def test_stopping_by_hand_ends_the_running_turn_truthfully(jumping_clock, tmp_path) -> None:
    async with open_room(tmp_path, "a") as room:
        [turn, waiting] = [*await room.send(A), *await room.send(A)]
        (await room.programs[A].next_prompt()).say("half")
        view = await room.control(A, "stop")
        assert view.state is AgentState.CANCELLING
        await room.until(lambda: room.directory.view(A).state is AgentState.STOPPED)
        assert room.turn(turn) == ("cancelled", None, "delivered")
        assert room.events("turn.cancelled")[0]["reason"] == "runtime_stop"
        assert room.status(waiting) == "queued"


async def test_restarting_a_working_agent(jumping_clock, tmp_path) -> None:
    async with open_room(tmp_path, "a") as room:
        [turn, waiting] = [*await room.send(A), *await room.send(A)]
        prompt = await room.programs[A].next_prompt()
        room.programs[A].confirms_cancel = False
        await room.control(A, "restart")
        await room.ended(turn)
        assert room.turn(turn) == ("interrupted", "TURN_INTERRUPTED", "unknown")
        assert prompt.session.killed
        (await room.programs[A].next_prompt()).answer()
        await room.ended(waiting)
        assert room.status(waiting) == "completed"


async def test_commands_of_one_agent_are_done_in_order_and_the_last_one_stands(
    jumping_clock, tmp_path
) -> None:
    async with open_room(tmp_path, "a") as room:
        for action in ("stop", "start", "restart", "stop", "start", "stop"):
            await room.control(A, action)
        await trio.sleep(60)
        assert room.directory.view(A).state is AgentState.STOPPED
        assert all(session.closed.is_set() for session in room.programs[A].sessions)
        await room.control(A, "start")
        await trio.sleep(60)
        assert room.directory.view(A).state is AgentState.IDLE


async def test_the_same_command_twice_is_done_once_and_answered_alike(
    jumping_clock, tmp_path
) -> None:
    async with open_room(tmp_path, "a") as room:
        await room.until(lambda: room.directory.view(A).state is AgentState.IDLE)
        first = await room.control(A, "restart", client_command_id="same")
        await trio.sleep(60)
        again = await room.control(A, "restart", client_command_id="same")
        assert again == first
        await trio.sleep(60)
        assert len(room.programs[A].sessions) == 2


async def test_the_ordered_stop_ends_all_agents_at_the_same_time(jumping_clock, tmp_path) -> None:
    async with open_room(tmp_path, "a", "b") as room:
        turns = await room.send("@all")
        queued = await room.send("@all")
        for program in room.programs.values():
            program.confirms_cancel = False
            (await program.next_prompt()).say("half")
        began = trio.current_time()
        room.tree.stop()
        await room.ended(*turns)
        await room.until(lambda: {v.state for v in room.directory.views()} == {AgentState.STOPPED})
        assert trio.current_time() - began < 12
        assert {room.turn(turn)[:2] for turn in turns} == {("interrupted", "TURN_INTERRUPTED")}
        assert {room.status(turn) for turn in queued} == {"queued"}


async def test_the_ordered_stop_starts_no_agent_again(jumping_clock, tmp_path) -> None:
    """A restart by hand is under way while another agent takes its time to stop."""
    async with open_room(tmp_path, "a", "b") as room:
        [_, slow] = await room.send("@all")
        [waiting] = await room.send(A)
        for program in room.programs.values():
            program.confirms_cancel = False
            (await program.next_prompt()).say("half")
        room.programs[B].sessions[0].kill = lambda: None
        await room.control(A, "restart")
        room.tree.stop()
        await room.until(lambda: room.directory.view(A).state is AgentState.STOPPED)
        await trio.sleep(1)
        assert room.directory.view(B).state is AgentState.CANCELLING
        await room.ended(slow)
        await trio.sleep(600)
        assert room.status(waiting) == "queued"
        assert len(room.programs[A].prompts) == len(room.programs[A].sessions) == 1


@pytest.mark.parametrize("how", ["stop", "given up"])
async def test_a_lane_that_cannot_be_closed_harms_no_other_agent(
    jumping_clock, tmp_path, how
) -> None:
    async with open_room(tmp_path, "a", "b") as room:
        room.programs[A].script = room.programs[B].script = answers
        await room.until(lambda: room.directory.view(A).state is AgentState.IDLE)

        class Refusing:
            async def recover(self):
                raise GroupXError(ErrorCode.STORE_CONFLICT, "No such turn.")

        room.supervisor._lanes[A] = Refusing()
        if how == "stop":
            await room.control(A, "stop")
        else:
            room.programs[A].script = crash
            for _ in range(6):
                await room.send(A)
        await room.until(lambda: room.directory.view(A).state is AgentState.FAILED)
        error = room.directory.view(A).last_error
        assert error.code == "INTERNAL_ERROR"
        assert "No such turn." in error.message
        [other] = await room.send(B)
        await room.ended(other)
        assert room.status(other) == "completed"
        room.programs[A].script = answers
        await room.control(A, "start")
        await room.until(lambda: room.directory.view(A).state is AgentState.IDLE)


async def test_a_hard_cancel_kills_first_and_still_writes_the_truth(
    jumping_clock, tmp_path
) -> None:
    async with open_room(tmp_path, "a") as room:
        [turn] = await room.send(A)
        prompt = await room.programs[A].next_prompt()
        prompt.say("half")
        room.programs[A].confirms_cancel = False
        room.tree.stop()
        await trio.sleep(1)
        room.tree.hurry()
        began = trio.current_time()
        await room.ended(turn)
        assert trio.current_time() - began < 2
        assert prompt.session.killed
        assert room.turn(turn) == ("interrupted", "TURN_INTERRUPTED", "delivered")


async def test_a_stop_while_the_program_starts_does_not_wait_for_it(
    jumping_clock, tmp_path
) -> None:
    async with open_room(tmp_path, "a") as room:
        await room.until(lambda: room.directory.view(A).state is AgentState.IDLE)
        room.programs[A].start_seconds = 1_000
        room.programs[A].sessions[0].exit(1)
        [turn] = await room.send(A)
        await room.until(lambda: room.directory.view(A).state is AgentState.STARTING)
        await room.control(A, "stop")
        await room.until(lambda: room.directory.view(A).state is AgentState.STOPPED)
        assert trio.current_time() < 1
        assert room.status(turn) == "queued"


# --- crashes --------------------------------------------------------------------------------


async def crash(prompt) -> None:
    prompt.say("half")
    await trio.sleep(1)
    raise RuntimeError("a bug")


async def test_a_crashed_actor_is_restarted_and_closes_its_turn_first(
    jumping_clock, tmp_path
) -> None:
    async with open_room(tmp_path, "a", "b") as room:
        room.programs[A].script, room.programs[B].script = crash, answers
        [turn, other] = await room.send("@all")
        [waiting] = await room.send(A)
        await room.until(lambda: room.directory.view(A).state is AgentState.RECOVERING)
        view = room.directory.view(A)
        assert view.last_error.code == "INTERNAL_ERROR"
        assert "a bug" in view.last_error.message
        room.programs[A].script = answers
        await room.ended(turn, waiting, other)
        assert room.turn(turn) == ("interrupted", "TURN_INTERRUPTED", "delivered")
        assert room.status(waiting) == room.status(other) == "completed"
        assert room.directory.view(A).last_error is None
        assert len(room.programs[B].sessions) == 1


async def test_when_the_budget_is_spent_the_agent_is_failed_with_its_turn_closed(
    jumping_clock, tmp_path
) -> None:
    async with open_room(tmp_path, "a", "b") as room:
        room.programs[A].script, room.programs[B].script = crash, answers
        turns = [turn for _ in range(8) for turn in await room.send(A)]
        await room.until(lambda: room.directory.view(A).state is AgentState.FAILED)
        await trio.testing.wait_all_tasks_blocked()
        statuses = [room.status(turn) for turn in turns]
        assert statuses == ["interrupted"] * 6 + ["queued"] * 2
        assert "a bug" in room.directory.view(A).last_error.message
        await trio.sleep(3_600)
        assert room.directory.view(A).state is AgentState.FAILED
        [other] = await room.send(B)
        await room.ended(other)
        assert room.status(other) == "completed"
        room.programs[A].script = answers
        await room.control(A, "start")
        await room.ended(*turns)
        assert [room.status(turn) for turn in turns[6:]] == ["completed"] * 2


async def test_a_failed_start_can_be_repeated_by_hand(jumping_clock, tmp_path) -> None:
    from tests.actors.test_session_keeper import NOT_NOW

    async with open_room(tmp_path, "a") as room:
        room.programs[A].always_fails = NOT_NOW
        await room.until(lambda: room.directory.view(A).state is AgentState.FAILED)
        room.programs[A].always_fails = None
        assert (await room.control(A, "start")).state is AgentState.STARTING
        await room.until(lambda: room.directory.view(A).state is AgentState.IDLE)
        assert room.directory.view(A).last_error is None


async def test_a_turn_whose_context_can_never_be_read_fails_visibly_and_the_next_goes_on(
    jumping_clock, tmp_path
) -> None:
    async with open_room(tmp_path, "a") as room:
        room.programs[A].script = answers
        [turn] = await room.send(A, content="too much")
        [later] = await room.send(A)
        build, asked = room.context._handlers[BuildPacket], []

        async def busy_with_one(request):
            asked.append(request.turn_id)
            if request.turn_id == turn:
                raise GroupXError(ErrorCode.STORE_BUSY, "Reading took too long.")
            return await build(request)

        room.context._handlers[BuildPacket] = busy_with_one
        await room.ended(turn, later)
        assert room.turn(turn) == ("failed", "STORE_BUSY", None)
        assert "never sent. Reading took too long." in room.events("turn.failed")[0]["message"]
        assert asked.count(turn) == 3
        assert room.status(later) == "completed"


async def test_a_turn_waits_for_as_long_as_the_store_is_unwell(jumping_clock, tmp_path) -> None:
    async with open_room(tmp_path, "a") as room:
        room.programs[A].script = answers
        build, faults = room.context._handlers[BuildPacket], [0] * 20

        async def unwell(request):
            if faults:
                faults.pop()
                raise GroupXError(ErrorCode.STORE_UNAVAILABLE, "The disk is full.")
            return await build(request)

        room.context._handlers[BuildPacket] = unwell
        [turn] = await room.send(A)
        await room.ended(turn)
        assert not faults
        assert room.status(turn) == "completed"


async def test_a_turn_that_the_context_engine_cannot_build_now_waits_for_it(
    jumping_clock, tmp_path
) -> None:
    async with open_room(tmp_path, "a", context=False) as room:
        [turn] = await room.send(A)
        await trio.sleep(10)
        assert room.status(turn) == "queued"
        room.nursery.start_soon(room.context.run)
        prompt = await room.programs[A].next_prompt()
        prompt.finish(Completed())
        await room.ended(turn)
        assert room.status(turn) == "completed"
