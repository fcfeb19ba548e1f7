"""One prompt, one end: what a turn reports, and how it ends."""

import pytest

from conformance.scenario import ends, fails, says, tool, uses
from groupx.adapters.acp.drivers import HERMES, KIMI
from groupx.adapters.contract import (
    Completed,
    ContentDelta,
    Failed,
    Heartbeat,
    Started,
    Usage,
)
from groupx.domain.errors import ErrorCode


def prompt(*steps):
    return {"session/prompt": [list(steps)]}


async def test_an_answer_streams_and_ends_once(scripted):
    async with scripted(prompt(says("Hello "), says("you."), ends())) as rig:
        turn = await rig.prompt("hi there")
    assert turn.events == [Started(), ContentDelta("Hello "), ContentDelta("you.")]
    assert turn.end == Completed()
    [sent] = rig.sent("session/prompt")
    assert sent["params"] == {
        "sessionId": "session-1",
        "prompt": [{"type": "text", "text": "hi there"}],
    }


async def test_vendor_noise_is_no_evidence_of_a_start(scripted):
    noise = [
        {"update": {"sessionUpdate": "available_commands_update", "availableCommands": []}},
        {"update": {"sessionUpdate": "current_mode_update", "currentModeId": "auto"}},
        {"send": {"method": "_x.ai/queue/changed", "params": {"entries": []}}},
        {"send": {"method": "qwen/notify", "params": {}}},
        uses(10),
    ]
    async with scripted(prompt(*noise, fails(-32603, "boom"))) as rig:
        turn = await rig.prompt()
    assert turn.events == [Started(), Usage(context_used=10, context_size=1000)]


async def test_a_new_message_is_a_new_segment_and_its_text_is_as_said(scripted):
    steps = [says("One"), tool(), says("\n\nTwo"), says(" more"), says("Three", messageId="m2")]
    async with scripted(prompt(says("", messageId="m1"), *steps, ends())) as rig:
        turn = await rig.prompt()
    deltas = [event for event in turn.events if isinstance(event, ContentDelta)]
    assert deltas == [
        ContentDelta("One"),
        ContentDelta("\n\nTwo"),
        ContentDelta(" more"),
        ContentDelta("Three", new_segment=True),
    ]


async def test_a_plan_is_evidence(scripted):
    plan = {"update": {"sessionUpdate": "plan", "entries": []}}
    async with scripted(prompt(plan, ends())) as rig:
        turn = await rig.prompt()
    assert turn.events == [Started(), Heartbeat()]


async def test_echoes_and_replay_are_not_the_answer(scripted):
    echo = {"sessionUpdate": "user_message_chunk", "content": {"type": "text", "text": "hi"}}
    other = {
        "send": {
            "method": "session/update",
            "params": {"sessionId": "another", "update": says("no")["update"]},
        }
    }
    async with scripted(
        {
            "session/new": [says("replayed"), {"result": {"sessionId": "session-1"}}],
            "session/prompt": [[{"update": echo}, other, says("yes"), ends()]],
        }
    ) as rig:
        turn = await rig.prompt()
    assert turn.text == "yes"


@pytest.mark.parametrize("reason", ["max_turn_requests"])
async def test_an_answer_cut_short_says_why(scripted, reason):
    async with scripted(prompt(says("half"), ends(reason))) as rig:
        turn = await rig.prompt()
    assert turn.end == Completed(stop_reason=reason)


