"""A store that fails under a running agent: nothing is sent twice, nothing true is lost."""

import pytest
import trio

from groupx.domain.errors import ErrorCode, GroupXError
from groupx.domain.ids import ActorId
from groupx.store.transactions.claim import claim
from groupx.store.transactions.progress import progress
from groupx.store.transactions.started import started
from groupx.store.transactions.terminal import terminal
from tests.actors.fakes import answers, open_room

A = ActorId("agent:a")


class Faults:
    """Fails the next `times` writes of one function, before or after they took effect."""

    def __init__(self, room, function, *, times: int, committed: bool) -> None:
        self.left = times
        self._function = function
        self._committed = committed
        self._write = room.writer.ledger.write
        room.writer.ledger.write = self.write

    async def write(self, run, command):
        if run is not self._function or not self.left:
            return await self._write(run, command)
        self.left -= 1
        if self._committed:
            await self._write(run, command)
        await trio.lowlevel.checkpoint()
        raise GroupXError(ErrorCode.STORE_UNAVAILABLE, "The disk is full.")


def assert_never_disturbed(room) -> None:
    """The program and its session went on; nobody had to hear of the fault."""
    assert len(room.programs[A].sessions) == 1
    assert room.directory.view(A).last_error is None
    shown = [frame["body"]["agent"] for frame in room.streamed("agent.changed")]
    assert not [view for view in shown if "lastError" in view]


async def test_a_claim_that_was_not_committed_is_made_again(jumping_clock, tmp_path) -> None:
    async with open_room(tmp_path, "a") as room:
        room.programs[A].script = answers
        Faults(room, claim, times=3, committed=False)
        [turn] = await room.send(A)
        await room.ended(turn)
        assert room.turn(turn) == ("completed", None, "delivered")
        assert len(room.programs[A].prompts) == 1
        assert_never_disturbed(room)


async def test_a_claim_whose_answer_was_lost_is_never_sent(jumping_clock, tmp_path) -> None:
    async with open_room(tmp_path, "a") as room:
        room.programs[A].script = answers
        Faults(room, claim, times=1, committed=True)
        [turn, later] = [*await room.send(A), *await room.send(A)]
        await room.ended(turn, later)
        assert room.turn(turn) == ("interrupted", "TURN_INTERRUPTED", "unknown")
        assert room.status(later) == "completed"
        assert len(room.programs[A].prompts) == 1
        assert_never_disturbed(room)


@pytest.mark.parametrize("committed", [False, True])
@pytest.mark.parametrize("function", [started, progress, terminal])
async def test_the_truth_is_written_when_the_store_is_well_again(
    jumping_clock, tmp_path, function, committed
) -> None:
    async with open_room(tmp_path, "a") as room:
        faults = Faults(room, function, times=6, committed=committed)
        [turn] = await room.send(A)
        prompt = await room.programs[A].next_prompt()
        for _ in range(10):
            prompt.say("more ")
            await trio.sleep(1)
        prompt.answer("done")
        await room.ended(turn)
        await trio.sleep(60)
        assert room.turn(turn) == ("completed", None, "delivered")
        assert room.events("message.created")[1]["content"] == "more " * 10 + "done"
        assert faults.left < 6
        assert len(room.events("turn.started")) == 1
