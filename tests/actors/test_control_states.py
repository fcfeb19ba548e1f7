"""Cancel and force in every state a turn can be in; a rebuild that touches no turn that ended."""

from collections.abc import Awaitable, Callable

import pytest
import trio

from groupx.adapters.contract import Completed, Exited, Failed
from groupx.domain.errors import ErrorCode
from groupx.domain.ids import ActorId
from groupx.domain.roster import AgentState
from tests.actors.fakes import FakePrompt, Room, answers, open_room
from tests.actors.test_session_keeper import NOT_NOW

A = ActorId("agent:a")
NO = Failed(code=ErrorCode.NATIVE_TURN_FAILED, message="no")
BROKEN = Failed(
    code=ErrorCode.PROTOCOL_INVALID_MESSAGE,
    message="Not JSON.",
    evidence=False,
    session_usable=False,
)


async def queued_behind_another(room: Room) -> str:
    await room.send(A)
    [turn] = await room.send(A)
    await room.programs[A].next_prompt()
    return turn


async def queued_and_paused(room: Room) -> str:
    await room.set_lane(A, "paused")
    [turn] = await room.send(A)
    return turn


async def queued_and_stopped(room: Room) -> str:
    turn = await queued_and_paused(room)
    await room.control(A, "stop")
    await room.until(lambda: room.directory.view(A).state is AgentState.STOPPED)
    return turn


async def queued_and_failed(room: Room) -> str:
    turn = await queued_and_paused(room)
    room.programs[A].always_fails = NOT_NOW
    await room.control(A, "restart")
    await room.until(lambda: room.directory.view(A).state is AgentState.FAILED)
    return turn


async def queued_while_it_starts(room: Room) -> str:
    [turn] = await room.send(A)
    assert room.directory.view(A).state is AgentState.STARTING
    return turn


async def sent(room: Room) -> str:
    [turn] = await room.send(A)
    await room.programs[A].next_prompt()
    return turn


async def running(room: Room) -> str:
    [turn] = await room.send(A)
    (await room.programs[A].next_prompt()).say("half")
    await trio.sleep(1)
    return turn


async def cancelling(room: Room) -> str:
    room.programs[A].confirms_cancel = False
    turn = await running(room)
    await room.cancel(turn)
    return turn


def ended(how: Completed | Failed | Exited) -> Callable[[Room], Awaitable[str]]:
    async def end(room: Room) -> str:
        [turn] = await room.send(A)
        prompt = await room.programs[A].next_prompt()
        prompt.say("said")
        prompt.finish(how)
        await room.ended(turn)
        return turn

    return end


async def already_cancelled(room: Room) -> str:
    turn = await running(room)
    await room.cancel(turn)
    await room.ended(turn)
    return turn


STATES = [
    # how it comes there, answered, ends as, by force as
    (queued_behind_another, "cancelled", "cancelled", "cancelled"),
    (queued_and_paused, "cancelled", "cancelled", "cancelled"),
    (queued_and_stopped, "cancelled", "cancelled", "cancelled"),
    (queued_and_failed, "cancelled", "cancelled", "cancelled"),
    (queued_while_it_starts, "cancelled", "cancelled", "cancelled"),
    (sent, "cancelling", "cancelled", "interrupted"),
    (running, "cancelling", "cancelled", "interrupted"),
    (cancelling, "cancelling", "interrupted", "interrupted"),
    (ended(Completed()), "completed", "completed", "completed"),
    (ended(NO), "failed", "failed", "failed"),
    (ended(Exited(returncode=1)), "interrupted", "interrupted", "interrupted"),
    (already_cancelled, "cancelled", "cancelled", "cancelled"),
]


@pytest.mark.parametrize("force", [False, True], ids=["cancel", "force"])
@pytest.mark.parametrize(("state", "answered", "end", "forced"), STATES)
async def test_every_state(jumping_clock, tmp_path, state, answered, end, forced, force) -> None:
    async with open_room(tmp_path, "a") as room:
        turn = await state(room)
        if force:
            room.programs[A].confirms_cancel = False
        answer = await room.cancel(turn, force=force)
        assert (answer.turn_id, answer.status) == (turn, answered)
        await room.ended(turn)
        assert room.status(turn) == (forced if force else end)
        before = room.rows("SELECT * FROM turns WHERE turn_id = ?", turn)
        for again in (False, True):
            assert (await room.cancel(turn, force=again)).status == room.status(turn)
        assert room.rows("SELECT * FROM turns WHERE turn_id = ?", turn) == before
        terminal = room.rows(
            "SELECT count(*) FROM events WHERE idempotency_key = ?", f"turn:{turn}:terminal"
        )
        assert terminal == [(1,)]


async def test_a_broken_session_is_rebuilt_once_and_the_failed_turn_stays_as_it_is(
    jumping_clock, tmp_path
) -> None:
    async with open_room(tmp_path, "a") as room:
        program = room.programs[A]
        [failed, *later] = [turn for _ in range(4) for turn in await room.send(A)]
        broken = await program.next_prompt()
        broken.finish(BROKEN)
        broken.session.broken = True
        broken.session.exit(1)
        await room.ended(failed)
        before = room.rows("SELECT * FROM turns WHERE turn_id = ?", failed)
        attempts = room.rows("SELECT * FROM turn_attempts WHERE turn_id = ?", failed)
        assert room.turn(failed) == ("failed", "PROTOCOL_INVALID_MESSAGE", "unknown")
        program.script = answers
        for _ in range(20):
            room.bells.of(A).lane.ring()
            room.bells.ring_cancel(A, force=True)
            await trio.sleep(0.001)
        await room.ended(*later)
        assert len(program.sessions) == 2, "one rebuild, whoever asks for it meanwhile"
        assert [room.status(turn) for turn in later] == ["completed"] * 3
        assert room.rows("SELECT * FROM turns WHERE turn_id = ?", failed) == before
        assert room.rows("SELECT * FROM turn_attempts WHERE turn_id = ?", failed) == attempts
        assert [e["continuity"] for e in room.events("session.ready")] == ["new", "rebuilt"]


async def test_a_restart_leaves_the_queue_in_its_order(jumping_clock, tmp_path) -> None:
    async with open_room(tmp_path, "a") as room:
        turns = [turn for _ in range(4) for turn in await room.send(A)]
        prompts: list[FakePrompt] = [await room.programs[A].next_prompt()]
        for _ in range(3):
            await room.control(A, "restart")
        await room.ended(turns[0])
        assert [room.status(turn) for turn in turns] == ["cancelled", *["queued"] * 3]
        for turn in turns[1:]:
            prompts.append(await room.programs[A].next_prompt())
            prompts[-1].answer()
            await room.ended(turn)
        assert [room.status(turn) for turn in turns[1:]] == ["completed"] * 3
        assert len({prompt.source for prompt in prompts}) == 4
