"""What an agent is told whose session was lost, or left, behind messages that waited."""

import pytest

from groupx.actors.messages import ResetRoom
from groupx.adapters.contract import AdapterStartError
from groupx.domain.errors import ErrorCode
from groupx.domain.ids import ActorId
from tests.actors.fakes import answers, open_room

A = ActorId("agent:a")
NO_SUCH_SESSION = AdapterStartError(ErrorCode.NATIVE_RESUME_UNSUPPORTED, "No such session.")


async def restart(room) -> None:
    """Of a program that cannot load a session."""
    room.programs[A].start_errors = [NO_SUCH_SESSION]
    await room.control(A, "restart")


async def exits(room) -> None:
    room.programs[A].sessions[0].exit(1)


@pytest.mark.parametrize("lose", [restart, exits])
async def test_its_own_answers_are_told_once_to_the_session_that_comes_after(
    jumping_clock, tmp_path, lose
) -> None:
    async with open_room(tmp_path, "a") as room:
        program = room.programs[A]
        [first] = await room.send(A, content="the first")
        working = await program.next_prompt()
        [second] = await room.send(A, content="the second")
        await room.set_lane(A, "paused")
        working.answer("what it found out")
        await room.ended(first)
        await lose(room)
        await room.until(lambda: len(program.sessions) == 2)
        program.script = answers
        await room.set_lane(A, "runnable")
        await room.ended(second)
        await room.ended(*await room.send(A, content="the third"))
        await room.ended(*await room.send(A, content="the fourth"))
        told = [prompt.text.count("what it found out") for prompt in program.prompts]
        assert told == [0, 1, 0, 0]
        assert {prompt.session for prompt in program.prompts[1:]} == {program.sessions[1]}
        assert "\nthe first\n" in program.prompts[1].text


async def test_what_it_answers_after_a_reset_is_told_to_the_session_that_begins_then(
    jumping_clock, tmp_path
) -> None:
    async with open_room(tmp_path, "a") as room:
        program = room.programs[A]
        [first] = await room.send(A, content="the old secret")
        working = await program.next_prompt()
        [second] = await room.send(A, content="the second")
        reset = ResetRoom(client_command_id="reset", reset_native_sessions=True)
        await room.broker.ref.ask(reset)
        working.answer("said above the line")
        program.script = answers
        await room.ended(first, second)
        await room.ended(*await room.send(A, content="the third"))
        told = [prompt.text.count("said above the line") for prompt in program.prompts]
        assert told == [0, 1, 0]
        assert not any("the old secret" in prompt.text for prompt in program.prompts[1:])
