"""What others meet while a room is compacted, or just after that failed."""

import attrs
import pytest
import trio

from groupx.actors.messages import CancelCompaction, CompactRoom, MeasureContext, ResetRoom
from groupx.actors.side_sessions import SideFailure
from groupx.domain.compaction_state import CompactionState, CompactionView
from groupx.domain.errors import ErrorCode, GroupXError
from groupx.domain.ids import MAIN_ROOM, ActorId
from tests.actors.fakes import Room, answers, open_room
from tests.actors.test_compaction import SMALL, Side, failing, fill, saying, summaries, told

A, B = ActorId("agent:a"), ActorId("agent:b")


def held(said: trio.Event, text: str = "checkpoint"):
    """Answers once the test lets it."""

    async def script(_: str) -> str:
        await said.wait()
        return text

    return script


async def test_one_by_hand_that_was_not_enough_is_followed_by_the_turns_own(
    jumping_clock, tmp_path
) -> None:
    """It leaves the twelve newest as they are, and they alone are more than fits."""
    async with open_room(tmp_path, "a", "b", limits=SMALL) as room:
        let = trio.Event()
        room.side = side = Side(a=held(let))
        room.programs[B].script = answers
        fill(room, 24, characters=4_000)
        by_hand = await room.context.ref.ask(CompactRoom())
        [turn] = await room.send(B)
        await room.until(
            lambda: [it["body"]["phase"] for it in room.streamed("turn.progress")] != []
        )
        assert (room.status(turn), side.by) == ("queued", [A])
        let.set()
        await room.ended(turn)
        assert room.status(turn) == "completed"
        completed = [it["compactionId"] for it in told(room, "completed")]
        assert completed[0] == by_hand
        assert len(completed) == 2
        assert len(room.programs[B].prompts[0].text) <= SMALL.context_characters


async def test_a_turn_that_waits_is_cancelled_at_once_and_others_go_on(
    jumping_clock, tmp_path
) -> None:
    async with open_room(tmp_path, "a", "b", limits=SMALL) as room:
        let = trio.Event()
        room.side = side = Side(a=held(let))
        room.programs[A].script = room.programs[B].script = answers
        [first] = await room.send(A)
        await room.ended(first)
        fill(room, 30)
        [waiting] = await room.send(B)
        await room.until(lambda: side.by == [A])
        phases = [it["body"]["phase"] for it in room.streamed("turn.progress")]
        assert phases[-1] == "preparing"
        answer = await room.cancel(waiting)
        assert answer.status == "cancelled"
        assert room.status(waiting) == "cancelled"
        let.set()
        [after] = await room.send(B)
        await room.ended(after)
        assert room.status(after) == "completed"
        assert len(room.programs[B].prompts) == 1


@pytest.mark.parametrize("leave", ["cancel", "withdraw", "pause", "stop"])
async def test_one_that_no_turn_waits_for_any_more_ends(jumping_clock, tmp_path, leave) -> None:
    async with open_room(tmp_path, "a", "b", limits=SMALL) as room:
        ended: list[str] = []

        async def endless(_: str) -> str:
            try:
                await trio.sleep_forever()
            finally:
                ended.append("a")
            return "never"

        room.side = side = Side(a=endless)
        fill(room, 120)
        [waiting] = await room.send(B)
        await room.until(lambda: side.by == [A])
        leaving = {
            "cancel": lambda: room.cancel(waiting),
            "withdraw": lambda: room.withdraw(waiting),
            "pause": lambda: room.set_lane(B, "paused"),
            "stop": lambda: room.control(B, "stop"),
        }
        await leaving[leave]()
        await room.until(lambda: told(room, "cancelled") != [])
        await trio.sleep(600)
        assert (side.by, ended, summaries(room)) == ([A], ["a"], [])
        assert room.compactor.running(MAIN_ROOM) is None
        assert [len(told(room, it)) for it in ("started", "failed", "completed")] == [1, 0, 0]
        assert room.status(waiting) == (
            "cancelled" if leave in ("cancel", "withdraw") else "queued"
        )


