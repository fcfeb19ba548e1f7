"""How an agent's session starts, fails to start, is lost and comes back."""

import pytest
import trio

from groupx.actors.session_keeper import start_seconds
from groupx.adapters.contract import AdapterStartError
from groupx.domain.errors import ErrorCode
from groupx.domain.ids import ActorId
from groupx.domain.limits import Timeouts
from groupx.domain.roster import AgentState
from tests.actors.fakes import answers, open_room

A = ActorId("agent:a")
NOT_NOW = AdapterStartError(ErrorCode.ADAPTER_START_FAILED, "The program ended at once.")


async def test_a_start_is_tried_three_times_with_pauses(jumping_clock, tmp_path) -> None:
    async with open_room(tmp_path, "a") as room:
        room.programs[A].start_errors = [NOT_NOW, NOT_NOW]
        room.programs[A].script = answers
        [turn] = await room.send(A)
        await room.ended(turn)
        assert room.status(turn) == "completed"
        assert len(room.programs[A].profiles) == 3
        retries = [event["body"] for event in room.streamed("session.retrying")]
        assert [retry["attempt"] for retry in retries] == [1, 2]
        assert retries[0]["errorCode"] == "ADAPTER_START_FAILED"
        assert [e["type"] for e in room.events() if e["type"].startswith("session")] == [
            "session.starting",
            "session.ready",
        ]


async def test_three_failures_fail_what_is_queued_and_each_new_turn_is_one_more_start(
    jumping_clock, tmp_path
) -> None:
    async with open_room(tmp_path, "a") as room:
        program = room.programs[A]
        program.always_fails = NOT_NOW
        turns = [*await room.send(A), *await room.send(A)]
        await room.ended(*turns)
        assert {room.turn(turn) for turn in turns} == {("failed", "ADAPTER_START_FAILED", None)}
        assert "ended at once" in room.events("turn.failed")[0]["message"]
        assert len(program.profiles) == 3
        view = room.directory.view(A)
        assert (view.state, view.last_error.code) == (AgentState.FAILED, "ADAPTER_START_FAILED")
        assert room.events("session.failed")[0]["attempt"] == 3
        await trio.sleep(3_600)
        assert len(program.profiles) == 3
        await room.ended(*await room.send(A))
        assert len(program.profiles) == 6
        program.always_fails, program.script = None, answers
        [turn] = await room.send(A)
        await room.ended(turn)
        assert room.status(turn) == "completed"
        view = room.directory.view(A)
        assert (view.state, view.last_error) == (AgentState.IDLE, None)


async def test_a_start_that_never_comes_to_an_end_is_given_up(jumping_clock, tmp_path) -> None:
    async with open_room(tmp_path, "a", started=False) as room:
        room.programs[A].start_seconds = 1e9
        room.nursery.start_soon(room.tree.run)
        began = trio.current_time()
        [turn] = await room.send(A)
        await room.ended(turn)
        bound = start_seconds(room.timeouts)
        assert 3 * bound <= trio.current_time() - began < 3 * bound + 3
        assert room.turn(turn) == ("failed", "PROTOCOL_HANDSHAKE_TIMEOUT", None)
        [failed] = room.events("turn.failed")
        assert f"gave no session within {bound:g} s" in failed["message"]
        assert room.directory.view(A).state is AgentState.FAILED


async def test_a_lasting_refusal_is_not_tried_again(jumping_clock, tmp_path) -> None:
    async with open_room(tmp_path, "a") as room:
        program = room.programs[A]
        program.always_fails = AdapterStartError(
            ErrorCode.NATIVE_POLICY_BLOCKED, "An administrator forbids it.", transient=False
        )
        [turn] = await room.send(A)
        await room.ended(turn)
        assert room.turn(turn) == ("failed", "NATIVE_POLICY_BLOCKED", None)
        assert len(program.profiles) == 1


