"""What resetting the room's context does to packets and native sessions."""

import pytest
import trio

from groupx.actors.messages import BuildPacket, CompactContext, MeasureContext, ResetRoom, RunAgain
from groupx.actors.side_sessions import SideAnswer, SideFailure
from groupx.domain.errors import ErrorCode, GroupXError
from groupx.domain.ids import ActorId
from groupx.domain.limits import Limits
from groupx.domain.packet import Packet
from tests.actors.fakes import answers, open_room

A, B = ActorId("agent:a"), ActorId("agent:b")


async def reset(room, command_id="reset", *, sessions=False):
    message = ResetRoom(client_command_id=command_id, reset_native_sessions=sessions)
    return await room.broker.ref.ask(message)


async def test_packets_after_a_reset_know_nothing_of_before(jumping_clock, tmp_path) -> None:
    async with open_room(tmp_path, "a", "b") as room:
        room.programs[A].script = room.programs[B].script = answers
        await room.ended(*await room.send(A, content="the old secret"))
        assert room.directory.view(A).context is not None
        assert (await reset(room)).changed
        await room.until(lambda: room.directory.view(A).context is None)
        await room.ended(*await room.send("@all", content="something new"))
        for actor_id, old_answers in ((A, 1), (B, 0)):
            program = room.programs[actor_id]
            assert len(program.sessions) == 1
            assert len(program.prompts) == old_answers + 1
            assert "something new" in program.prompts[-1].text
            assert "the old secret" not in program.prompts[-1].text
            assert "answer 1" not in program.prompts[-1].text


async def test_with_sessions_every_idle_agent_begins_a_new_one(jumping_clock, tmp_path) -> None:
    async with open_room(tmp_path, "a", "b") as room:
        room.programs[A].script = room.programs[B].script = answers
        await room.ended(*await room.send("@all"))
        await reset(room, sessions=True)
        await room.until(
            lambda: all(
                len(program.sessions) == 2 and program.sessions[0].closed.is_set()
                for program in room.programs.values()
            )
        )
        await room.until(lambda: all(view.state == "idle" for view in room.directory.views()))
        for actor_id, program in room.programs.items():
            assert program.profiles[1].resume is None
            assert not program.sessions[0].killed
            assert room.directory.view(actor_id).continuity == "new"
        [epochs] = {tuple(row) for row in room.rows("SELECT epoch, characters FROM context_usage")}
        assert epochs[0] >= 1
        assert epochs[1] is None


async def test_a_reset_while_a_packet_is_built_sends_it_into_a_new_session(
    jumping_clock, tmp_path
) -> None:
    """Between the lane's head and the claim there may be minutes: a compaction, a start."""
    async with open_room(tmp_path, "a") as room:
        program = room.programs[A]
        program.script = answers
        await room.ended(*await room.send(A, content="the old secret"))
        build = room.context._handlers[BuildPacket]
        began, may = trio.Event(), trio.Event()

        async def slowly(request: BuildPacket) -> Packet:
            began.set()
            await may.wait()
            return await build(request)

        room.context._handlers[BuildPacket] = slowly
        turns = await room.send(A, content="next")
        await began.wait()
        assert (await reset(room, sessions=True)).changed
        may.set()
        await room.ended(*turns)
        old, new = program.prompts
        assert new.session is not old.session
        assert "the old secret" not in new.text
        assert len(program.sessions) == 2


async def test_whoever_works_ends_its_turn_in_its_old_session(jumping_clock, tmp_path) -> None:
    async with open_room(tmp_path, "a") as room:
        [turn] = await room.send(A, content="the old secret")
        working = await room.programs[A].next_prompt()
        assert (await reset(room, sessions=True)).changed
        [waiting] = await room.send(A, content="next")
        working.answer("from the old session")
        following = await room.programs[A].next_prompt()
        following.answer()
        await room.ended(turn, waiting)
        assert not working.session.killed
        assert working.session.closed.is_set()
        assert following.session is room.programs[A].sessions[1]
        assert following.session.profile.resume is None
        assert "the old secret" not in following.text


async def test_a_second_one_with_nothing_said_renews_nobody(jumping_clock, tmp_path) -> None:
    async with open_room(tmp_path, "a") as room:
        room.programs[A].script = answers
        await room.ended(*await room.send(A))
        first = await reset(room, "one", sessions=True)
        await room.until(lambda: len(room.programs[A].sessions) == 2)
        again = await reset(room, "two", sessions=True)
        assert (again.through_seq, again.changed) == (first.through_seq, False)
        assert await reset(room, "one", sessions=True) == first
        await room.ended(*await room.send(A, content="go on"))
        assert len(room.programs[A].sessions) == 2