async def test_one_that_another_turn_waits_for_goes_on(jumping_clock, tmp_path) -> None:
    async with open_room(tmp_path, "a", "b", "c", limits=SMALL) as room:
        let = trio.Event()
        room.side = side = Side(a=held(let))
        for program in room.programs.values():
            program.script = answers
        fill(room, 30)
        [first, other] = await room.send(B, ActorId("agent:c"))
        await room.until(lambda: side.by == [A])
        await room.cancel(first)
        await trio.sleep(60)
        assert told(room, "cancelled") == []
        let.set()
        await room.ended(other)
        assert (room.status(first), room.status(other)) == ("cancelled", "completed")
        assert side.by == [A]
        assert len(summaries(room)) == 1


@pytest.mark.parametrize("asked_first", [True, False])
async def test_one_that_was_asked_for_goes_on_for_nobody(
    jumping_clock, tmp_path, asked_first
) -> None:
    """Whether it was begun by hand, or for a turn before somebody asked for it."""
    async with open_room(tmp_path, "a", "b", limits=SMALL) as room:
        let = trio.Event()
        room.side = side = Side(a=held(let))
        fill(room, 60)
        if asked_first:
            await room.context.ref.ask(CompactRoom())
        [waiting] = await room.send(B)
        await room.until(lambda: side.by == [A] and room.streamed("turn.progress") != [])
        by_hand = await room.context.ref.ask(CompactRoom())
        await room.cancel(waiting)
        await trio.sleep(60)
        let.set()
        await room.until(lambda: told(room, "completed") != [])
        assert {it["compactionId"] for it in told(room, "completed")} == {by_hand}
        assert told(room, "cancelled") == []
        assert summaries(room)[-1][:2] == ("active", "checkpoint")


async def test_what_waits_behind_a_cancelled_turn_has_its_own_packet(
    jumping_clock, tmp_path
) -> None:
    async with open_room(tmp_path, "a", "b", limits=SMALL) as room:
        let = trio.Event()
        room.side = side = Side(a=held(let))
        room.programs[B].script = answers
        fill(room, 40)
        [first] = await room.send(B, content="the first")
        [second] = await room.send(B, content="the second")
        await room.until(lambda: side.by == [A])
        await room.cancel(first)
        await room.until(lambda: side.by == [A, A])
        let.set()
        await room.ended(second)
        assert (room.status(first), room.status(second)) == ("cancelled", "completed")
        [prompt] = room.programs[B].prompts
        assert "\nthe second\n" in prompt.text
        assert len(told(room, "completed")) == 1


async def last(room: Room) -> CompactionView:
    view = (await room.context.ref.ask(MeasureContext())).compaction
    assert view is not None
    return view


async def cancel(room: Room, command_id: str = "cancel") -> str:
    message = CancelCompaction(client_command_id=command_id)
    return (await room.broker.ref.ask(message)).compaction_id


@pytest.mark.parametrize(("notes", "status"), [(28, "completed"), (120, "failed")])
async def test_its_user_ends_it_and_turns_go_on_as_if_it_had_failed(
    jumping_clock, tmp_path, notes, status
) -> None:
    async with open_room(tmp_path, "a", "b", limits=SMALL) as room:
        room.side = side = Side(a=held(trio.Event()))
        room.programs[B].script = answers
        fill(room, notes, characters=1_000 if status == "completed" else 2_000)
        [waiting] = await room.send(B)
        await room.until(lambda: side.by == [A])
        running = await last(room)
        assert (running.state, running.passes) == ("running", 1)
        assert await cancel(room) == running.compaction_id
        await room.ended(waiting)
        assert room.status(waiting) == status
        assert side.by == [A], "it is not begun again for the turn that waited"
        if status == "failed":
            said = room.events("turn.failed")[-1]["message"]
            assert "tried to compact the room, but that was cancelled." in said
        assert await last(room) == attrs.evolve(running, state="cancelled")
        assert [it["compactionId"] for it in told(room, "cancelled")] == [running.compaction_id]
        assert await cancel(room) == running.compaction_id, "as it was answered"
        with pytest.raises(GroupXError) as refused:
            await cancel(room, "another")
        assert refused.value.code is ErrorCode.STORE_CONFLICT


async def test_one_by_hand_is_cancelled_and_the_next_one_is_another(
    jumping_clock, tmp_path
) -> None:
    async with open_room(tmp_path, "a", limits=SMALL) as room:
        let = trio.Event()
        room.side = Side(a=held(let))
        fill(room, 20, characters=10)
        first = await room.context.ref.ask(CompactRoom())
        assert await cancel(room) == first
        second = await room.context.ref.ask(CompactRoom())
        assert second != first
        let.set()
        await room.until(lambda: told(room, "completed") != [])
        done = await last(room)
        assert (done.compaction_id, done.state, done.passes) == (second, "completed", 1)
        assert [row[:2] for row in summaries(room)] == [("active", "checkpoint")]


