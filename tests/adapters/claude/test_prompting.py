"""One prompt: what is sent, what is reported, how it ends."""

import pytest
import trio

from conformance.stream_json_scenario import (
    BEGINS,
    aborted,
    asks,
    block,
    calls,
    ends,
    event,
    fails,
    init,
    lifecycle,
    message,
    result,
    returns,
    says,
    sends,
    state,
    thinks,
)
from groupx.adapters.contract import (
    Cancelled,
    Completed,
    ContentDelta,
    Failed,
    Heartbeat,
    Interaction,
    Started,
    Usage,
)
from groupx.domain.errors import ErrorCode

QUOTA, LOGIN = ErrorCode.NATIVE_QUOTA_EXCEEDED, ErrorCode.NATIVE_LOGIN_REQUIRED
FAILED, REFUSED = ErrorCode.NATIVE_TURN_FAILED, ErrorCode.NATIVE_REFUSED
OTHERS = "00000000-0000-4000-8000-00000000beef"


def contents(turn):
    return [event for event in turn.events if isinstance(event, ContentDelta)]


async def test_a_message_is_sent_once_with_a_name_of_its_own(scripted):
    turns = [[*BEGINS, message(), says("a"), *ends()]] * 2
    async with scripted(*turns) as rig:
        await rig.prompt("/clear @file 早")
        await rig.prompt("again")
        first, second = rig.sent("user")
    assert first["message"] == {"role": "user", "content": "/clear @file 早"}
    assert first["client_composed"] is True
    assert first["uuid"] != second["uuid"]


async def test_a_stream(scripted):
    told = [message(), thinks("hm"), thinks("m"), says("a"), says("b"), says("c")]
    usage = event("message_delta", usage={"output_tokens": 7}, delta={})
    async with scripted([*BEGINS, *told, usage, *ends()]) as rig:
        turn = await rig.prompt()
        name = rig.sent("user")[0]["uuid"]
        assert rig.session.usable
    assert turn.events[0] == Started(name)
    assert (turn.text, turn.reasoning, turn.starts) == ("abc", "hmm", 1)
    assert not any(event.new_segment for event in contents(turn))
    assert turn.end == Completed(
        usage=Usage(
            input_tokens=120,
            output_tokens=7,
            total_tokens=127,
            context_used=127,
            context_size=1000,
        )
    )


async def test_what_was_streamed_is_not_said_again_when_its_block_is_complete(scripted):
    told = [
        message("m1"),
        thinks("h"),
        block({"type": "thinking", "thinking": "hm"}, "m1"),
        says("ab"),
        block({"type": "text", "text": "abc"}, "m1"),
        block({"type": "text", "text": "whole"}, "m2"),
    ]
    async with scripted([*BEGINS, *told, *ends()]) as rig:
        turn = await rig.prompt()
    assert turn.reasoning == "hm"
    assert contents(turn) == [
        ContentDelta("ab"),
        ContentDelta("c"),
        ContentDelta("whole", new_segment=True),
    ]


async def test_a_tool(scripted):
    told = [message(), says("x"), *calls(command="ls"), returns("done"), message("m2"), says("y")]
    async with scripted([*BEGINS, *told, *ends()]) as rig:
        turn = await rig.prompt()
    assert [(t.phase, t.status) for t in turn.tools] == [
        ("started", "pending"),
        ("updated", "in_progress"),
        ("completed", "completed"),
    ]
    assert {(t.tool_call_id, t.name, t.kind) for t in turn.tools} == {
        ("toolu_1", "Bash", "execute")
    }
    assert turn.tools[1].details == {"input": '{"command":"ls"}'}
    assert turn.tools[2].details == {"text": "done"}
    assert turn.text == "xy"


async def test_tools_that_fail_or_are_left_open(scripted):
    parts = [{"type": "text", "text": "no"}, {"type": "image"}]
    told = [*calls("t1"), returns(parts, "t1", is_error=True), *calls("t2", "mcp__x__y")]
    async with scripted([*BEGINS, message(), *told, *ends()]) as rig:
        turn = await rig.prompt()
    last = {t.tool_call_id: t for t in turn.tools}
    assert (last["t1"].status, last["t1"].details) == ("failed", {"text": "no"})
    assert (last["t2"].phase, last["t2"].status, last["t2"].kind) == (
        "completed",
        "completed",
        "other",
    )


async def test_a_result_that_alone_has_the_text(scripted):
    async with scripted([*BEGINS, *ends(result="all of it")]) as rig:
        turn = await rig.prompt()
    assert (turn.text, type(turn.end)) == ("all of it", Completed)


async def test_a_program_that_tells_neither_states_nor_lifecycles(scripted):
    told = [sends("stream_event", event={}, user_message_uuids=["$uuid"]), message(), says("a")]
    async with scripted([*told, result()], [*told, result()]) as rig:
        for _ in range(2):
            turn = await rig.prompt()
            assert (turn.text, turn.starts, type(turn.end)) == ("a", 1, Completed)


