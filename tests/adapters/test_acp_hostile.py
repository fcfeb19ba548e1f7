"""What a program says out of spite or by a bug costs its own session, and nothing else."""

import pytest

from conformance.scenario import ends, says
from groupx.adapters.contract import Completed, Failed
from groupx.domain.errors import ErrorCode


def nested(depth):
    return "[" * depth + "]" * depth


def raw_tool(raw_input):
    """A tool call as a line of text: what it holds could not be written by a JSON library."""
    update = f'{{"sessionUpdate":"tool_call","toolCallId":"t","rawInput":{raw_input}}}'
    params = f'{{"sessionId":"session-1","update":{update}}}'
    line = f'{{"jsonrpc":"2.0","method":"session/update","params":{params}}}'
    return {"raw": line + "\n"}


def raw_request(request_id):
    line = f'{{"jsonrpc":"2.0","id":{request_id},"method":"fs/read_text_file","params":{{}}}}'
    return {"raw": line + "\n"}


def prompt(*steps):
    return {"session/prompt": [[says("a"), *steps, {"await": "end"}]]}


@pytest.mark.parametrize("raw_input", [nested(300), nested(1015), "1" * 400, "[NaN]"])
async def test_input_that_cannot_be_shown_is_said_in_words(scripted, raw_input):
    async with scripted(prompt(raw_tool(raw_input), ends())) as rig:
        turn = await rig.prompt()
        assert rig.session.usable
    assert turn.end == Completed()
    assert len(turn.tools[0].details["input"]) < 100


@pytest.mark.parametrize("raw_input", [nested(1030), nested(200_000), "1" * 5_000])
async def test_a_line_that_cannot_be_read_ends_the_session(scripted, raw_input):
    async with scripted(prompt(raw_tool(raw_input))) as rig:
        turn = await rig.prompt()
        assert not rig.session.usable
    assert isinstance(turn.end, Failed)
    assert turn.end.code is ErrorCode.PROTOCOL_INVALID_MESSAGE


@pytest.mark.parametrize(
    ("request_id", "lenient"),
    [
        *((text, False) for text in (str(2**63), "1.5", "true", '{"a":1}', nested(900))),
        ("1" + "0" * 30, True),
        ("[1]", True),
    ],
)
async def test_an_id_that_cannot_be_sent_back_ends_the_session(scripted, request_id, lenient):
    request = raw_request(request_id)
    if lenient:
        request = {"raw": request["raw"].replace("{}", '{"surrogate":"\\ud800"}')}
    async with scripted(prompt(request)) as rig:
        turn = await rig.prompt()
        assert not rig.session.usable
    assert isinstance(turn.end, Failed)
    assert turn.end.code is ErrorCode.PROTOCOL_INVALID_MESSAGE
    assert "id" in turn.end.message


@pytest.mark.parametrize("request_id", [str(-(2**63)), str(2**63 - 1), '""', '"x"'])
async def test_an_id_that_can_is_answered(scripted, request_id):
    async with scripted(prompt(raw_request(request_id), {"await": None}, ends())) as rig:
        turn = await rig.prompt()
    assert turn.end == Completed()
    assert rig.frames[-1]["error"]["code"] == -32601


@pytest.mark.parametrize("error", [nested(900), '{"code":1,"message":' + nested(900) + "}", "7"])
async def test_an_error_that_is_none_is_still_the_end_of_the_turn(scripted, error):
    line = f'{{"jsonrpc":"2.0","id":3,"error":{error}}}'
    async with scripted(prompt({"raw": line + "\n"})) as rig:
        turn = await rig.prompt()
    assert isinstance(turn.end, Failed)
    assert len(turn.end.message) < 1_000


async def test_a_defect_of_ours_in_reading_a_line_costs_that_session_only(scripted, monkeypatch):
    def breaks(*_):
        raise ZeroDivisionError("our bug")

    monkeypatch.setattr("groupx.adapters.acp.updates._text_in", breaks)
    async with scripted(prompt()) as rig:
        turn = await rig.prompt()
        assert not rig.session.usable
    assert turn.end.code is ErrorCode.PROTOCOL_INVALID_MESSAGE
    assert "ZeroDivisionError" in turn.end.message


async def test_an_error_without_an_id_is_nothing(scripted):
    error = {"send": {"id": None, "error": {"code": -32601, "message": "no such notification"}}}
    async with scripted(prompt(error, says("a"), ends())) as rig:
        turn = await rig.prompt()
    assert turn.end == Completed()
