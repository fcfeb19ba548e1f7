"""Recovery phase 2: every state that a crash leaves × every answer of the agent's own program."""

from collections.abc import Awaitable, Callable

import pytest
import trio

from groupx.actors.recovery import RECOVERY_SECONDS
from groupx.adapters.contract import (
    Cancelled,
    Completed,
    ContentDelta,
    EventSink,
    Failed,
    PastAttempt,
    ReasoningDelta,
    Reconciled,
    Started,
    ToolUpdate,
)
from groupx.domain.attempts import Reconciliation
from groupx.domain.errors import ErrorCode
from groupx.domain.ids import ActorId
from groupx.domain.roster import AgentState
from tests.actors.crashed import PARTIAL, leave, next_run
from tests.actors.fakes import FakeProgram, Room, answers, open_room

INVOKED, INVOKED_CANCELLING = ActorId("agent:a"), ActorId("agent:b")
STARTED, STARTED_CANCELLING = ActorId("agent:c"), ActorId("agent:d")
STATES = {
    INVOKED: (False, False),
    INVOKED_CANCELLING: (False, True),
    STARTED: (True, False),
    STARTED_CANCELLING: (True, True),
}
"""Agent → whether its turn has begun, and whether the user has cancelled it."""
A = INVOKED
CUT = ("interrupted", "TURN_INTERRUPTED")
MATCHED = Reconciliation.MATCHED_TERMINAL

Record = Callable[[PastAttempt, EventSink], Awaitable[Reconciled]]


def says(found: Reconciled) -> Record:
    async def record(attempt: PastAttempt, sink: EventSink) -> Reconciled:
        if found.native_turn_id is not None:
            sink(Started(found.native_turn_id))
        if found.end is not None and not isinstance(found.end, Cancelled):
            sink(ReasoningDelta("thought"))
            sink(ContentDelta("first"))
            for phase in ("started", "completed"):
                sink(ToolUpdate(phase=phase, tool_call_id="t", name="ls", status="completed"))
            sink(ContentDelta("last"))
        return found

    return record


FAILED = Failed(code=ErrorCode.NATIVE_QUOTA_EXCEEDED, message="No more for today.")
ANSWERS: dict[str, tuple[Record | None, str]] = {
    "completed": (says(Reconciled(MATCHED, Completed(), "n")), "matched_terminal"),
    "failed": (says(Reconciled(MATCHED, FAILED, "n")), "matched_terminal"),
    "stopped": (says(Reconciled(MATCHED, Cancelled(), "n")), "matched_terminal"),
    "running": (
        says(Reconciled(Reconciliation.MATCHED_RUNNING, None, "n")),
        "matched_running",
    ),
    "not found": (says(Reconciled(Reconciliation.NOT_FOUND)), "not_found"),
    "unavailable": (says(Reconciled(Reconciliation.UNAVAILABLE)), "unavailable"),
    "unsupported": (says(Reconciled(Reconciliation.UNSUPPORTED)), "unsupported"),
    "silent": (None, "unavailable"),
}
COMPLETED, FAILURE, STOPPED = (
    ("completed", None, "delivered"),
    ("failed", "NATIVE_QUOTA_EXCEEDED", "delivered"),
    ("cancelled", None, "delivered"),
)
UNKNOWN, DELIVERED = (*CUT, "unknown"), (*CUT, "delivered")
UNPROVEN = {
    INVOKED: UNKNOWN,
    INVOKED_CANCELLING: UNKNOWN,
    STARTED: DELIVERED,
    STARTED_CANCELLING: DELIVERED,
}
TABLE = {
    "completed": dict.fromkeys(STATES, COMPLETED),
    "failed": dict.fromkeys(STATES, FAILURE),
    "stopped": {
        INVOKED: DELIVERED,
        INVOKED_CANCELLING: STOPPED,
        STARTED: DELIVERED,
        STARTED_CANCELLING: STOPPED,
    },
    "running": dict.fromkeys(STATES, DELIVERED),
    "not found": UNPROVEN,
    "unavailable": UNPROVEN,
    "unsupported": UNPROVEN,
    "silent": UNPROVEN,
}


def start(room: Room) -> None:
    room.nursery.start_soon(room.tree.run)


async def everything_left(room: Room) -> dict[ActorId, str]:
    return {
        actor_id: await leave(room, actor_id, begun=begun, cancelling=cancelling)
        for actor_id, (begun, cancelling) in STATES.items()
    }


def reconciliation(room: Room, turn_id: str) -> str:
    [(found,)] = room.rows("SELECT reconciliation FROM turn_attempts WHERE turn_id = ?", turn_id)
    return found


