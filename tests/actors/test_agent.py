"""An agent's lane from message to terminal event, whatever its program does."""

import pytest
import trio

from groupx.actors.messages import BuildPacket, RunAgain
from groupx.adapters.contract import (
    AdapterStartError,
    Cancelled,
    Completed,
    ContentDelta,
    Failed,
    Interaction,
    ReasoningDelta,
    Started,
    ToolUpdate,
)
from groupx.domain.errors import ErrorCode
from groupx.domain.ids import ActorId
from groupx.domain.limits import Limits
from tests.actors.fakes import answers, open_room

A, B = ActorId("agent:a"), ActorId("agent:b")


async def test_a_turn_from_message_to_answer(jumping_clock, tmp_path) -> None:
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


async def test_a_lane_is_first_in_first_out_and_lanes_run_in_parallel(
    jumping_clock, tmp_path
) -> None:
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


async def test_what_was_seen_is_stored_once_at_the_end(jumping_clock, tmp_path) -> None:
    async with open_room(tmp_path, "a") as room:
        [turn] = await room.send(A)
        prompt = await room.programs[A].next_prompt()
        prompt.emit(Started(), ReasoningDelta("hm"), ReasoningDelta("m"), ContentDelta("First."))
        prompt.emit(
            ToolUpdate(phase="started", tool_call_id="t1", name="read", status="in_progress"),
            ToolUpdate(phase="updated", tool_call_id="t1", name="read", status="in_progress"),
            ToolUpdate(phase="completed", tool_call_id="t1", name="read", status="completed"),
            ContentDelta("Second."),
        )
        assert room.hub.live(turn).text == "First.\n\nSecond."
        assert room.hub.live(turn).chunk_index == 2
        prompt.finish(Completed(stop_reason="max_tokens"))
        await room.ended(turn)
        assert room.hub.live(turn) is None
        stored = room.events()[-5:]
        assert [event["type"] for event in stored] == [
            "turn.reasoning.recorded",
            "tool.progress.recorded",
            "tool.progress.recorded",
            "message.created",
            "turn.completed",
        ]
        assert stored[0]["content"] == "hmm"
        assert [event["nativeType"] for event in stored[1:3]] == ["tool.started", "tool.completed"]
        assert stored[3]["content"] == "First.\n\nSecond."
        assert stored[3]["finalOffset"] == len("First.\n\n")
        assert stored[3]["stopReason"] == "max_tokens"
        streamed = room.streamed("turn.content.delta")
        assert "".join(e["body"]["text"] for e in streamed) == "First.\n\nSecond."
        assert len(room.streamed("tool.progress")) == 3
        assert {e["correlationId"] for e in streamed} == {
            room.rows("SELECT correlation_id FROM events WHERE event_type = 'turn.completed'")[0][0]
        }


async def test_what_streams_hangs_on_the_same_things_as_what_is_stored(
    jumping_clock, tmp_path
) -> None:
    async with open_room(tmp_path, "a") as room:
        [first] = await room.send(A)
        failed = Failed(code=ErrorCode.NATIVE_TURN_FAILED, message="No.")
        (await room.programs[A].next_prompt()).finish(failed)
        await room.ended(first)
        room.programs[A].script = answers
        again = RunAgain(client_command_id="again", kind="retry", turn_id=first)
        [turn] = [turn.turn_id for turn in (await room.broker.ref.ask(again)).turns]
        await room.ended(turn)
        [stored] = room.rows(
            "SELECT correlation_id, root_correlation_id, actor_id, instance_id, causation_id"
            " FROM events WHERE event_type = 'turn.started' AND causation_id = ?",
            turn,
        )
        assert stored[0] != stored[1], "a retry goes back to what it repeats"
        streamed = [
            event
            for event in room.streamed("turn.progress", "turn.content.delta")
            if event["body"]["turnId"] == turn
        ]
        assert len(streamed) > 2
        for event in streamed:
            assert stored == (
                event["correlationId"],
                event["rootCorrelationId"],
                event["actor"]["actorId"],
                event["actor"]["instanceId"],
                event["causationId"],
            )