async def test_the_queue_of_a_paused_lane_survives_a_failed_start(jumping_clock, tmp_path) -> None:
    async with open_room(tmp_path, "a") as room:
        room.programs[A].always_fails = NOT_NOW
        await room.set_lane(A, "paused")
        [turn] = await room.send(A)
        await trio.sleep(60)
        assert room.directory.view(A).state is AgentState.FAILED
        assert room.status(turn) == "queued"


async def test_an_idle_program_that_exits_is_started_once_more(jumping_clock, tmp_path) -> None:
    async with open_room(tmp_path, "a") as room:
        program = room.programs[A]
        program.script = answers
        await room.ended(*await room.send(A))
        program.sessions[0].exit(1)
        await room.until(lambda: len(program.sessions) == 2)
        await room.until(lambda: room.directory.view(A).state is AgentState.IDLE)
        assert room.directory.view(A).continuity == "rebuilt"
        [stopped] = room.events("session.stopped")
        assert stopped["errorCode"] == "ADAPTER_EXITED"


async def test_a_program_that_never_stays_is_not_started_for_ever(jumping_clock, tmp_path) -> None:
    async with open_room(tmp_path, "a") as room:
        program = room.programs[A]
        program.exits_after = 0.01
        await trio.sleep(600)
        assert len(program.sessions) == 1
        view = room.directory.view(A)
        assert (view.state, view.last_error.code) == (AgentState.FAILED, "ADAPTER_EXITED")
        program.exits_after, program.script = None, answers
        [turn] = await room.send(A)
        await room.ended(turn)
        assert room.status(turn) == "completed"


async def test_a_program_that_is_ready_but_dies_before_its_first_prompt_is_a_failed_start(
    jumping_clock, tmp_path
) -> None:
    async with open_room(tmp_path, "a") as room:
        program = room.programs[A]
        program.exits_after = 0
        await room.until(lambda: room.directory.view(A).state is AgentState.FAILED)
        program.sessions.clear()
        turns = [*await room.send(A), *await room.send(A)]
        await room.ended(*turns)
        assert {room.turn(turn) for turn in turns} == {("failed", "ADAPTER_EXITED", None)}
        assert len(program.sessions) == 3
        assert trio.current_time() > 1.5, "with pauses"
        assert [r["body"]["attempt"] for r in room.streamed("session.retrying")] == [1, 2]
        assert room.events("session.failed")[0]["attempt"] == 3
        view = room.directory.view(A)
        assert (view.state, view.last_error.code) == (AgentState.FAILED, "ADAPTER_EXITED")
        await trio.sleep(3_600)
        assert len(program.sessions) == 3
        await room.ended(*await room.send(A))
        assert len(program.sessions) == 6
        program.exits_after, program.script = None, answers
        [turn] = await room.send(A)
        await room.ended(turn)
        assert room.status(turn) == "completed"


async def test_failed_starts_and_early_deaths_share_one_budget(jumping_clock, tmp_path) -> None:
    async with open_room(tmp_path, "a") as room:
        program = room.programs[A]
        program.exits_after = 0
        await room.until(lambda: room.directory.view(A).state is AgentState.FAILED)
        program.start_errors = [NOT_NOW]
        [turn] = await room.send(A)
        await room.until(lambda: len(program.sessions) == 2)
        program.start_errors = [NOT_NOW]
        await room.ended(turn)
        assert room.turn(turn) == ("failed", "ADAPTER_START_FAILED", None)
        assert len(program.profiles) == 1 + 3


async def test_a_first_prompt_makes_the_budget_whole_again(jumping_clock, tmp_path) -> None:
    async with open_room(tmp_path, "a") as room:
        program = room.programs[A]
        for _ in range(3):
            program.start_errors, program.script = [NOT_NOW, NOT_NOW], answers
            [turn] = await room.send(A)
            await room.ended(turn)
            assert room.status(turn) == "completed"
            program.sessions[-1].exit(1)


