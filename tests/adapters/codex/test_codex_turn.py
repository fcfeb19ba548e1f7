"""A turn: its text, reasoning, tools and usage, and the questions that it may not ask."""

import pytest

from conformance.app_server_scenario import (
    BEGINS,
    INTERRUPT,
    INTERRUPTED,
    asks,
    closes,
    ends,
    opens,
    says,
    thinks,
    uses,
)
from conformance.scenario import HANG, fails
from groupx.adapters.contract import (
    Completed,
    ContentDelta,
    Failed,
    Heartbeat,
    Interaction,
    Started,
    Usage,
)
from groupx.domain.errors import ErrorCode
from groupx.domain.limits import Timeouts


def turn(*steps):
    return {"turn/start": [[*BEGINS, *steps]]}


def pieces(done):
    return [event for event in done.events if isinstance(event, ContentDelta)]


async def test_a_streamed_answer(app_server):
    async with app_server(turn(says("Hel"), says("lo"), ends())) as rig:
        done = await rig.prompt("hi")
        assert rig.session.usable
    assert (done.text, done.end) == ("Hello", Completed())
    assert done.events[0] == Started("turn-1")
    assert done.starts == 1
    [start] = rig.sent("turn/start")
    assert start["params"] == {"threadId": "thread-1", "input": [{"type": "text", "text": "hi"}]}


async def test_a_message_that_was_not_streamed_is_told_once(app_server):
    whole = closes("agentMessage", "m1", text="all of it")
    last = {"type": "agentMessage", "id": "m1", "text": "all of it"}
    async with app_server(turn(whole, ends(items=[last]))) as rig:
        done = await rig.prompt()
    assert done.text == "all of it"


async def test_a_message_that_only_the_end_tells(app_server):
    last = {"type": "agentMessage", "id": "m1", "text": "at last"}
    async with app_server(turn(ends(items=[last]))) as rig:
        done = await rig.prompt()
    assert (done.text, done.end) == ("at last", Completed())


async def test_reasoning_parts_are_told_apart(app_server):
    raw = {"note": "item/reasoning/textDelta", "itemId": "rs-1", "delta": "raw", "contentIndex": 0}
    whole = closes("reasoning", "rs-1", summary=["twice"], content=[])
    unseen = closes("reasoning", "rs-2", summary=["unseen"], content=["too"])
    steps = [thinks("one "), thinks("two"), thinks("next", index=1), raw, whole, unseen, ends()]
    async with app_server(turn(*steps)) as rig:
        done = await rig.prompt()
    assert done.reasoning == "one two\n\nnext\n\nraw\n\nunseen\n\ntoo"


async def test_a_command(app_server):
    printed = {"note": "item/commandExecution/outputDelta", "itemId": "call-1"}
    steps = [
        opens(command="ls"),
        {**printed, "delta": "a\n"},
        {**printed, "delta": "b\n"},
        closes(command="ls", status="failed", exitCode=3, aggregatedOutput="a\nb\n"),
        ends(),
    ]
    async with app_server(turn(*steps)) as rig:
        done = await rig.prompt()
    assert [(tool.phase, tool.status) for tool in done.tools] == [
        ("started", "in_progress"),
        ("updated", "in_progress"),
        ("updated", "in_progress"),
        ("completed", "failed"),
    ]
    assert {(tool.name, tool.kind, tool.tool_call_id) for tool in done.tools} == {
        ("ls", "execute", "call-1")
    }
    assert done.tools[2].details == {"text": "a\nb\n"}
    assert done.tools[3].details == {"text": "a\nb\n", "input": "ls", "exitCode": 3}


async def test_of_a_long_output_the_end_is_shown(app_server):
    printed = {"note": "item/commandExecution/outputDelta", "itemId": "call-1"}
    steps = [opens(), {**printed, "delta": "段" * 5000}, {**printed, "delta": "the end"}, ends()]
    async with app_server(turn(*steps)) as rig:
        done = await rig.prompt()
    shown = done.tools[2].details["text"]
    assert shown.endswith("段the end")
    assert 1700 < len(shown.encode()) <= 1800


async def test_a_file_change_and_a_tool_of_a_server(app_server):
    change = {"path": "/w/p.txt", "kind": {"type": "add"}, "diff": "+hello"}
    call = {"server": "gx", "tool": "post", "arguments": {"text": "hi"}}
    result = {"content": [{"type": "text", "text": "posted"}]}
    steps = [
        closes("fileChange", "c1", changes=[change]),
        opens("mcpToolCall", "c2", **call),
        {"note": "item/mcpToolCall/progress", "itemId": "c2", "message": "half"},
        closes("mcpToolCall", "c2", **call, result=result),
        closes("mcpToolCall", "c3", **call, status="failed", error={"message": "no"}),
        ends(),
    ]
    async with app_server(turn(*steps)) as rig:
        done = await rig.prompt()
    closed = [tool for tool in done.tools if tool.phase == "completed"]
    assert [(tool.name, tool.kind, tool.status) for tool in closed] == [
        ("Edit files", "edit", "completed"),
        ("gx.post", "other", "completed"),
        ("gx.post", "other", "failed"),
    ]
    assert closed[0].details == {"text": "+hello", "paths": ["/w/p.txt"]}
    assert closed[1].details == {"text": "posted", "input": '{"text":"hi"}'}
    assert closed[2].details["text"] == "no"