async def test_an_answer_without_text_is_an_answer(jumping_clock, tmp_path) -> None:
    async with open_room(tmp_path, "a") as room:
        [turn] = await room.send(A)
        (await room.programs[A].next_prompt()).finish(Completed())
        await room.ended(turn)
        assert room.turn(turn) == ("completed", None, "delivered")
        assert room.events("message.created")[1]["content"] == ""


async def test_a_continued_session_gets_only_what_it_has_not_seen(jumping_clock, tmp_path) -> None:
    async with open_room(tmp_path, "a", "b") as room:
        for program in room.programs.values():
            program.script = answers
        for content in ("first", "second"):
            await room.ended(*await room.send(A, content=content))
        await room.ended(*await room.send(B, content="for b"))
        await room.ended(*await room.send(A, content="third"))
        texts = [prompt.text for prompt in room.programs[A].prompts]
        assert "first" not in texts[1]
        assert "for b" in texts[2]
        assert "second" not in texts[2]
        assert "answer 1" in texts[2]
        assert "source=self" not in texts[2]
        assert "first" in room.programs[B].prompts[0].text


async def test_a_paused_lane_waits_and_goes_on(jumping_clock, tmp_path) -> None:
    async with open_room(tmp_path, "a") as room:
        room.programs[A].script = answers
        await room.set_lane(A, "paused")
        assert room.directory.view(A).paused
        [turn] = await room.send(A)
        await trio.sleep(100)
        assert room.status(turn) == "queued"
        assert room.directory.view(A).lane.queued == 1
        await room.set_lane(A, "runnable")
        await room.ended(turn)
        assert room.status(turn) == "completed"


async def test_partial_text_is_kept_every_two_seconds(jumping_clock, tmp_path) -> None:
    async with open_room(tmp_path, "a") as room:
        [turn] = await room.send(A)
        prompt = await room.programs[A].next_prompt()
        writes_before = room.writer.ledger.stats.writes
        for _ in range(100):
            prompt.emit(Started(), ContentDelta("x"))
            await trio.sleep(0.1)
        partial = room.rows("SELECT partial_text FROM turns WHERE turn_id = ?", turn)[0][0]
        assert 80 <= len(partial) <= 100
        assert room.writer.ledger.stats.writes - writes_before <= 7
        prompt.finish(Completed())
        await room.ended(turn)


async def test_one_agent_that_fails_touches_no_other(jumping_clock, tmp_path) -> None:
    async with open_room(tmp_path, "a", "b") as room:
        room.programs[A].always_fails = AdapterStartError(
            ErrorCode.NATIVE_LOGIN_REQUIRED, "Log in first.", transient=False
        )
        room.programs[B].script = answers
        turn_a, turn_b = await room.send("@all")
        await room.ended(turn_a, turn_b)
        assert room.turn(turn_a) == ("failed", "NATIVE_LOGIN_REQUIRED", None)
        assert room.turn(turn_b) == ("completed", None, "delivered")
        assert room.directory.view(A).state == "failed"
        assert room.directory.view(B).state == "idle"


async def test_native_failures_end_the_turn_and_keep_the_session(jumping_clock, tmp_path) -> None:
    async with open_room(tmp_path, "a") as room:
        [turn, later] = [*await room.send(A), *await room.send(A)]
        prompt = await room.programs[A].next_prompt()
        prompt.emit(Started())
        prompt.finish(Failed(code=ErrorCode.NATIVE_QUOTA_EXCEEDED, message="No quota left."))
        (await room.programs[A].next_prompt()).answer()
        await room.ended(turn, later)
        assert room.turn(turn) == ("failed", "NATIVE_QUOTA_EXCEEDED", "delivered")
        assert room.events("turn.failed")[0]["message"] == "No quota left."
        assert len(room.programs[A].sessions) == 1


async def test_an_interaction_fails_the_turn_once_and_leaves_nothing(
    jumping_clock, tmp_path
) -> None:
    async with open_room(tmp_path, "a") as room:
        [turn] = await room.send(A)
        prompt = await room.programs[A].next_prompt()
        prompt.finish(Interaction(kind="permission", reason="write file"))
        await room.ended(turn)
        assert room.turn(turn) == ("failed", "UNEXPECTED_NATIVE_INTERACTION", "delivered")
        [event] = room.events("turn.failed")
        assert event["interaction"] == {"kind": "permission", "reason": "write file"}