async def test_a_folder_that_cannot_be_made_is_a_failed_start(jumping_clock, tmp_path) -> None:
    async with open_room(tmp_path / "run", "a") as room:
        [turn] = await room.send(A)
        await room.ended(turn)
        assert room.turn(turn) == ("failed", "ADAPTER_START_FAILED", None)
        [failed] = room.events("turn.failed")
        assert "no such file" in failed["message"]
        assert room.programs[A].profiles == []
        (tmp_path / "run").mkdir()
        room.programs[A].script = answers
        [turn] = await room.send(A)
        await room.ended(turn)
        assert room.status(turn) == "completed"


async def test_what_a_failed_try_leaves_in_its_folder_is_no_hindrance(
    jumping_clock, tmp_path, monkeypatch
) -> None:
    async with open_room(tmp_path, "a") as room:
        program = room.programs[A]
        program.start_errors, program.script = [NOT_NOW], answers
        with monkeypatch.context() as patch:
            patch.setattr("shutil.rmtree", lambda *_, **__: None)
            [turn] = await room.send(A)
            await room.ended(turn)
        assert room.status(turn) == "completed"
        assert len({profile.run_dir for profile in program.profiles}) == 2
        [rest] = [p for p in tmp_path.iterdir() if str(p) == program.profiles[0].run_dir]
        rest.rmdir()


async def test_a_restart_by_hand_resumes_the_session(jumping_clock, tmp_path) -> None:
    async with open_room(tmp_path, "a") as room:
        program = room.programs[A]
        program.script = answers
        await room.ended(*await room.send(A, content="remember me"))
        await room.control(A, "restart")
        await room.until(lambda: len(program.sessions) == 2)
        assert program.profiles[1].resume == program.sessions[0].native_id
        await room.ended(*await room.send(A))
        assert room.directory.view(A).continuity == "resumed"
        assert "remember me" not in program.prompts[1].text
        assert len(room.events("session.resumed")) == 1


async def test_a_session_that_cannot_be_resumed_is_rebuilt_and_says_so(
    jumping_clock, tmp_path
) -> None:
    async with open_room(tmp_path, "a") as room:
        program = room.programs[A]
        program.script = answers
        await room.ended(*await room.send(A, content="remember me"))
        program.start_errors = [
            AdapterStartError(ErrorCode.NATIVE_RESUME_UNSUPPORTED, "No such session.")
        ]
        await room.control(A, "restart")
        await room.until(lambda: len(program.sessions) == 2)
        await room.ended(*await room.send(A))
        assert [profile.resume is None for profile in program.profiles] == [True, False, True]
        assert room.directory.view(A).continuity == "rebuilt"
        assert "remember me" in program.prompts[1].text


async def test_a_session_that_cannot_be_resumed_costs_no_try_and_is_asked_for_once(
    jumping_clock, tmp_path
) -> None:
    async with open_room(tmp_path, "a") as room:
        program = room.programs[A]
        program.script = answers
        await room.ended(*await room.send(A))
        began = trio.current_time()
        program.start_errors = [
            AdapterStartError(ErrorCode.NATIVE_RESUME_UNSUPPORTED, "It hung."),
            NOT_NOW,
            NOT_NOW,
        ]
        await room.control(A, "restart")
        await room.until(lambda: len(program.sessions) == 2)
        assert trio.current_time() - began < 2.5
        assert [profile.resume is None for profile in program.profiles] == [
            True, False, True, True, True
        ]  # fmt: skip
        assert room.directory.view(A).last_error is None


async def test_a_session_that_was_never_prompted_is_not_resumed(jumping_clock, tmp_path) -> None:
    async with open_room(tmp_path, "a") as room:
        program = room.programs[A]
        await room.until(lambda: room.directory.view(A).state is AgentState.IDLE)
        await room.control(A, "restart")
        await room.until(lambda: len(program.sessions) == 2)
        assert program.profiles[1].resume is None
        await room.until(lambda: room.directory.view(A).continuity == "new")


