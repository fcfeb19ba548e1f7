"""An agent's lane from message to terminal event, whatever its program does."""

import pytest
import trio

from groupx.adapters.contract import Completed, ContentDelta, Started
from groupx.domain.ids import ActorId
from tests.actors.fakes import answers, open_room

A, B = ActorId("agent:a"), ActorId("agent:b")


@pytest.fixture(autouse=True)
def _virtual_time(autojump_clock) -> None:
    """Every test of this file runs on virtual time."""


async def test_a_turn_from_message_to_answer(tmp_path) -> None:
    async with open_room(tmp_path, "a") as room:
        [turn] = await room.send(A, content="please")
        prompt = await room.programs[A].next_prompt()
        assert "please" in prompt.text
        prompt.emit(Started("n1"), ContentDelta("one "), ContentDelta("two"))
        await room.until(lambda: room.status(turn) == "running")
        prompt.finish(Completed())
        await room.ended(turn)
        assert room.turn(turn) == ("completed", None, "delivered")
        assert [event["type"] for event in room.events()] == [
            "session.starting",
            "message.created",
            "turn.queued",
            "session.ready",
            "turn.dispatched",
            "turn.started",
            "message.created",
            "turn.completed",
        ]
        assert room.events("message.created")[1]["content"] == "one two"
        deltas = [event["body"] for event in room.streamed("turn.content.delta")]
        assert [(d["chunkIndex"], d["text"]) for d in deltas] == [(0, "one "), (1, "two")]
        await room.until(lambda: room.directory.view(A).state == "idle")
        assert len(room.programs[A].prompts) == 1


async def test_a_lane_is_first_in_first_out_and_lanes_run_in_parallel(tmp_path) -> None:
    async with open_room(tmp_path, "a", "b") as room:
        for program in room.programs.values():
            program.script = answers
        turns = [await room.send("@all", content=f"m{n}") for n in range(5)]
        began = trio.current_time()
        await room.ended(*(turn for pair in turns for turn in pair))
        assert trio.current_time() - began < 7
        for program in room.programs.values():
            assert len(program.prompts) == 5
            for n, prompt in enumerate(program.prompts):
                assert prompt.text.rstrip().split("\n")[-2] == f"m{n}"