@pytest.mark.parametrize("began", [False, True])
async def test_a_program_that_exits_mid_turn_is_never_sent_the_turn_again(
    jumping_clock, tmp_path, began
) -> None:
    async with open_room(tmp_path, "a") as room:
        [turn, later] = [*await room.send(A), *await room.send(A)]
        prompt = await room.programs[A].next_prompt()
        if began:
            prompt.say("half")
        prompt.session.exit(3)
        (await room.programs[A].next_prompt()).answer()
        await room.ended(turn, later)
        certainty = "delivered" if began else "unknown"
        assert room.turn(turn) == ("interrupted", "ADAPTER_EXITED", certainty)
        assert room.turn(later)[0] == "completed"
        [event] = room.events("turn.interrupted")
        assert event["partialCharacters"] == (4 if began else 0)
        assert "exit code 3" in event["message"]
        assert "last words" not in event["message"]
        shown = [change["body"]["agent"] for change in room.streamed("agent.changed")]
        errors = [agent["lastError"]["message"] for agent in shown if agent.get("lastError")]
        assert errors
        assert all(error.endswith('. It said: "last words".') for error in errors)
        view = room.directory.view(A)
        assert (view.state, view.continuity) == ("idle", "rebuilt")


async def test_a_line_that_cannot_be_trusted_costs_the_session(jumping_clock, tmp_path) -> None:
    async with open_room(tmp_path, "a") as room:
        [turn] = await room.send(A)
        prompt = await room.programs[A].next_prompt()
        prompt.finish(
            Failed(
                code=ErrorCode.PROTOCOL_INVALID_MESSAGE,
                message="Not JSON.",
                evidence=False,
                session_usable=False,
            )
        )
        await room.ended(turn)
        assert room.turn(turn)[:2] == ("failed", "PROTOCOL_INVALID_MESSAGE")
        await room.until(lambda: room.directory.view(A).state == "idle")
        assert [session.killed for session in room.programs[A].sessions] == [True, False]
        assert room.events("session.ready")[1]["continuity"] == "rebuilt"


async def test_a_packet_that_cannot_be_built_fails_the_turn_and_moves_no_cursor(
    jumping_clock, tmp_path
) -> None:
    async with open_room(tmp_path, "a", limits=Limits(context_characters=1_500)) as room:
        room.programs[A].script = answers
        [turn] = await room.send(A, content="x" * 3_000)
        await room.ended(turn)
        assert room.turn(turn) == ("failed", "CONTEXT_BUDGET_EXCEEDED", None)
        assert room.rows("SELECT * FROM delivery_cursors") == []
        assert room.programs[A].prompts == []


async def test_a_stale_claim_builds_the_packet_again(jumping_clock, tmp_path) -> None:
    async with open_room(tmp_path, "a") as room:
        room.programs[A].script = answers
        built = []
        build = room.context._handlers[BuildPacket]

        async def build_and_move_the_floor(request):
            packet = await build(request)
            built.append(packet)
            if len(built) <= 4:
                room.conn.execute(
                    "INSERT INTO context_resets (reset_id, room_id, through_seq,"
                    " reset_native_sessions, created_at) VALUES (?, 'room:main', ?, 0, 'now')",
                    (f"reset_{len(built)}", len(built)),
                )
            return packet

        room.context._handlers[BuildPacket] = build_and_move_the_floor
        [turn] = await room.send(A)
        await room.ended(turn)
        assert room.status(turn) == "completed"
        assert len(built) == 5
        assert len(room.rows("SELECT * FROM turn_attempts")) == 1


async def test_a_cancel_that_nobody_asked_for_says_whose_it_was(jumping_clock, tmp_path) -> None:
    async with open_room(tmp_path, "a") as room:
        [turn] = await room.send(A)
        (await room.programs[A].next_prompt()).finish(Cancelled())
        await room.ended(turn)
        assert room.turn(turn)[0] == "cancelled"
        assert room.events("turn.cancelled")[0]["reason"] == "program"
