"""A new room: new sessions for everyone, told to whoever looks on, and nothing of before."""

import pytest

from groupx.actors.messages import ArchiveRoom, OpenRoom, PruneIdleRooms, Read, Write
from groupx.domain.commands import CommandKey
from groupx.domain.errors import GroupXError
from groupx.domain.ids import MAIN_ROOM, WEB_BINDING, ActorId
from groupx.domain.rooms import Idle, IdleRooms, NewRoom
from groupx.store.queries.rooms import list_rooms
from groupx.store.transactions.rooms import new_room
from tests.actors.fakes import answers, open_room

A, B = ActorId("agent:a"), ActorId("agent:b")


async def enter(room, command_id="new-room"):
    return await room.broker.ref.ask(OpenRoom(client_command_id=command_id, title="Next"))


async def test_every_agent_begins_a_new_session(jumping_clock, tmp_path) -> None:
    async with open_room(tmp_path, "a", "b") as room:
        for program in room.programs.values():
            program.script = answers
        await room.ended(*await room.send("@all", content="the old secret"))
        opened = await enter(room)
        await room.until(
            lambda: all(
                len(program.sessions) == 2 and program.sessions[0].closed.is_set()
                for program in room.programs.values()
            )
        )
        assert not any(program.sessions[0].killed for program in room.programs.values())
        await room.until(lambda: all(view.state == "idle" for view in room.directory.views()))
        for actor_id, program in room.programs.items():
            assert program.profiles[1].resume is None
            assert room.directory.view(actor_id).continuity == "new"
        await room.ended(*await room.send(A, content="something new"))
        prompt = room.programs[A].prompts[-1]
        assert prompt.session is room.programs[A].sessions[1]
        assert "the old secret" not in prompt.text
        [(room_id,)] = room.rows(
            "SELECT room_id FROM events WHERE event_type = 'message.created'"
            " AND body_json LIKE '%something new%'"
        )
        assert room_id == opened.room_id == room.transients.room_id


async def test_whoever_looks_on_is_told_in_the_room_before(jumping_clock, tmp_path) -> None:
    async with open_room(tmp_path, "a") as room:
        opened = await enter(room)
        assert [event["roomId"] for event in room.streamed("room.changed")] == [MAIN_ROOM]
        await room.until(
            lambda: any(
                event["roomId"] == opened.room_id for event in room.streamed("agent.changed")
            )
        )


async def test_a_message_right_behind_it_meets_a_new_session(jumping_clock, tmp_path) -> None:
    """The ledger has the new room already, and nobody has been told of it yet."""
    async with open_room(tmp_path, "a") as room:
        room.programs[A].script = answers
        await room.ended(*await room.send(A))
        key = CommandKey(
            binding_id=WEB_BINDING, client_command_id="c", command_type="room.new", request={}
        )
        await room.store.ask(Write(new_room, NewRoom(key=key)))
        await room.ended(*await room.send(A, content="right behind"))
        assert room.transients.room_id == MAIN_ROOM
        first, second = room.programs[A].sessions
        assert room.programs[A].prompts[-1].session is second
        assert first.closed.is_set()
        assert not second.closed.is_set()


async def test_a_session_that_was_being_opened_is_left_too(jumping_clock, tmp_path) -> None:
    async with open_room(tmp_path, "a") as room:
        room.programs[A].script = answers
        await room.ended(*await room.send(A))
        room.programs[A].start_seconds = 5
        await room.control(A, "restart")
        await room.until(lambda: len(room.programs[A].profiles) == 2)
        assert room.programs[A].profiles[1].resume is not None
        await enter(room)
        await room.ended(*await room.send(A, content="in the new room"))
        prompt = room.programs[A].prompts[-1]
        assert prompt.session.profile.resume is None
        assert prompt.session is room.programs[A].sessions[-1]


async def test_a_stopped_agent_stays_stopped_and_begins_anew_later(jumping_clock, tmp_path) -> None:
    async with open_room(tmp_path, "a", "b") as room:
        room.programs[B].script = answers
        await room.ended(*await room.send(B))
        await room.control(B, "stop")
        await room.until(lambda: room.directory.view(B).state == "stopped")
        await enter(room)
        await room.until(lambda: len(room.programs[A].sessions) == 2)
        assert len(room.programs[B].sessions) == 1
        await room.control(B, "start")
        await room.until(lambda: room.directory.view(B).state == "idle")
        assert room.programs[B].profiles[-1].resume is None
        assert room.directory.view(B).continuity == "new"


async def test_no_new_room_while_somebody_works(jumping_clock, tmp_path) -> None:
    async with open_room(tmp_path, "a") as room:
        [turn] = await room.send(A)
        prompt = await room.programs[A].next_prompt()
        with pytest.raises(GroupXError, match="STORE_CONFLICT"):
            await enter(room)
        assert room.transients.room_id == MAIN_ROOM
        prompt.answer()
        await room.ended(turn)
        assert len(room.programs[A].sessions) == 1


async def test_a_repeated_command_does_not_go_back(jumping_clock, tmp_path) -> None:
    async with open_room(tmp_path, "a") as room:
        first = await enter(room, "one")
        second = await enter(room, "two")
        again = await enter(room, "one")
        assert (again.room_id, again.active) == (first.room_id, False)
        assert room.transients.room_id == second.room_id
        assert len(await room.store.ask(Read(list_rooms, "all"))) == 3


async def test_archiving_and_pruning_tell_that_the_list_changed(jumping_clock, tmp_path) -> None:
    async with open_room(tmp_path, "a") as room:
        await enter(room)
        before = len(room.streamed("room.changed"))
        shown = ArchiveRoom(client_command_id="c1", room_id=MAIN_ROOM, archived=False)
        assert (await room.broker.ref.ask(shown)).archived_at is None
        found = IdleRooms(idle=Idle(before="9999"), room_ids=(MAIN_ROOM,))
        gone = PruneIdleRooms(
            client_command_id="c2", action="delete", older_than_days=1, found=found
        )
        done = await room.broker.ref.ask(gone)
        assert done.room_ids == (MAIN_ROOM,)
        assert len(room.streamed("room.changed")) == before + 2
        # The same request, however the clock has moved on, is the same command.
        later = IdleRooms(idle=Idle(before="9998"), room_ids=())
        same = PruneIdleRooms(
            client_command_id="c2", action="delete", older_than_days=1, found=later
        )
        assert await room.broker.ref.ask(same) == done
