"""watch: a worker's turn from the outside, for its observer alone, and for a bounded time."""

import orjson
import pytest
import trio

from groupx.adapters.contract import ReasoningDelta, Started, ToolUpdate
from groupx.domain.attempts import DeliveryCertainty
from groupx.domain.errors import ErrorCode, GroupXError
from groupx.domain.ids import ActorId
from groupx.domain.limits import Timeouts
from groupx.domain.text import excerpt
from groupx.domain.turns import TurnStatus
from groupx.domain.watching import (
    MAX_MESSAGE_CHARACTERS,
    MAX_MESSAGES,
    MAX_OBSERVED,
    MAX_TASK_CHARACTERS,
    MAX_TOOL_CHARACTERS,
    MAX_TOOLS,
    Excerpt,
    LastSteer,
    Milestone,
    Watched,
    WatchSnapshot,
    glances,
)
from groupx.domain.wire import to_wire
from groupx.mcp.tool import MAX_RESULT_BYTES
from tests.mcp.acting import acting, says

REFUSED = (
    ({}, ErrorCode.INVALID_ENVELOPE),
    ({"until": "soon"}, ErrorCode.INVALID_ENVELOPE),
    ({"until": "terminal", "timeoutMs": 50_001}, ErrorCode.INVALID_ENVELOPE),
    ({"until": "terminal", "afterSeq": -1}, ErrorCode.INVALID_ENVELOPE),
    ({"until": "terminal", "actor": "agent:a"}, ErrorCode.SENDER_FIELD_FORBIDDEN),
    ({"until": "terminal", "watchTurnId": "turn_x"}, ErrorCode.INVALID_ENVELOPE),
    ({"until": "terminal", "subjectTurnId": "turn_x"}, ErrorCode.SUPERVISION_PAIR_INVALID),
)


def works(*steps, seconds=5):
    """Begins at once, does each step so many seconds after the one before, then answers."""

    async def script(prompt):
        prompt.emit(Started("n"))
        for step in steps:
            with trio.move_on_after(seconds):
                await prompt.cancelled.wait()
                return
            prompt.emit(step)
        await trio.sleep(seconds)
        prompt.answer("done")

    return script


def bash(phase):
    details = {"input": "SECRET", "output": "SECRET"}
    return ToolUpdate(
        phase=phase, tool_call_id="1", status=phase, name="Bash", kind="execute", details=details
    )


async def test_a_worker_is_watched_to_its_end(jumping_clock, tmp_path):
    async with acting(tmp_path, "a", "b") as stage:
        seen = []

        async def watches(prompt):
            after = 0
            while not seen or not seen[-1]["snapshot"]["terminal"]:
                seen.append(
                    await stage.use(prompt, "watch", until="next_milestone", afterSeq=after)
                )
                after = seen[-1]["nextAfterSeq"]

        steps = (ReasoningDelta("SECRET"), bash("started"), bash("completed"))
        pair = await stage.pair(works(*steps), watches)
        assert [answer["milestones"] for answer in seen] == [
            ["started"], ["tool_opened"], ["tool_closed"], ["message", "terminal"]
        ]  # fmt: skip
        last = seen[-1]["snapshot"]
        assert (last["turnId"], last["status"]) == (pair.subject, "completed")
        assert last["task"] == {"eventId": pair.task, "excerpt": "the task"}
        assert [message["excerpt"] for message in last["messages"]] == ["done"]
        assert (last["tools"][0]["name"], last["tools"][0]["open"]) == ("Bash", False)
        assert "SECRET" not in str(seen)
        kept = stage.room.events("supervision.observed")
        assert [event["snapshot"] for event in kept] == [answer["snapshot"] for answer in seen]
        assert {event["watchTurnId"] for event in kept} == {pair.watch}


async def test_the_end_alone_is_waited_for_and_it_is_said_that_the_call_lives(
    jumping_clock, tmp_path
):
    async with acting(tmp_path, "a", "b") as stage:

        async def watches(prompt):
            began = trio.current_time()
            answer = await stage.use(prompt, "watch", until="terminal", afterSeq=0)
            assert not answer["timedOut"]
            assert answer["milestones"] == ["started", "message", "terminal"]
            assert trio.current_time() - began == pytest.approx(35, abs=1)
            assert stage.told == ["watching"] * 3

        await stage.pair(says("done", 35), watches)


async def test_the_time_is_the_shorter_of_the_calls_and_the_rooms(jumping_clock, tmp_path):
    timeouts = Timeouts(watch=7_000)
    async with acting(tmp_path, "a", "b", timeouts=timeouts) as stage:

        async def watches(prompt):
            for asked, spent in ((3_000, 3), (50_000, 7), (0, 0)):
                began = trio.current_time()
                answer = await stage.use(prompt, "watch", until="terminal", timeoutMs=asked)
                assert (answer["timedOut"], answer["milestones"][1:]) == (True, [])
                assert trio.current_time() - began == pytest.approx(spent, abs=0.1)

        await stage.pair(says("done", 30), watches)
        kept = stage.room.events("supervision.observed")
        assert [event["timedOut"] for event in kept] == [True] * 3


