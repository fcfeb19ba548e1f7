"""What real pipes carry: garbage, huge lines, odd characters, and ends of output."""

import pytest

from conformance.app_server_scenario import BEGINS, ends, opens, says
from conformance.scenario import HANG
from groupx.adapters import connection
from groupx.adapters.contract import Completed, Exited, Failed
from groupx.domain.errors import ErrorCode


def turn(*steps):
    return {"turn/start": [list(steps)]}


@pytest.mark.parametrize("size", [70_000, 1_000_000])
async def test_long_lines(app_server, size):
    async with app_server(turn(*BEGINS, says("x" * size), ends())) as rig:
        done = await rig.prompt()
    assert (len(done.text), done.end) == (size, Completed())


async def test_a_long_prompt_arrives_whole(app_server):
    text = "段" * 200_000
    async with app_server() as rig:
        await rig.prompt(text)
    [sent] = rig.sent("turn/start")
    assert sent["params"]["input"][0]["text"] == text


@pytest.mark.parametrize(
    "line",
    ["thread 'main' panicked\n", "[1, 2]\n", '{"hello": 1}\n', '{"a": "\udcff"}\n'],
    ids=["text", "list", "stranger", "not-utf-8"],
)
@pytest.mark.parametrize("begun", [True, False])
async def test_a_line_that_cannot_be_trusted(app_server, line, begun):
    steps = [{"turn": "answer"}, *([*BEGINS[1:], opens()] if begun else []), {"raw": line}, HANG]
    async with app_server(turn(*steps)) as rig:
        done = await rig.prompt()
        assert not rig.session.usable
        await rig.session.closed.wait()
    assert isinstance(done.end, Failed)
    assert done.end.code is ErrorCode.PROTOCOL_INVALID_MESSAGE
    assert (done.end.evidence, done.end.session_usable) == (begun, False)


@pytest.mark.parametrize(
    "params",
    [
        {"threadId": "thread-1"},
        {"threadId": "thread-1", "turnId": 7, "item": []},
        {"threadId": "thread-1", "turnId": "turn-1", "item": {"type": 5, "id": [], "changes": 1}},
        {"threadId": "thread-1", "turnId": "turn-1", "item": None, "delta": {}, "tokenUsage": []},
        {"threadId": "thread-1", "turn": "turn-1"},
        {},
    ],
)
@pytest.mark.parametrize(
    "method",
    ["item/started", "item/completed", "item/agentMessage/delta", "thread/tokenUsage/updated"],
)
async def test_odd_notifications_end_nothing(app_server, method, params):
    odd = {"send": {"method": method, "params": params}}
    async with app_server(turn(*BEGINS, odd, says("a"), ends())) as rig:
        done = await rig.prompt()
    assert (done.text, done.end) == ("a", Completed())


@pytest.mark.parametrize("code", [0, 3])
@pytest.mark.parametrize(
    "steps",
    [[], [{"turn": "answer"}], [*BEGINS, says("a")], [*BEGINS, opens()]],
    ids=["unanswered", "answered", "mid", "tool"],
)
async def test_an_exit_is_an_exit(app_server, code, steps):
    async with app_server(turn(*steps, {"stderr": "bye\n"}, {"exit": code})) as rig:
        done = await rig.prompt()
        await rig.session.closed.wait()
    assert done.end == Exited(returncode=code, stderr_excerpt="bye\n")
    assert done.starts == (1 if len(steps) > 1 else 0)
    assert [tool.status for tool in done.tools[1:]] == ["failed"] * (steps[-1:] == [opens()])


async def test_a_closed_output_is_an_end(app_server, monkeypatch):
    monkeypatch.setattr(connection, "LAST_OUTPUT_SECONDS", 0.05)
    async with app_server(turn(*BEGINS, {"close": "stdout"}, HANG)) as rig:
        done = await rig.prompt()
    assert done.end == Exited(returncode=None)


async def test_an_end_of_the_turn_just_before_the_exit_counts(app_server):
    async with app_server(turn(*BEGINS, says("a"), ends(), {"exit": 0})) as rig:
        done = await rig.prompt()
    assert done.end == Completed()


async def test_a_prompt_after_the_exit_is_an_exit(app_server):
    async with app_server(turn(*BEGINS, ends(), {"exit": 0})) as rig:
        await rig.prompt()
        await rig.session.closed.wait()
        done = await rig.prompt()
    assert done.end == Exited(returncode=0)
    assert done.starts == 0


async def test_close_is_the_end_of_its_input(app_server):
    async with app_server() as rig:
        await rig.session.close()
        await rig.session.closed.wait()
        assert not rig.session.usable