async def test_how_one_failed_can_be_asked_for_later(jumping_clock, tmp_path) -> None:
    lost = SideFailure("ADAPTER_EXITED", "a ended")
    async with open_room(tmp_path, "a", limits=SMALL) as room:
        assert (await room.context.ref.ask(MeasureContext())).compaction is None
        room.side = Side(a=failing(lost))
        fill(room, 20, characters=10)
        by_hand = await room.context.ref.ask(CompactRoom())
        await room.until(lambda: told(room, "failed") != [])
        assert await last(room) == CompactionView(
            compaction_id=by_hand,
            state=CompactionState.FAILED,
            passes=1,
            error_code="ADAPTER_EXITED",
            message="No agent could write a checkpoint of the older messages (a: a ended).",
        )


async def test_an_agent_whose_turn_waits_stops_at_once(jumping_clock, tmp_path) -> None:
    async with open_room(tmp_path, "a", "b", limits=SMALL) as room:
        room.side = side = Side(a=held(trio.Event()))
        fill(room, 40)
        [waiting] = await room.send(B)
        await room.until(lambda: side.by == [A])
        before = trio.current_time()
        await room.control(B, "stop")
        await room.until(lambda: room.directory.view(B).state == "stopped")
        assert trio.current_time() - before < 5
        assert room.status(waiting) == "queued"
        assert summaries(room) == []


async def test_a_reset_meanwhile_makes_the_checkpoint_that_comes_none(
    jumping_clock, tmp_path
) -> None:
    async with open_room(tmp_path, "a", "b", limits=SMALL) as room:
        let = trio.Event()
        room.side = side = Side(a=held(let))
        room.programs[B].script = answers
        fill(room, 40)
        [waiting] = await room.send(B)
        await room.until(lambda: side.by == [A])
        await room.broker.ref.ask(ResetRoom(client_command_id="reset"))
        let.set()
        await room.ended(waiting)
        assert room.status(waiting) == "completed"
        assert summaries(room) == []
        [(_, question)] = side.asked
        measured = "SELECT actor_id, characters FROM context_usage WHERE source = 'compaction'"
        assert room.rows(measured) == [(A, len(question))], "it was answered, so it took something"
        assert "note " not in room.programs[B].prompts[0].text


async def test_what_every_answer_took_is_measured(jumping_clock, tmp_path) -> None:
    lost = SideFailure("ADAPTER_EXITED", "a ended")
    async with open_room(tmp_path, "a", "b", "c", limits=SMALL) as room:
        room.side = side = Side(a=failing(*[lost] * 9), b=saying(" "), c=saying("good"))
        fill(room, 20, characters=10)
        await room.context.ref.ask(CompactRoom())
        await room.until(lambda: told(room, "completed") != [])
        rows = "SELECT actor_id, tracker, tokens FROM context_usage WHERE source = 'compaction'"
        assert room.rows(rows) == [("agent:b", "packet", None), ("agent:c", "packet", None)]
        [(characters,)] = room.rows(
            "SELECT characters FROM context_usage WHERE actor_id = 'agent:c'"
        )
        assert characters == len(side.asked[-1][1])


async def test_just_after_a_failure_only_a_turn_that_needs_it_tries_again(
    jumping_clock, tmp_path
) -> None:
    lost = SideFailure("ADAPTER_EXITED", "a ended")
    async with open_room(tmp_path, "a", "b", limits=SMALL) as room:
        room.side = side = Side(a=failing(*[lost] * 2), b=failing(*[lost] * 2))
        room.programs[A].script = room.programs[B].script = answers
        fill(room, 28)
        for actor in (A, B):
            [turn] = await room.send(actor)
            await room.ended(turn)
            assert room.status(turn) == "completed"
        assert side.by == [A, B]
        await trio.sleep(61)
        fill(room, 28)
        [turn] = await room.send(A)
        await room.ended(turn)
        assert side.by == [A, B, A, B]
        fill(room, 60)
        [turn] = await room.send(A)
        await room.ended(turn)
        assert room.status(turn) == "completed"
        assert summaries(room)[-1][1] == "checkpoint"
