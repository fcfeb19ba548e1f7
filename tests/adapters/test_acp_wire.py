"""What real pipes carry: garbage, huge lines, odd characters, floods, and ends of output."""

import pytest

from conformance.scenario import HANG, asks, ends, says, tool
from groupx.adapters import connection
from groupx.adapters.contract import Completed, Exited, Failed, Interaction
from groupx.domain.errors import ErrorCode


def prompt(*steps):
    return {"session/prompt": [list(steps)]}


def chunk_line(escaped_text):
    return (
        '{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"session-1","update":'
        '{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"'
        + escaped_text
        + '"}}}}\n'
    )


@pytest.mark.parametrize("size", [70_000, 1_000_000])
async def test_long_lines(scripted, size):
    async with scripted(prompt(says("x" * size), ends())) as rig:
        turn = await rig.prompt()
    assert (len(turn.text), turn.end) == (size, Completed())


async def test_a_long_prompt_arrives_whole(scripted):
    text = "段" * 200_000
    async with scripted(prompt(ends())) as rig:
        await rig.prompt(text)
    [sent] = rig.sent("session/prompt")
    assert sent["params"]["prompt"][0]["text"] == text


async def test_line_separators_are_data(scripted):
    async with scripted(prompt(says("a\u2028b\u0085c\u2029\r\u0000d"), ends())) as rig:
        turn = await rig.prompt()
    assert turn.text == "a\u2028b\u0085c\u2029\r\u0000d"


async def test_characters_split_over_writes(scripted):
    line = chunk_line("早上好 🌄").encode()
    async with scripted(prompt({"bytes": list(line)}, ends())) as rig:
        turn = await rig.prompt()
    assert turn.text == "早上好 🌄"


async def test_lone_surrogates_become_replacement_characters(scripted):
    async with scripted(prompt({"raw": chunk_line(r"a\ud800b \ud83d\ude00")}, ends())) as rig:
        turn = await rig.prompt()
    assert turn.text == "a\ufffdb 😀"


async def test_empty_lines_are_nothing(scripted):
    async with scripted(prompt({"raw": "\n\n  \n"}, says("a"), ends())) as rig:
        turn = await rig.prompt()
    assert turn.end == Completed()


async def test_an_error_without_an_id_is_nothing(scripted):
    error = {"send": {"id": None, "error": {"code": -32601, "message": "no such notification"}}}
    async with scripted(prompt(error, says("a"), ends())) as rig:
        turn = await rig.prompt()
    assert turn.end == Completed()


@pytest.mark.parametrize(
    "line",
    ["Segmentation fault\n", "[1, 2]\n", "null\n", '{"hello": 1}\n', '{"a": "\udcff"}\n'],
    ids=["text", "list", "null", "stranger", "not-utf-8"],
)
@pytest.mark.parametrize("begun", [True, False])
async def test_a_line_that_cannot_be_trusted(scripted, line, begun):
    steps = [*([says("a")] if begun else []), {"raw": line}, HANG]
    async with scripted(prompt(*steps)) as rig:
        turn = await rig.prompt()
        assert not rig.session.usable
        await rig.session.closed.wait()
    assert isinstance(turn.end, Failed)
    assert turn.end.code is ErrorCode.PROTOCOL_INVALID_MESSAGE
    assert (turn.end.evidence, turn.end.session_usable) == (begun, False)


@pytest.mark.slow
async def test_a_line_over_the_bound(scripted):
    long = {"raw": "x" * 1_000_000, "times": 17}
    async with scripted(prompt(says("a"), long, {"raw": "\n"}, HANG)) as rig:
        turn = await rig.prompt()
    assert turn.end.code is ErrorCode.PROTOCOL_INVALID_MESSAGE


async def test_a_flood_on_stderr_stops_nothing(scripted):
    flood = {"stderr": "warning: " * 100 + "\n", "times": 1000}
    async with scripted(prompt(flood, says("a"), ends())) as rig:
        turn = await rig.prompt()
    assert turn.end == Completed()


async def test_a_flood_of_requests_without_reading(scripted):
    asking = [asks(request_id=number) for number in range(2000)]
    async with scripted(prompt(*asking, HANG)) as rig:
        turn = await rig.prompt()
        assert not rig.session.usable
    assert isinstance(turn.end, Interaction)


@pytest.mark.parametrize("code", [0, 3])
@pytest.mark.parametrize(
    "steps", [[], [says("a")], [tool(title="x")]], ids=["early", "mid", "tool"]
)
async def test_an_exit_is_an_exit(scripted, code, steps):
    async with scripted(prompt(*steps, {"stderr": "bye\n"}, {"exit": code})) as rig:
        turn = await rig.prompt()
        await rig.session.closed.wait()
    assert turn.end == Exited(returncode=code, stderr_excerpt="bye\n")
    assert turn.starts == (1 if steps else 0)


async def test_a_closed_output_is_an_end(scripted, monkeypatch):
    monkeypatch.setattr(connection, "LAST_OUTPUT_SECONDS", 0.05)
    async with scripted(prompt(says("a"), {"close": "stdout"}, HANG)) as rig:
        turn = await rig.prompt()
        await rig.session.closed.wait()
    assert turn.end == Exited(returncode=None)


async def test_an_unfinished_last_line_is_not_a_message(scripted):
    async with scripted(prompt(says("a"), {"raw": '{"jsonrpc":"2.0","id":'}, {"exit": 0})) as rig:
        turn = await rig.prompt()
    assert not isinstance(turn.end, Completed)