class TestUsage:
    async def test_in_the_result(self, scripted):
        usage = {"inputTokens": 5, "outputTokens": 2, "totalTokens": 7}
        async with scripted(prompt(says("a"), uses(9), ends(usage=usage))) as rig:
            turn = await rig.prompt()
        assert turn.end == Completed(
            usage=Usage(
                input_tokens=5,
                output_tokens=2,
                total_tokens=7,
                context_used=9,
                context_size=1000,
            )
        )

    @pytest.mark.parametrize(
        "meta",
        [
            {"usage": {"inputTokens": 5, "outputTokens": 2, "totalTokens": 7}},
            {"quota": {"token_count": {"input_tokens": 5, "output_tokens": 2, "total_tokens": 7}}},
        ],
    )
    async def test_in_vendor_fields(self, scripted, meta):
        async with scripted(prompt(ends(_meta=meta))) as rig:
            turn = await rig.prompt()
        expected = Usage(input_tokens=5, output_tokens=2, total_tokens=7)
        assert turn.end == Completed(usage=expected)

    async def test_after_the_answer(self, scripted):
        modes = {"sessionId": "session-1", "modes": {"availableModes": [{"id": "auto"}]}}
        scenario = {"session/new": [{"result": modes}], **prompt(says("a"), ends(), uses(42))}
        async with scripted(scenario, driver=KIMI) as rig:
            turn = await rig.prompt()
        assert turn.end == Completed(usage=Usage(context_used=42, context_size=1000))

    async def test_counted_over_the_whole_session(self, scripted):
        def counted(total):
            return [says("a"), ends(usage={"inputTokens": total, "totalTokens": total})]

        prompts = [counted(10), counted(25), counted(0), counted(4)]
        scenario = {"initialize": [{"result": AS_HERMES}], "session/prompt": prompts}
        async with scripted(scenario, driver=HERMES) as rig:
            totals = [(await rig.prompt()).end.usage.total_tokens for _ in prompts]
        assert totals == [10, 15, 0, 4]


class TestAFailureToldAsAnAnswer:
    @pytest.mark.parametrize(
        ("words", "code"),
        [
            ("HTTP 401: bad key", ErrorCode.NATIVE_LOGIN_REQUIRED),
            (
                "API call failed after 3 retries: HTTP 429: slow down",
                ErrorCode.NATIVE_QUOTA_EXCEEDED,
            ),
            ("Error: it broke", ErrorCode.NATIVE_TURN_FAILED),
        ],
    )
    async def test_by_hermes(self, scripted, words, code):
        prompts = [[says(words), ends()], [says("again"), ends()]]
        scenario = {"initialize": [{"result": AS_HERMES}], "session/prompt": prompts}
        async with scripted(scenario, driver=HERMES) as rig:
            turn = await rig.prompt()
            assert isinstance(turn.end, Failed)
            assert turn.end.code is code
            assert words in turn.end.message
            assert (await rig.prompt()).end == Completed()

    async def test_what_its_model_said_is_an_answer(self, scripted):
        quoted = [says("HTTP 401: means a bad key"), ends(usage={"totalTokens": 9})]
        scenario = {"initialize": [{"result": AS_HERMES}], "session/prompt": [quoted]}
        async with scripted(scenario, driver=HERMES) as rig:
            assert isinstance((await rig.prompt()).end, Completed)

    async def test_of_others_it_is_an_answer(self, scripted):
        scenario = {"session/prompt": [[says("HTTP 401: bad key"), ends()]]}
        async with scripted(scenario) as rig:
            assert (await rig.prompt()).end == Completed()


AS_HERMES = {"protocolVersion": 1, "agentInfo": {"name": "hermes-agent", "version": "0.19.0"}}


class TestTools:
    async def test_opened_moved_closed(self, scripted):
        text = [{"type": "content", "content": {"type": "text", "text": "12 passed"}}]
        steps = [
            tool(title="pytest", kind="execute", status="pending", rawInput={"command": "pytest"}),
            tool(new=False, status="in_progress"),
            tool(new=False, status="completed", content=text, locations=[{"path": "/a.py"}]),
            tool(new=False, status="completed"),
        ]
        async with scripted(prompt(*steps, ends())) as rig:
            turn = await rig.prompt()
        assert [(t.phase, t.status) for t in turn.tools] == [
            ("started", "pending"),
            ("updated", "in_progress"),
            ("completed", "completed"),
        ]
        assert {(t.name, t.kind, t.tool_call_id) for t in turn.tools} == {
            ("pytest", "execute", "call-1")
        }
        assert turn.tools[0].details == {"input": '{"command":"pytest"}'}
        assert turn.tools[2].details == {"text": "12 passed", "paths": ["/a.py"]}

    async def test_first_mentioned_by_an_update(self, scripted):
        async with scripted(prompt(tool(new=False, status="failed", title="x"), ends())) as rig:
            turn = await rig.prompt()
        assert [(t.phase, t.status) for t in turn.tools] == [
            ("started", "failed"),
            ("completed", "failed"),
        ]