async def test_one_that_renews_sessions_does_so_after_one_that_left_them(
    jumping_clock, tmp_path
) -> None:
    async with open_room(tmp_path, "a") as room:
        program = room.programs[A]
        program.script = answers
        await room.ended(*await room.send(A, content="the old secret"))
        first = await reset(room, "one")
        second = await reset(room, "two", sessions=True)
        assert second.changed
        assert second.through_seq > first.through_seq
        await room.until(lambda: len(program.sessions) == 2)
        await room.ended(*await room.send(A, content="go on"))
        assert program.profiles[1].resume is None
        assert program.prompts[1].session is program.sessions[1]
        assert "the old secret" not in program.prompts[1].text


async def test_a_stopped_agent_stays_stopped(jumping_clock, tmp_path) -> None:
    async with open_room(tmp_path, "a") as room:
        room.programs[A].script = answers
        await room.ended(*await room.send(A))
        await room.control(A, "stop")
        await room.until(lambda: room.directory.view(A).state == "stopped")
        await reset(room, sessions=True)
        await room.control(A, "start")
        await room.until(lambda: room.directory.view(A).state == "idle")
        assert room.programs[A].profiles[-1].resume is None
        assert len(room.programs[A].sessions) == 2


class Writer:
    """Writes a checkpoint beside the room as soon as it is let to."""

    def __init__(self) -> None:
        self.asked = 0
        self.may = trio.Event()

    async def ask(self, actor_id: ActorId, text: str) -> SideAnswer:
        self.asked += 1
        await self.may.wait()
        return SideAnswer(text="what was said so far")


async def compact(room, command_id="compact"):
    return await room.broker.ref.ask(CompactContext(client_command_id=command_id))


async def test_a_compaction_is_begun_once_for_one_command(jumping_clock, tmp_path) -> None:
    async with open_room(tmp_path, "a") as room:
        room.side = writer = Writer()
        room.programs[A].script = answers
        with pytest.raises(GroupXError) as refused:
            await compact(room)
        assert refused.value.code is ErrorCode.STORE_CONFLICT
        for number in range(8):
            await room.ended(*await room.send(A, content=f"message {number}"))
        begun = await compact(room)
        assert await compact(room) == begun
        assert await compact(room, "another") == begun, "one at a time"
        before = await room.context.ref.ask(MeasureContext())
        writer.may.set()
        await room.until(lambda: room.streamed("context.compaction.completed") != [])
        assert await compact(room) == begun, "as it was answered, though there is nothing to do"
        assert writer.asked == 1
        [told] = room.streamed("context.compaction.completed")
        assert told["body"]["compactionId"] == begun.compaction_id
        after = await room.context.ref.ask(MeasureContext())
        assert (before.uncompacted_message_count, after.uncompacted_message_count) == (16, 12)
        assert (before.summary_through_seq is None, after.compactable) == (True, False)
        measures = {(it.source, it.characters is None, it.epoch) for it in after.by_source}
        assert measures == {("turn", True, 1), ("compaction", False, 0)}


async def test_a_reset_while_a_checkpoint_is_written_wins(jumping_clock, tmp_path) -> None:
    async with open_room(tmp_path, "a") as room:
        room.side = writer = Writer()
        room.programs[A].script = answers
        for number in range(8):
            await room.ended(*await room.send(A, content=f"the old secret {number}"))
        await compact(room)
        await room.until(lambda: writer.asked == 1)
        done = await reset(room)
        writer.may.set()
        await room.ended(*await room.send(A, content="something new"))
        assert done.changed
        assert room.rows("SELECT * FROM summaries WHERE status = 'active'") == []
        view = await room.context.ref.ask(MeasureContext())
        assert (view.summary_through_seq, view.reset_through_seq) == (None, done.through_seq)
        assert "the old secret" not in room.programs[A].prompts[-1].text
        assert "so far" not in room.programs[A].prompts[-1].text


class Nobody:
    """No program writes anything beside the room."""

    async def ask(self, actor_id: ActorId, text: str) -> SideAnswer:
        raise SideFailure("ADAPTER_START_FAILED", "it is not well")


async def test_what_did_not_fit_is_sent_after_a_reset(jumping_clock, tmp_path) -> None:
    """What the refusal tells the user to do is what helps."""
    tiny = Limits(context_characters=8_000)
    async with open_room(tmp_path, "a", "b", limits=tiny) as room:
        room.side = Nobody()
        room.programs[A].script = room.programs[B].script = answers
        for number in range(8):
            await room.ended(*await room.send(A, content=f"{number} " + "x" * 1_000))
        [turn] = await room.send(B, content="and now?")
        await room.ended(turn)
        assert room.turn(turn) == ("failed", "CONTEXT_BUDGET_EXCEEDED", None)
        assert "`groupx context reset`" in room.events("turn.failed")[-1]["message"]
        await reset(room)
        again = RunAgain(client_command_id="again", kind="retry", turn_id=turn)
        [retried] = (await room.broker.ref.ask(again)).turns
        await room.ended(retried.turn_id)
        assert room.status(retried.turn_id) == "completed"
        [prompt] = room.programs[B].prompts
        assert "and now?" in prompt.text