@pytest.mark.slow
@pytest.mark.parametrize("answer", TABLE)
async def test_the_table(jumping_clock, tmp_path, answer) -> None:
    async with open_room(tmp_path, "a", "b", "c", "d", started=False) as room:
        turns = await everything_left(room)
        assert len((await next_run(room)).undecided) == 4
        record, written = ANSWERS[answer]
        for program in room.programs.values():
            program.record, program.script = record, answers
        start(room)
        await room.ended(*turns.values())
        assert trio.current_time() <= RECOVERY_SECONDS + 1
        for actor_id, turn_id in turns.items():
            assert room.turn(turn_id) == TABLE[answer][actor_id], actor_id
            assert reconciliation(room, turn_id) == written
        for event in room.events("turn.interrupted"):
            assert event["reconciliation"] == written
            unknown = event["deliveryCertainty"] == "unknown"
            assert ("may never have read" in event["message"]) == unknown
        # What waited goes out now, and nothing else ever does.
        waiting = [turn for (turn,) in room.rows("SELECT turn_id FROM turns")]
        await room.ended(*waiting)
        assert {len(program.prompts) for program in room.programs.values()} == {1}
        before = room.rows("SELECT * FROM events")
        assert (await next_run(room)).undecided == ()
        assert room.rows("SELECT * FROM events") == before


async def test_what_a_completed_turn_is_told_with(jumping_clock, tmp_path) -> None:
    async with open_room(tmp_path, "a", started=False) as room:
        turn_id = await leave(room, A, begun=False, cancelling=False, waiting=False)
        await next_run(room)
        program = room.programs[A]
        program.record = ANSWERS["completed"][0]
        start(room)
        await room.ended(turn_id)
        [attempt] = program.asked
        assert (attempt.native_session_id, attempt.native_turn_id) == ("thread-a", None)
        [response] = [e for e in room.events("message.created") if e["actor"] == A]
        assert (response["content"], response["finalOffset"]) == ("first\n\nlast", 7)
        [reasoning] = room.events("turn.reasoning.recorded")
        assert reasoning["content"] == "thought"
        assert len(room.events("tool.progress.recorded")) == 2
        [begun] = room.events("turn.started")
        assert begun["attemptId"] == attempt.attempt_id
        assert room.rows("SELECT native_turn_id FROM turn_attempts") == [("n",)]
        [(delivered,)] = room.rows("SELECT count(*) FROM delivery_cursors")
        assert delivered == 1


@pytest.mark.parametrize("answer", ["stopped", "not found"])
async def test_an_interrupted_turn_keeps_its_partial_text(jumping_clock, tmp_path, answer) -> None:
    async with open_room(tmp_path, "a", started=False) as room:
        turn_id = await leave(room, A, begun=True, cancelling=False, waiting=False)
        await next_run(room)
        room.programs[A].record = ANSWERS[answer][0]
        start(room)
        await room.ended(turn_id)
        assert room.rows("SELECT partial_text FROM turns") == [(PARTIAL,)]
        [event] = room.events("turn.interrupted")
        assert event["partialCharacters"] == len(PARTIAL)


async def test_a_program_that_cannot_tell_is_not_asked(jumping_clock, tmp_path) -> None:
    async with open_room(tmp_path, "a", "b", "c", "d", started=False) as room:
        turns = await everything_left(room)
        recovered = await next_run(room, able=False)
        assert (recovered.undecided, recovered.interrupted) == ((), 4)
        for actor_id, turn_id in turns.items():
            assert room.turn(turn_id) == UNPROVEN[actor_id]
            assert reconciliation(room, turn_id) == "unsupported"
        assert all(program.asked == [] for program in room.programs.values())


async def test_one_lane_recovers_and_nobody_else_waits(jumping_clock, tmp_path) -> None:
    async with open_room(tmp_path, "a", "b", started=False) as room:
        turn_id = await leave(room, A, begun=True, cancelling=False)
        await next_run(room)
        other = room.programs[INVOKED_CANCELLING]
        other.script = answers
        start(room)
        [theirs] = await room.send("agent:b")
        await room.ended(theirs)
        assert room.status(theirs) == "completed"
        assert room.status(turn_id) == "running"
        assert room.directory.view(A).state is AgentState.RECOVERING
        assert room.programs[A].sessions == []
        await room.ended(turn_id)
        assert trio.current_time() == pytest.approx(RECOVERY_SECONDS, abs=1)


async def test_a_driver_that_was_changed_decides_without_a_program(jumping_clock, tmp_path) -> None:
    async with open_room(tmp_path, "a", started=False) as room:
        turn_id = await leave(room, A, begun=True, cancelling=False, waiting=False)
        await next_run(room)
        program = room.programs[A]
        program.adapter_id = "other"
        start(room)
        await room.ended(turn_id)
        assert room.turn(turn_id) == DELIVERED
        assert reconciliation(room, turn_id) == "unsupported"
        assert program.asked == []


