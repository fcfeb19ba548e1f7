"""Transcripts of the real program (0.171.0), replayed through the driver."""

import json
from pathlib import Path

import pytest
import trio
import trio.testing

from groupx.adapters.contract import Cancelled, Completed, ContentDelta

WIRE = Path(__file__).parent / "wire"


def scenario_of(name):
    """What the program said, as steps: an answer where we ask, the rest after it."""
    records = [json.loads(line) for line in (WIRE / f"{name}.jsonl").read_text().splitlines()]
    scenario, turns, steps, asked = {}, [], [], None
    for record in records:
        message = record["msg"]
        if record["dir"] == ">":
            method = message.get("method")
            if method == "turn/interrupt" and steps[-1:] != [{"await": method}]:
                steps.append({"await": method})
            elif method in ("initialize", "thread/start"):
                steps, asked = scenario.setdefault(method, []), message["id"]
            elif method == "turn/start":
                steps, asked = [], message["id"]
                turns.append(steps)
        elif "method" in message:
            steps.append({"send": message})
        elif message["id"] == asked:
            steps.append({"result": message["result"]})
    for steps in turns:
        cut = next(index for index, step in enumerate(steps) if is_end(step))
        del steps[cut + 1 :]
    return {**scenario, "turn/start": turns}


def is_end(step):
    return step.get("send", {}).get("method") == "turn/completed"


async def replay(app_server, name, cancel=()):
    """Every turn of the transcript."""
    scenario, done = scenario_of(name), []
    async with app_server(scenario) as rig:
        for number in range(len(scenario["turn/start"])):
            async with trio.open_nursery() as nursery:
                nursery.start_soon(keep, rig, done)
                if number in cancel:
                    await trio.testing.wait_all_tasks_blocked()
                    await rig.session.cancel()
            assert rig.session.usable
    return done, rig


async def keep(rig, done):
    done.append(await rig.prompt())


async def test_a_simple_turn(app_server):
    [turn], _ = await replay(app_server, "simple_turn")
    assert turn.text == "hello from the mock model"
    assert turn.reasoning == "**Plan** I am thinking.\n\nraw reasoning text"
    assert isinstance(turn.end, Completed)
    assert (turn.end.usage.total_tokens, turn.end.usage.context_size) == (10217, 258400)


async def test_a_steered_turn_is_one_turn_of_two_segments(app_server):
    [turn], _ = await replay(app_server, "steered_turn")
    pieces = [event for event in turn.events if isinstance(event, ContentDelta)]
    assert turn.text == "w0 w1 w2 w3 w4 steered reply"
    assert [piece.text for piece in pieces if piece.new_segment] == ["steered "]


async def test_tools(app_server):
    turns, _ = await replay(app_server, "tool_call_turn")
    assert all(isinstance(turn.end, Completed) for turn in turns)
    assert all(turn.text.startswith(("TOOLSAID", "[")) for turn in turns)
    closed = [tool for turn in turns for tool in turn.tools if tool.phase == "completed"]
    assert [(tool.name, tool.status) for tool in closed][:3] == [
        ("/bin/bash -lc 'echo hi; echo err >&2; exit 3'", "failed"),
        ("gx.gx_post", "completed"),
        ("st.st_echo", "completed"),
    ]
    assert closed[0].details["exitCode"] == 3
    assert "posted" in closed[1].details["text"]


async def test_interrupts(app_server):
    turns, rig = await replay(app_server, "interrupted_turn", cancel=(0, 2))
    assert [type(turn.end) for turn in turns] == [Cancelled, Completed, Cancelled]
    assert turns[0].text == "w0 w1 w2 w3 w4 w5 w6 "
    assert [tool.status for tool in turns[2].tools] == ["in_progress", "cancelled"]
    assert len(rig.sent("thread/backgroundTerminals/clean")) == 1


@pytest.mark.parametrize("name", ["simple_turn", "tool_call_turn", "steered_turn"])
async def test_no_turn_starts_twice(app_server, name):
    turns, _ = await replay(app_server, name)
    assert {turn.starts for turn in turns} == {1}