async def test_a_stop_lets_the_watcher_go_at_once(jumping_clock, tmp_path):
    async with acting(tmp_path, "a", "b") as stage:

        async def watches(prompt):
            async with trio.open_nursery() as nursery:

                async def stops():
                    await trio.sleep(4)
                    stage.room.hub.release("runtime_stop")

                nursery.start_soon(stops)
                began = trio.current_time()
                answer = await stage.use(prompt, "watch", until="terminal")
                assert answer["timedOut"]
                assert trio.current_time() - began == pytest.approx(4, abs=0.1)

        await stage.pair(says("done", 20), watches)


async def test_a_watch_ends_with_the_callers_own_turn(jumping_clock, tmp_path):
    async with acting(tmp_path, "a", "b") as stage:
        over = trio.Event()

        async def watch(prompt):
            began = trio.current_time()
            with pytest.raises(GroupXError) as refused:
                await stage.use(prompt, "watch", until="terminal")
            assert refused.value.code is ErrorCode.SESSION_NOT_AVAILABLE
            assert trio.current_time() - began == pytest.approx(2, abs=0.1)
            over.set()

        async def leaves(prompt):
            prompt.emit(Started("n"))
            stage.room.nursery.start_soon(watch, prompt)
            await trio.sleep(2)

        await stage.pair(says("done", 30), leaves)
        await over.wait()
        assert stage.room.events("supervision.observed") == []


async def test_the_users_cancel_of_the_worker_is_seen(jumping_clock, tmp_path):
    async with acting(tmp_path, "a", "b") as stage:
        turns = []

        async def watches(prompt):
            first = await stage.use(prompt, "watch", until="next_milestone", afterSeq=0)
            turns.append(first["snapshot"]["turnId"])
            await stage.room.cancel(turns[0])
            last = await stage.use(
                prompt, "watch", until="terminal", afterSeq=first["nextAfterSeq"]
            )
            assert last["snapshot"]["status"] == "cancelled"
            assert last["snapshot"]["subjectCancelled"]
            assert "cancelled" in last["milestones"]

        pair = await stage.pair(works(bash("started"), seconds=60), watches)
        assert turns == [pair.subject]
        assert stage.room.events("supervision.steered") == []


@pytest.mark.slow
async def test_snapshots_are_kept_up_to_a_bound_and_answered_beyond_it(jumping_clock, tmp_path):
    async with acting(tmp_path, "a", "b") as stage:
        reached = []

        async def watches(prompt):
            for _ in range(MAX_OBSERVED + 2):
                answer = await stage.use(prompt, "watch", until="next_milestone", timeoutMs=0)
                reached.append(answer["limitReached"])
                assert ("observedEventId" in answer) is not answer["limitReached"]

        await stage.pair(says("done", 30), watches)
        assert reached == [False] * MAX_OBSERVED + [True] * 2
        assert len(stage.room.events("supervision.observed")) == MAX_OBSERVED


async def test_what_cannot_be_watched(jumping_clock, tmp_path):
    async with acting(tmp_path, "a", "b") as stage:

        async def watches(prompt):
            await stage.use(prompt, "watch", until="next_milestone", afterSeq=0)
            for arguments, code in REFUSED:
                assert await stage.refused(prompt, "watch", **arguments) is code, arguments

        await stage.pair(says("done", 3), watches)


async def test_only_a_watch_turn_watches_or_steers(jumping_clock, tmp_path):
    async with acting(tmp_path, "a", "b") as stage:
        steer = {"action": "nudge", "reason": "r", "content": "c"}

        async def tries(prompt):
            await trio.sleep(0.5)
            for tool, given in (("watch", {"until": "terminal"}), ("steer", steer)):
                code = await stage.refused(prompt, tool, **given)
                assert code is ErrorCode.SUPERVISION_WATCH_REQUIRED

        await stage.run("a", tries)
        await stage.pair(tries, tries_nothing)


async def tries_nothing(prompt):
    await trio.sleep(1)


def test_the_longest_answer_fits_into_a_result():
    """Control characters are six bytes each in JSON; ids and names may be of four."""
    words = "\x01" * 10_000
    said = Excerpt(event_id="e" * 40, excerpt=excerpt(words, MAX_MESSAGE_CHARACTERS))
    step = {"nativeType": "tool.completed"} | {
        "details": {"name": "\U00020000" * MAX_TOOL_CHARACTERS, "status": words}
    }
    snapshot = WatchSnapshot(
        turn_id="t" * 40,
        actor_id=ActorId("agent:" + "x" * 64),
        status=TurnStatus.RUNNING,
        delivery_certainty=DeliveryCertainty.DELIVERED,
        last_seq=2**53,
        terminal=False,
        subject_cancelled=False,
        task=Excerpt(event_id="e" * 40, excerpt=excerpt(words, MAX_TASK_CHARACTERS)),
        messages=(said,) * MAX_MESSAGES,
        tools=glances(
            step | {"toolCallId": "\U00020000" * 198 + f"{number:02}"} for number in range(99)
        ),
        last_steer=LastSteer(action="nudge", reason=said.excerpt),
    )
    assert len(snapshot.tools) == MAX_TOOLS
    watched = Watched(snapshot=snapshot, milestones=tuple(Milestone), timed_out=False)
    assert len(orjson.dumps(to_wire(watched))) < MAX_RESULT_BYTES - 256