async def test_usage_is_the_sum_of_the_requests_of_the_turn(app_server):
    first = [*BEGINS, uses(110, 110), uses(110, 110), uses(230, 120), ends()]
    second = [*BEGINS, uses(230, 120), uses(360, 130), ends()]
    async with app_server({"turn/start": [first, second]}) as rig:
        one, two = await rig.prompt(), await rig.prompt()
    assert one.end == Completed(
        usage=Usage(
            input_tokens=228,
            output_tokens=2,
            total_tokens=230,
            context_used=120,
            context_size=1000,
        )
    )
    assert two.end.usage.total_tokens == 130


async def test_what_other_threads_do_is_not_ours(app_server):
    other = {"threadId": "thread-2", "turnId": "turn-1"}
    end = {"send": {"method": "turn/completed", "params": {**other, "turn": {"id": "turn-1"}}}}
    async with app_server(turn(says("x", **other), end, says("ours"), ends())) as rig:
        done = await rig.prompt()
    assert done.text == "ours"


async def test_a_turn_with_two_names_is_not_trusted(app_server):
    steps = [{"turn": "started"}, {"result": {"turn": {"id": "another"}}}, HANG]
    async with app_server({"turn/start": [steps]}) as rig:
        done = await rig.prompt()
        assert not rig.session.usable
    assert (done.end.code, done.end.evidence) == (ErrorCode.PROTOCOL_INVALID_MESSAGE, True)


async def test_a_start_that_names_no_turn_is_not_trusted(app_server):
    async with app_server({"turn/start": [[{"result": {}}, HANG]]}) as rig:
        done = await rig.prompt()
    assert (done.end.code, done.end.evidence) == (ErrorCode.PROTOCOL_INVALID_MESSAGE, False)


async def test_a_retry_of_the_programs_own_is_a_sign_of_life(app_server):
    retry = {"note": "error", "error": {"message": "Reconnecting... 1/1"}, "willRetry": True}
    async with app_server(turn(retry, says("a"), ends())) as rig:
        done = await rig.prompt()
    assert done.end == Completed()
    assert any(isinstance(event, Heartbeat) for event in done.events)


ASKED = [
    ("item/commandExecution/requestApproval", {"command": "rm -rf /"}, "permission", "rm -rf /"),
    ("item/fileChange/requestApproval", {"reason": "outside"}, "permission", "outside"),
    ("item/permissions/requestApproval", {}, "permission", "a permission"),
    ("execCommandApproval", {"command": ["rm", "-rf"]}, "permission", "rm -rf"),
    ("applyPatchApproval", {"reason": None}, "permission", "a permission"),
    ("item/tool/requestUserInput", {"questions": [{"question": "Which?"}]}, "question", "Which?"),
    ("mcpServer/elicitation/request", {"message": "Allow?"}, "elicitation", "Allow?"),
]


async def test_every_question_is_refused_and_ends_its_turn(app_server):
    turns = [
        [*BEGINS, says("a"), asks(method, **params), {"await": 0}, INTERRUPT, INTERRUPTED]
        for method, params, _, _ in ASKED
    ]
    async with app_server({"turn/start": turns}) as rig:
        done = [await rig.prompt() for _ in ASKED]
        assert rig.session.usable
    assert [turn.end for turn in done] == [
        Interaction(kind=kind, reason=reason) for _, _, kind, reason in ASKED
    ]
    answers = [frame["result"] for frame in rig.frames if frame.get("id") == 0]
    assert answers == [
        {"decision": "cancel"},
        {"decision": "cancel"},
        {"permissions": {}},
        {"decision": "abort"},
        {"decision": "abort"},
        {"answers": {}},
        {"action": "cancel"},
    ]


BUSY = {
    "thread": {"id": "thread-1", "status": {"type": "active"}},
    "approvalPolicy": "never",
    "sandbox": {"type": "dangerFullAccess"},
}


class TestATurnThatIsNotOurs:
    """A prompt that is sent into it would steer it."""

    FOREIGN = {"turn": "started", "id": "foreign"}  # noqa: RUF012

    async def test_it_is_stopped_first(self, app_server):
        end = {"turn": "completed", "id": "foreign", "status": "interrupted"}
        first = [*BEGINS, self.FOREIGN, ends(), INTERRUPT, end]
        async with app_server({"turn/start": [first, [*BEGINS, says("b"), ends()]]}) as rig:
            await rig.prompt()
            done = await rig.prompt()
        assert (done.text, done.end) == ("b", Completed())
        methods = [frame.get("method") for frame in rig.frames]
        assert methods[-3:] == ["turn/start", "turn/interrupt", "turn/start"]

    async def test_one_that_is_over_already_is_not_waited_for(self, app_server):
        none = fails(-32600, "no active turn to interrupt")
        scenario = {"thread/resume": [{"result": BUSY}], "turn/interrupt": [none]}
        async with app_server(scenario, resume="thread-1") as rig:
            assert (await rig.prompt()).end == Completed()

    @pytest.mark.slow
    async def test_one_that_goes_on_is_never_steered(self, app_server):
        scenario = {"thread/resume": [{"result": BUSY}]}
        timeouts = Timeouts(cancel=200)
        async with app_server(scenario, resume="thread-1", timeouts=timeouts) as rig:
            done = await rig.prompt()
            assert not rig.session.usable
        assert isinstance(done.end, Failed)
        assert not done.end.evidence
        assert rig.sent("turn/start") == []