async def test_one_that_does_not_settle_is_not_used_again(scripted, monkeypatch):
    monkeypatch.setattr("groupx.adapters.claude.session.SETTLE_SECONDS", 0.05)
    async with scripted([*BEGINS, message(), result()]) as rig:
        turn = await rig.prompt()
        assert (type(turn.end), rig.session.usable) == (Completed, False)


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"subtype": "error_max_turns", "is_error": True}, "max_turn_requests"),
        ({"stop_reason": "stop_sequence"}, None),
    ],
)
async def test_answers_that_were_cut_short(scripted, fields, reason):
    async with scripted([*BEGINS, message(), says("a"), *ends(**fields)]) as rig:
        turn = await rig.prompt()
    assert isinstance(turn.end, Completed)
    assert turn.end.stop_reason == reason


async def test_what_the_program_writes_in_the_models_name_is_no_answer(scripted):
    words = {"id": "s", "model": "<synthetic>", "content": [{"type": "text", "text": "API Error"}]}
    synthetic = sends("assistant", message=words, error="billing_error")
    async with scripted([*BEGINS, synthetic, *fails("API Error")]) as rig:
        turn = await rig.prompt()
    assert (turn.text, turn.end.code) == ("", QUOTA)
    assert "API Error" in turn.end.message


async def test_retries_are_signs_of_life(scripted):
    retry = sends("system", subtype="api_retry", attempt=1, error_status=529)
    async with scripted([*BEGINS, retry, retry, message(), says("a"), *ends()]) as rig:
        turn = await rig.prompt()
    assert turn.events.count(Heartbeat()) >= 2
    assert isinstance(turn.end, Completed)


async def test_the_end_of_a_turn_without_a_result(scripted):
    async with scripted([*BEGINS, message(), says("a"), state("idle")]) as rig:
        turn = await rig.prompt()
        assert not rig.session.usable
    assert (type(turn.end), turn.end.code) == (Failed, FAILED)


async def test_a_turn_that_the_program_stopped_itself(scripted):
    async with scripted([*BEGINS, message(), *calls(), *aborted("aborted_tools")]) as rig:
        turn = await rig.prompt()
        assert rig.session.usable
    assert turn.end == Cancelled()
    assert turn.tools[-1].status == "cancelled"


class TestWhoseResult:
    async def test_an_earlier_turns_does_not_end_the_next(self, scripted):
        late = result(subtype="error_during_execution", user_message_uuid=OTHERS)
        nameless = result(subtype="error_during_execution", user_message_uuid=None)
        turn = [late, nameless, *BEGINS, late, message(), says("a"), *ends()]
        async with scripted(turn) as rig:
            turn = await rig.prompt()
        assert (turn.text, type(turn.end)) == ("a", Completed)

    async def test_a_turn_that_nobody_asked_for_is_nothing(self, scripted):
        origin = {"kind": "task-notification"}
        own = [
            state("running"),
            lifecycle("started", OTHERS),
            init(),
            message("m0"),
            says("unasked"),
            result(user_message_uuid=None, origin=origin),
            state("idle"),
        ]
        async with scripted([*own, *BEGINS, message(), says("a"), *own[3:6], *ends()]) as rig:
            turn = await rig.prompt()
        assert (turn.starts, type(turn.end)) == (1, Completed)
        assert turn.text.startswith("a")

    async def test_one_that_runs_is_ended_before_a_message_is_sent(self, scripted):
        own = [*BEGINS, message(), says("a"), *ends(), state("running"), {"await": "interrupt"}]
        after = [*aborted(user_message_uuid=None, origin={"kind": "peer"})]
        async with scripted([*own, *after], [*BEGINS, message(), says("b"), *ends()]) as rig:
            await rig.prompt()
            assert rig.session.usable
            await self.until_busy(rig)
            turn = await rig.prompt()
            assert [f["type"] for f in rig.frames][-2:] == ["control_request", "user"]
        assert (turn.text, type(turn.end)) == ("b", Completed)

    async def until_busy(self, rig):
        while rig.session._idle.is_set():
            await trio.lowlevel.checkpoint()


class TestQuestions:
    @pytest.mark.parametrize(
        ("subtype", "fields", "kind", "declined"),
        [
            (
                "can_use_tool",
                {"tool_name": "AskUserQuestion", "requires_user_interaction": True},
                "question",
                "behavior",
            ),
        ],
    )
    async def test_they_are_declined_and_the_turn_interrupted(
        self, scripted, subtype, fields, kind, declined
    ):
        asking = [asks(subtype, **fields), {"await": "ask-1"}, {"await": "interrupt"}]
        async with scripted([*BEGINS, message(), *asking, *aborted()]) as rig:
            turn = await rig.prompt()
            [answer] = rig.sent("control_response")
            assert rig.session.usable
        assert isinstance(turn.end, Interaction)
        assert turn.end.kind == kind
        assert answer["response"]["response"][declined] in ("deny", "cancel")