async def test_an_agent_that_is_stopped_meanwhile_is_decided_without_its_program(
    jumping_clock, tmp_path
) -> None:
    async with open_room(tmp_path, "a", started=False) as room:
        turn_id = await leave(room, A, begun=True, cancelling=False, waiting=False)
        await next_run(room)
        start(room)
        await room.until(lambda: room.directory.view(A).state is AgentState.RECOVERING)
        await room.control(A, "stop")
        await room.ended(turn_id)
        assert trio.current_time() < 5
        assert room.directory.view(A).state is AgentState.STOPPED
        assert room.turn(turn_id) == DELIVERED
        assert reconciliation(room, turn_id) == "unsupported"


@pytest.mark.parametrize(
    ("answer", "end"), [("stopped", STOPPED), ("completed", COMPLETED), ("not found", DELIVERED)]
)
async def test_a_cancel_while_it_recovers(jumping_clock, tmp_path, answer, end) -> None:
    async with open_room(tmp_path, "a", started=False) as room:
        turn_id = await leave(room, A, begun=True, cancelling=False, waiting=False)
        await next_run(room)
        answering = trio.Event()

        async def record(attempt: PastAttempt, sink: EventSink) -> Reconciled:
            await answering.wait()
            told = ANSWERS[answer][0]
            assert told is not None
            return await told(attempt, sink)

        room.programs[A].record = record
        start(room)
        assert (await room.cancel(turn_id)).status == "cancelling"
        answering.set()
        await room.ended(turn_id)
        assert room.turn(turn_id) == end


async def test_a_forced_cancel_waits_for_no_answer(jumping_clock, tmp_path) -> None:
    async with open_room(tmp_path, "a", started=False) as room:
        turn_id = await leave(room, A, begun=True, cancelling=False, waiting=False)
        await next_run(room)
        room.bells.ring_cancel(A, force=True)  # of an earlier turn: it changes nothing
        start(room)
        await trio.sleep(5)
        assert room.status(turn_id) == "running"
        await room.cancel(turn_id, force=True)
        await room.ended(turn_id)
        assert trio.current_time() == pytest.approx(5, abs=0.5)
        assert room.turn(turn_id) == DELIVERED


async def test_cut_short_it_is_done_again_and_comes_to_the_same(jumping_clock, tmp_path) -> None:
    async with open_room(tmp_path, "a", started=False) as room:
        turn_id = await leave(room, A, begun=True, cancelling=False, waiting=False)
        await next_run(room)
        before = room.rows("SELECT * FROM turn_attempts")
        with trio.move_on_after(10):
            await room.tree.run()
        assert room.rows("SELECT * FROM turn_attempts") == before
        assert [one.turn_id for one in (await next_run(room)).undecided] == [turn_id]
        room.programs[A].record = ANSWERS["completed"][0]
        async with trio.open_nursery() as nursery:
            stopping = trio.Event()
            nursery.start_soon(room.agent(A, stopping).run)
            await room.ended(turn_id)
            stopping.set()
        assert room.turn(turn_id) == COMPLETED
        assert len(room.programs[A].asked) == 2


async def crashes(prompt) -> None:
    prompt.say("half")
    await trio.sleep(1)
    raise RuntimeError("a defect")


@pytest.mark.parametrize("able", [True, False])
async def test_an_actor_that_crashed_is_recovered_by_the_next(
    jumping_clock, tmp_path, able
) -> None:
    async with open_room(tmp_path, "a") as room:
        program: FakeProgram = room.programs[A]
        program.can_reconcile, program.script = able, crashes
        program.record = ANSWERS["completed"][0]
        [turn_id] = await room.send(A)
        await program.next_prompt()
        program.script = answers
        await room.ended(turn_id)
        assert room.turn(turn_id) == (COMPLETED if able else DELIVERED)
        asked = [one.native_turn_id for one in program.asked]
        assert asked == (["native-turn"] if able else [])


async def test_a_recovery_that_crashes_is_given_up_within_the_budget(
    jumping_clock, tmp_path
) -> None:
    async def defect(attempt: PastAttempt, sink: EventSink) -> Reconciled:
        raise RuntimeError("a defect")

    async with open_room(tmp_path, "a", started=False) as room:
        turn_id = await leave(room, A, begun=True, cancelling=False, waiting=False)
        await next_run(room)
        room.programs[A].record = defect
        start(room)
        await room.ended(turn_id)
        assert room.turn(turn_id) == DELIVERED
        await room.until(lambda: room.directory.view(A).state is AgentState.FAILED)
        assert len(room.programs[A].asked) == 6
