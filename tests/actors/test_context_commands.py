"""What resetting the room's context does to packets and native sessions."""

from groupx.actors.messages import ResetRoom
from groupx.domain.ids import ActorId
from tests.actors.fakes import answers, open_room

A, B = ActorId("agent:a"), ActorId("agent:b")


async def reset(room, command_id="reset", *, sessions=False):
    message = ResetRoom(client_command_id=command_id, reset_native_sessions=sessions)
    return await room.broker.ref.ask(message)


async def test_packets_after_a_reset_know_nothing_of_before(jumping_clock, tmp_path) -> None:
    async with open_room(tmp_path, "a", "b") as room:
        room.programs[A].script = room.programs[B].script = answers
        await room.ended(*await room.send(A, content="the old secret"))
        assert (await reset(room)).changed
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
