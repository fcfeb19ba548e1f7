"""One question beside the room: answered or failed in bounded time, and nothing is left of it."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import attrs
import pytest
import trio
import trio.testing

from groupx.actors.side_sessions import AT_ONCE, SideFailure, SideProgram, SideSessions
from groupx.adapters.contract import (
    AdapterStartError,
    Completed,
    ContentDelta,
    Exited,
    Failed,
    Heartbeat,
    Interaction,
    ReasoningDelta,
    Started,
    ToolUpdate,
)
from groupx.domain.context_usage import Usage
from groupx.domain.errors import ErrorCode
from groupx.domain.ids import ActorId
from tests.actors.fakes import FakeProgram, FakePrompt, Room, answers, open_room

A = ActorId("agent:a")


class Beside:
    """A room whose agent is asked beside it, by a program of its own."""

    def __init__(self, room: Room) -> None:
        self.program = FakeProgram()
        ports = attrs.evolve(room.session_ports(A), adapter=self.program)
        self.sessions = SideSessions({A: SideProgram(agent=room.agents[A], sessions=ports)})

    async def failure(self) -> SideFailure:
        with pytest.raises(SideFailure) as caught:
            await self.sessions.ask(A, "question")
        return caught.value


@asynccontextmanager
async def beside(path: Path) -> AsyncIterator[Beside]:
    async with open_room(path, "a", started=False) as room:
        it = Beside(room)
        yield it
        await trio.testing.wait_all_tasks_blocked()
        assert all(session.closed.is_set() for session in it.program.sessions)
        assert list(path.iterdir()) == []
        assert room.events("session.starting") == []


async def test_the_answer_is_what_was_said_and_nothing_else(jumping_clock, tmp_path) -> None:
    async with beside(tmp_path) as it:

        async def script(prompt: FakePrompt) -> None:
            prompt.emit(Started("t"), ReasoningDelta("hmm"), ContentDelta("the "), Heartbeat())
            prompt.emit(ContentDelta("answer"))
            prompt.finish(Completed(usage=Usage(context_used=7)))

        it.program.script = script
        answer = await it.sessions.ask(A, "question")
        assert answer.text == "the answer"
        assert answer.usage == Usage(context_used=7)
        assert [prompt.text for prompt in it.program.prompts] == ["question"]
        [profile] = it.program.profiles
        assert (profile.mcp, profile.resume, profile.agent_id) == (None, None, "a")


@pytest.mark.parametrize("transient", [True, False])
async def test_a_start_that_failed_says_whether_it_may_pass(
    jumping_clock, tmp_path, transient
) -> None:
    async with beside(tmp_path) as it:
        code = ErrorCode.ADAPTER_START_FAILED
        it.program.always_fails = AdapterStartError(code, "no", transient=transient)
        failure = await it.failure()
        assert (failure.code, failure.transient) == (str(code), transient)
        assert it.program.prompts == []


TOOL = ToolUpdate(phase="started", tool_call_id="1", name="rm", status="pending")


@pytest.mark.parametrize(
    ("end", "code"),
    [
        (Failed(code=ErrorCode.NATIVE_REFUSED, message="no"), ErrorCode.NATIVE_REFUSED),
        (Exited(returncode=1), ErrorCode.ADAPTER_EXITED),
        (Completed(stop_reason="max_tokens"), ErrorCode.NATIVE_TURN_FAILED),
        (Completed(stop_reason="max_turn_requests"), ErrorCode.NATIVE_TURN_FAILED),
        (
            Interaction(kind="permission", reason="may I?"),
            ErrorCode.UNEXPECTED_NATIVE_INTERACTION,
        ),
    ],
)
async def test_an_answer_that_did_not_come_is_never_temporary(
    jumping_clock, tmp_path, end, code
) -> None:
    async with beside(tmp_path) as it:

        async def script(prompt: FakePrompt) -> None:
            prompt.say("half")
            prompt.finish(end)

        it.program.script = script
        failure = await it.failure()
        assert (failure.code, failure.transient) == (str(code), False)
        assert failure.message


async def test_a_tool_ends_the_program_at_once_and_unasked(jumping_clock, tmp_path) -> None:
    async with beside(tmp_path) as it:

        async def script(prompt: FakePrompt) -> None:
            prompt.emit(Started("t"), TOOL)
            began.append(trio.current_time())

        began: list[float] = []
        it.program.script = script
        failure = await it.failure()
        assert "rm" in failure.message
        assert not failure.transient
        [prompt] = it.program.prompts
        assert (prompt.cancels, prompt.session.killed) == (0, True)
        assert trio.current_time() - began[0] < 1


async def test_one_that_never_comes_to_an_end_is_stopped(jumping_clock, tmp_path) -> None:
    async with beside(tmp_path) as it:

        async def script(prompt: FakePrompt) -> None:
            while True:
                prompt.emit(Started("t"), ContentDelta("and "))
                await trio.sleep(30)

        it.program.script = script
        before = trio.current_time()
        failure = await it.failure()
        assert failure.code == str(ErrorCode.TURN_IDLE_TIMEOUT)
        assert trio.current_time() - before < 1_000


async def test_silence_is_bounded(jumping_clock, tmp_path) -> None:
    async with beside(tmp_path) as it:
        failure = await it.failure()
        assert failure.code == str(ErrorCode.TURN_FIRST_EVENT_TIMEOUT)
        assert trio.current_time() < 300


async def test_two_are_asked_at_once_and_the_third_waits(jumping_clock, tmp_path) -> None:
    async with beside(tmp_path) as it, trio.open_nursery() as nursery:
        for number in range(3):
            nursery.start_soon(it.sessions.ask, A, f"question {number}")
        prompts = [await it.program.next_prompt() for _ in range(AT_ONCE)]
        await trio.sleep(10)
        assert len(it.program.profiles) == AT_ONCE == 2
        prompts[0].answer()
        third = await it.program.next_prompt()
        assert sum(not session.closed.is_set() for session in it.program.sessions) == AT_ONCE
        prompts[1].answer()
        third.answer()


@pytest.mark.parametrize("seconds", [0.01, 1.0])
@pytest.mark.parametrize("action", ["stop", "restart"])
async def test_who_is_stopped_or_restarted_is_not_asked_on(
    jumping_clock, tmp_path, seconds, action
) -> None:
    """Neither while its program starts, nor while it answers."""
    async with open_room(tmp_path, "a", "b") as room:
        b = ActorId("agent:b")
        sides = {actor_id: FakeProgram() for actor_id in room.agents}
        room.side = SideSessions(
            {
                actor_id: SideProgram(
                    agent=agent,
                    sessions=attrs.evolve(room.session_ports(actor_id), adapter=sides[actor_id]),
                )
                for actor_id, agent in room.agents.items()
            }
        )
        failures: list[SideFailure] = []

        async def ask() -> None:
            with pytest.raises(SideFailure) as caught:
                await room.side.ask(A, "question")
            failures.append(caught.value)

        async with trio.open_nursery() as nursery:
            nursery.start_soon(ask)
            nursery.start_soon(room.side.ask, b, "another's")
            await trio.sleep(seconds)
            await room.control(A, action)
            assert (A in {it.actor_id for it in room.directory.well()}) == (action == "restart")
            other = await sides[b].next_prompt()
            await trio.sleep(0)
            [failure] = failures
            other.answer()
        assert (failure.code, failure.transient) == (str(ErrorCode.TARGET_NOT_RUNNING), False)
        assert all(session.closed.is_set() for session in sides[A].sessions)
        assert [session.killed for session in sides[A].sessions] == [True] * (seconds > 0.05)


async def test_an_answer_that_came_as_its_agent_was_stopped_does_not_count(
    jumping_clock, tmp_path
) -> None:
    async with beside(tmp_path) as it:

        async def script(prompt: FakePrompt) -> None:
            prompt.answer()
            it.sessions.stop(A)

        it.program.script = script
        assert (await it.failure()).code == str(ErrorCode.TARGET_NOT_RUNNING)
        it.sessions.stop(A)
        it.program.script = answers
        assert (await it.sessions.ask(A, "question")).text == "answer 2"


@pytest.mark.parametrize("seconds", [0.01, 1.0])
async def test_cancelling_ends_it_while_it_starts_and_while_it_answers(
    jumping_clock, tmp_path, seconds
) -> None:
    async with beside(tmp_path) as it:
        with trio.move_on_after(seconds) as scope:
            await it.sessions.ask(A, "question")
        assert scope.cancelled_caught
        assert trio.current_time() < seconds + 0.1
        assert len(it.program.prompts) == (seconds > it.program.start_seconds)
