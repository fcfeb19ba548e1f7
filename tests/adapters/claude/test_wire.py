"""Frames of this protocol that are not as they should be, and ends of the program among them."""

import pytest

from conformance.scenario import HANG
from conformance.stream_json_scenario import (
    BEGINS,
    ends,
    message,
    result,
    says,
    state,
)
from groupx.adapters.contract import Completed, Exited, Failed
from groupx.domain.errors import ErrorCode

ODD = [
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
]


async def test_odd_frames_stop_nothing(scripted):
    odd = [{"send": frame} for frame in ODD]
    async with scripted([*BEGINS, message(), *odd, says("a"), *ends()]) as rig:
        turn = await rig.prompt()
    assert (turn.text, type(turn.end)) == ("a", Completed)


@pytest.mark.parametrize(
    "line",
    [
        '{"type": 5}\n',
        '{"type": "control_request", "request": {"subtype": "can_use_tool"}}\n',
    ],
    ids=["no-type", "no-id"],
)
async def test_a_line_that_cannot_be_trusted(scripted, line):
    async with scripted([*BEGINS, {"raw": line}, HANG]) as rig:
        turn = await rig.prompt()
        assert not rig.session.usable
    assert isinstance(turn.end, Failed)
    assert turn.end.code is ErrorCode.PROTOCOL_INVALID_MESSAGE


@pytest.mark.parametrize(("steps", "starts"), [([state("running")], 0), (BEGINS, 1)])
async def test_an_exit_before_or_after_the_message_was_taken_up(scripted, steps, starts):
    async with scripted([*steps, {"exit": 3}]) as rig:
        turn = await rig.prompt()
    assert turn.end == Exited(returncode=3)
    assert turn.starts == starts


async def test_an_exit_behind_the_result_takes_nothing_back(scripted):
    async with scripted([*BEGINS, message(), says("a"), result(), {"exit": 1}]) as rig:
        turn = await rig.prompt()
        assert not rig.session.usable
    assert (turn.text, type(turn.end)) == ("a", Completed)
