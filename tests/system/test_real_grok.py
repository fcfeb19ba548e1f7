"""The real Grok program behind the adapter, with a mock model: prompt, cancel, next, stop."""

from contextlib import suppress
from pathlib import Path

import attrs
import pytest
import trio

from conformance.mock_model import MockModel
from conformance.real_programs import find, grok_environment, missing
from groupx.adapters.contract import (
    Cancelled,
    Completed,
    ContentDelta,
    Failed,
    ReasoningDelta,
    SessionProfile,
    Started,
    ToolUpdate,
)
from groupx.adapters.registry import adapter_for
from groupx.domain.errors import ErrorCode
from groupx.process.proctable import processes
from groupx.process.spawner import Spawner

GROK = find("grok")
SHELL = 'CALL:run_terminal ARGS:{{"command": "{command}", "description": "a test"}}'
pytestmark = [
    pytest.mark.real,
    pytest.mark.slow,
    pytest.mark.timeout(90),
    pytest.mark.skipif(GROK is None, reason=missing("grok")),
]


@pytest.fixture
def model(tmp_path):
    with MockModel(log=tmp_path / "model.jsonl") as model:
        yield model


@pytest.fixture
async def spawner():
    spawner = Spawner()
    await spawner.start()
    yield spawner
    await spawner.aclose()


@pytest.fixture
def profile(tmp_path, model):
    work = tmp_path / "work"
    work.mkdir()
    return SessionProfile(
        agent_id="grok",
        command=(GROK,),
        cwd=str(work),
        env=grok_environment(tmp_path / "home", model.url),
        run_dir=str(tmp_path),
    )


class Turn:
    def __init__(self):
        self.events = []
        self.text_began = trio.Event()
        self.tool_began = trio.Event()

    def sink(self, event):
        self.events.append(event)
        if isinstance(event, ContentDelta):
            self.text_began.set()
        if isinstance(event, ToolUpdate) and event.status == "in_progress":
            self.tool_began.set()

    @property
    def text(self):
        return "".join(event.text for event in self.events if isinstance(event, ContentDelta))


async def ask(session, text):
    turn = Turn()
    with trio.fail_after(30):
        turn.end = await session.prompt(text, turn.sink)
    return turn


async def ask_and_cancel(session, text, when):
    turn = Turn()

    async def run():
        with trio.fail_after(30):
            turn.end = await session.prompt(text, turn.sink)

    async with trio.open_nursery() as nursery:
        nursery.start_soon(run)
        await when(turn).wait()
        await session.cancel()
    return turn


async def test_a_conversation(profile, spawner, model):
    before = set(processes())
    async with trio.open_nursery() as nursery:
        session = await nursery.start(adapter_for("grok").serve, profile, spawner)
        assert session.facts.program_version
        assert session.facts.capabilities["resume"] == "advertised"

        turn = await ask(session, "THINK about marker-one")
        assert turn.text == "Hello from the mock model."
        assert isinstance(turn.events[0], Started)
        assert any(isinstance(event, ReasoningDelta) for event in turn.events)
        assert isinstance(turn.end, Completed)
        assert turn.end.usage.input_tokens == 100
        assert len(model.prompts_with("marker-one")) == 1

        turn = await ask_and_cancel(session, "SLOW marker-two", lambda turn: turn.text_began)
        assert turn.end == Cancelled()
        assert turn.text.startswith("tick0 ")
        assert session.usable

        turn = await ask(session, "SAY:again marker-three")
        assert (turn.text, type(turn.end)) == ("again", Completed)
        assert len(model.prompts_with("marker-three")) == 1

        await session.close()
        await session.closed.wait()
    assert [row for row in processes().values() if row.pid not in before and is_grok(row)] == []


async def test_a_second_process_goes_on_with_the_session(profile, spawner, model):
    async with trio.open_nursery() as nursery:
        first = await nursery.start(adapter_for("grok").serve, profile, spawner)
        assert first.facts.continuity == "new"
        await ask(first, "SAY:remembered marker-first")
        await first.close()
        await first.closed.wait()

    known = first.facts.native_session_id
    again = attrs.evolve(profile, resume=known)
    async with trio.open_nursery() as nursery:
        second = await nursery.start(adapter_for("grok").serve, again, spawner)
        assert (second.facts.continuity, second.facts.native_session_id) == ("resumed", known)
        assert second.facts.capabilities["resume"] == "probed"
        turn = await ask(second, "SAY:back marker-second")
        assert (turn.text, type(turn.end)) == ("back", Completed)
        [prompt] = model.prompts_with("marker-second")
        assert "marker-first" in prompt["earlier"]
        assert "remembered" in prompt["earlier"]
        await second.close()
        await second.closed.wait()
    assert len(model.prompts_with("marker-first")) == 1


async def test_a_session_that_it_does_not_know_is_a_new_one(profile, spawner):
    unknown = attrs.evolve(profile, resume="00000000-0000-4000-8000-000000000000")
    async with trio.open_nursery() as nursery:
        session = await nursery.start(adapter_for("grok").serve, unknown, spawner)
        assert session.facts.continuity == "new"
        assert session.facts.native_session_id != unknown.resume
        turn = await ask(session, "SAY:fresh marker-new")
        assert (turn.text, type(turn.end)) == ("fresh", Completed)
        await session.close()
        await session.closed.wait()


def is_grok(row):
    with suppress(OSError):
        return b"grok" in Path(f"/proc/{row.pid}/cmdline").read_bytes()
    return False


async def test_a_tool_and_its_cancel(profile, spawner):
    async with trio.open_nursery() as nursery:
        session = await nursery.start(adapter_for("grok").serve, profile, spawner)
        turn = await ask(session, SHELL.format(command="echo hi-shell"))
        assert "hi-shell" in turn.text
        tools = [event for event in turn.events if isinstance(event, ToolUpdate)]
        assert [tools[0].phase, tools[-1].phase] == ["started", "completed"]
        assert tools[-1].status == "completed"
        assert turn.text.startswith("Calling a tool. The tool said: ")

        sleeping = SHELL.format(command="sleep 61")
        turn = await ask_and_cancel(session, sleeping, lambda turn: turn.tool_began)
        assert turn.end == Cancelled()
        await session.close()
        await session.closed.wait()


@pytest.mark.parametrize(
    ("status", "code"),
    [
        (401, ErrorCode.NATIVE_LOGIN_REQUIRED),
        (402, ErrorCode.NATIVE_QUOTA_EXCEEDED),
    ],
)
async def test_a_model_that_refuses(profile, spawner, status, code):
    async with trio.open_nursery() as nursery:
        session = await nursery.start(adapter_for("grok").serve, profile, spawner)
        turn = await ask(session, f"FAIL:{status}")
        assert isinstance(turn.end, Failed)
        assert turn.end.code is code
        session.kill()
        await session.closed.wait()


async def test_the_program_is_found_and_knows_its_flags(profile, spawner):
    report = await adapter_for("grok").probe(profile, spawner)
    assert (report.found, report.problem) == (True, None)
    assert report.version