async def test_an_agent_that_was_told_something_stays_rebuilt_until_its_next_turn(
    jumping_clock, tmp_path
) -> None:
    async with open_room(tmp_path, "a") as room:
        program = room.programs[A]
        program.script = answers
        await room.ended(*await room.send(A, content="remember me"))
        program.start_errors = [
            AdapterStartError(ErrorCode.NATIVE_RESUME_UNSUPPORTED, "No such session.")
        ]
        for count in (2, 3, 4):
            await room.control(A, "restart")
            await room.until(lambda count=count: len(program.sessions) == count)
            await room.until(lambda: room.directory.view(A).state is AgentState.IDLE)
            assert room.directory.view(A).continuity == "rebuilt"
        await room.ended(*await room.send(A))
        assert "remember me" in program.prompts[1].text


async def test_a_turn_stopped_by_force_stays_rebuilt_after_a_restart(
    jumping_clock, tmp_path
) -> None:
    async with open_room(tmp_path, "a") as room:
        program = room.programs[A]
        [turn] = await room.send(A)
        prompt = await program.next_prompt()
        prompt.say("half")
        await room.cancel(turn, force=True)
        await room.ended(turn)
        await room.until(lambda: room.directory.view(A).state is AgentState.IDLE)
        assert room.directory.view(A).continuity == "rebuilt"
        await room.control(A, "restart")
        await room.until(lambda: len(program.sessions) == 3)
        await room.until(lambda: room.directory.view(A).state is AgentState.IDLE)
        assert room.directory.view(A).continuity == "rebuilt"


async def test_one_that_was_never_told_anything_is_new_however_often_it_was_lost(
    jumping_clock, tmp_path
) -> None:
    async with open_room(tmp_path, "a") as room:
        program = room.programs[A]
        await room.until(lambda: room.directory.view(A).state is AgentState.IDLE)
        program.sessions[0].exit(1)
        program.script = answers
        await room.ended(*await room.send(A))
        assert len(program.sessions) == 2
        assert {e["continuity"] for e in room.events("session.ready")} == {"new"}


@pytest.mark.parametrize("secret", ["run_dir"])
async def test_each_session_has_a_private_folder_while_it_lives(
    jumping_clock, tmp_path, secret
) -> None:
    async with open_room(tmp_path, "a") as room:
        await room.until(lambda: bool(room.programs[A].sessions))
        [folder] = tmp_path.iterdir()
        assert str(folder) == getattr(room.programs[A].profiles[0], secret)
        assert folder.stat().st_mode & 0o777 == 0o700


# --- the end of a session is bounded, whatever its program does ------------------------------


async def test_a_session_that_does_not_close_is_killed(jumping_clock, tmp_path) -> None:
    async with open_room(tmp_path, "a", timeouts=Timeouts(close=5_000)) as room:
        await room.until(lambda: room.directory.view(A).state is AgentState.IDLE)
        [session] = room.programs[A].sessions
        session.close = trio.sleep_forever
        began = trio.current_time()
        await room.control(A, "stop")
        await room.until(lambda: room.directory.view(A).state is AgentState.STOPPED)
        assert 16 <= trio.current_time() - began < 17
        assert session.killed
        assert [event["instanceId"] for event in room.events("session.stopped")]


async def test_one_that_a_kill_does_not_end_is_left(jumping_clock, tmp_path) -> None:
    async with open_room(tmp_path, "a", timeouts=Timeouts(close=5_000)) as room:
        await room.until(lambda: room.directory.view(A).state is AgentState.IDLE)
        [session] = room.programs[A].sessions
        session.broken, session.kill = True, lambda: None
        room.programs[A].script = answers
        began = trio.current_time()
        [turn] = await room.send(A)
        await room.ended(turn)
        assert room.status(turn) == "completed"
        assert 5 <= trio.current_time() - began < 7
        assert len(room.programs[A].sessions) == 2
