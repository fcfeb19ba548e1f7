"""What real pipes carry: garbage, huge lines, odd characters, floods, and ends of output."""

import json

import pytest

from conformance.scenario import HANG
from conformance.stream_json_scenario import (
    BEGINS,
    asks,
    calls,
    ends,
    message,
    result,
    returns,
    says,
    sends,
    state,
)
from groupx.adapters.contract import Completed, Exited, Failed
from groupx.domain.errors import ErrorCode


@pytest.mark.parametrize("size", [70_000, 1_000_000])
async def test_long_lines(scripted, size):
    async with scripted([*BEGINS, message(), says("x" * size), *ends()]) as rig:
        turn = await rig.prompt()
    assert (len(turn.text), type(turn.end)) == (size, Completed)


async def test_a_long_prompt_arrives_whole(scripted):
    async with scripted([*BEGINS, *ends()]) as rig:
        await rig.prompt("段" * 200_000)
        assert rig.sent("user")[0]["message"]["content"] == "段" * 200_000


async def test_characters_split_over_writes(scripted):
    line = json.dumps(says("早上好 🌄\u2028\r")["send"], ensure_ascii=False).encode() + b"\n"
    async with scripted([*BEGINS, message(), {"bytes": list(line)}, *ends()]) as rig:
        assert (await rig.prompt()).text == "早上好 🌄\u2028\r"


async def test_details_of_tools_are_bounded(scripted):
    told = [*calls(text="\u0001" * 10_000), returns("\u0001" * 100_000)]
    async with scripted([*BEGINS, message(), *told, *ends()]) as rig:
        turn = await rig.prompt()
    assert all(len(json.dumps(tool.details)) <= 4096 for tool in turn.tools)


async def test_frames_of_unknown_types_and_empty_lines_are_nothing(scripted):
    told = [sends("rate_limit_event"), {"raw": "\n\n"}, sends("keep_alive"), says("a")]
    async with scripted([*BEGINS, message(), *told, *ends()]) as rig:
        turn = await rig.prompt()
    assert (turn.text, type(turn.end)) == ("a", Completed)


@pytest.mark.parametrize(
    "frame",
    [
        {"type": "assistant", "message": 7},
        {"type": "assistant", "message": {"content": ["x", {"type": 5}, {"type": "text"}]}},
        {"type": "user", "message": {"content": [{"type": "tool_result", "content": [1]}]}},
        {"type": "stream_event", "event": [1]},
        {"type": "stream_event", "event": {"type": "content_block_delta", "delta": None}},
        {"type": "system", "subtype": {"a": 1}},
        {"type": "command_lifecycle", "command_uuid": None, "state": 3},
        {
            "type": "result",
            "user_message_uuids": "x",
            "user_message_uuid": 5,
            "origin": {"kind": 1},
        },
        {"type": "control_response", "response": None},
        {"type": "control_cancel_request", "request_id": "x"},
    ],
)
async def test_odd_frames_stop_nothing(scripted, frame):
    async with scripted([*BEGINS, message(), {"send": frame}, says("a"), *ends()]) as rig:
        turn = await rig.prompt()
    assert (turn.text, type(turn.end)) == ("a", Completed)


@pytest.mark.parametrize(
    "line",
    [
        "Segmentation fault\n",
        "[1, 2]\n",
        '{"hello": 1}\n',
        '{"type": 5}\n',
        '{"a": "\udcff"}\n',
        '{"type": "control_request", "request": {"subtype": "can_use_tool"}}\n',
    ],
    ids=["text", "list", "stranger", "no-type", "not-utf-8", "no-id"],
)
@pytest.mark.parametrize("begun", [True, False])
async def test_a_line_that_cannot_be_trusted(scripted, line, begun):
    async with scripted([*(BEGINS if begun else []), {"raw": line}, HANG]) as rig:
        turn = await rig.prompt()
        assert not rig.session.usable
        await rig.session.closed.wait()
    assert isinstance(turn.end, Failed)
    assert turn.end.code is ErrorCode.PROTOCOL_INVALID_MESSAGE
    assert (turn.end.evidence, turn.end.session_usable) == (begun, False)


@pytest.mark.slow
async def test_a_line_over_the_bound(scripted):
    long = {"raw": "x" * 1_000_000, "times": 17}
    async with scripted([*BEGINS, long, {"raw": "\n"}, HANG]) as rig:
        turn = await rig.prompt()
    assert turn.end.code is ErrorCode.PROTOCOL_INVALID_MESSAGE


async def test_a_flood_on_stderr_stops_nothing(scripted):
    flood = {"stderr": "warning: " * 100 + "\n", "times": 1000}
    async with scripted([*BEGINS, message(), flood, says("a"), *ends()]) as rig:
        assert isinstance((await rig.prompt()).end, Completed)


async def test_a_flood_of_requests_without_reading(scripted):
    async with scripted([*BEGINS, *[asks("unknown")] * 2000, HANG]) as rig:
        turn = await rig.prompt()
        assert not rig.session.usable
    assert turn.end.code is ErrorCode.PROTOCOL_INVALID_MESSAGE


@pytest.mark.parametrize("code", [0, 3])
@pytest.mark.parametrize(
    ("steps", "starts"),
    [
        ([], 0),
        ([state("running")], 0),
        (BEGINS, 1),
        ([*BEGINS, message(), says("a")], 1),
        ([*BEGINS, message(), *calls()], 1),
    ],
    ids=["at once", "queued", "begun", "mid", "tool"],
)
async def test_an_exit_is_an_exit(scripted, code, steps, starts):
    async with scripted([*steps, {"stderr": "bye\n"}, {"exit": code}]) as rig:
        turn = await rig.prompt()
        await rig.session.closed.wait()
    assert turn.end == Exited(returncode=code, stderr_excerpt="bye\n")
    assert turn.starts == starts


async def test_an_exit_behind_the_result_takes_nothing_back(scripted):
    async with scripted([*BEGINS, message(), says("a"), result(), {"exit": 1}]) as rig:
        turn = await rig.prompt()
        assert not rig.session.usable
    assert (turn.text, type(turn.end)) == ("a", Completed)


async def test_a_closed_output_is_an_end(scripted, monkeypatch):
    monkeypatch.setattr("groupx.adapters.connection.LAST_OUTPUT_SECONDS", 0.05)
    async with scripted([*BEGINS, {"close": "stdout"}, HANG]) as rig:
        turn = await rig.prompt()
        await rig.session.closed.wait()
    assert turn.end == Exited(returncode=None)


async def test_an_unfinished_last_line_is_not_a_frame(scripted):
    async with scripted([*BEGINS, {"raw": '{"type":"result",'}, {"exit": 0}]) as rig:
        turn = await rig.prompt()
    assert not isinstance(turn.end, Completed)


async def test_an_exit_between_turns(scripted):
    async with scripted([*BEGINS, message(), *ends(), {"exit": 0}]) as rig:
        assert isinstance((await rig.prompt()).end, Completed)
        await rig.session.closed.wait()
        assert not rig.session.usable
        assert isinstance((await rig.prompt()).end, Exited)
