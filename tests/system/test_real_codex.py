"""The real Codex behind the driver, with a mock model: prompt, cancel, next, resume, stop."""

from contextlib import suppress
from pathlib import Path

import attrs
import pytest
import trio

from conformance.mcp_server import McpServer as MockMcp
from conformance.mock_model import MockModel
from conformance.real_programs import codex_environment, find, missing
from groupx.adapters.contract import (
    AdapterStartError,
    Cancelled,
    Completed,
    ContentDelta,
    Failed,
    McpServer,
    ReasoningDelta,
    SessionProfile,
    Started,
    ToolUpdate,
)
from groupx.adapters.registry import adapter_for
from groupx.domain.errors import ErrorCode
from groupx.process.proctable import processes
from groupx.process.spawner import Spawner

CODEX = find("codex")
SHELL = 'CALL:exec_command ARGS:{{"cmd": "{command}", "yield_time_ms": 30000}}'
pytestmark = [
    pytest.mark.real,
    pytest.mark.slow,
    pytest.mark.timeout(90),
    pytest.mark.skipif(CODEX is None, reason=missing("codex")),
]


@pytest.fixture
def model(tmp_path):
    with MockModel(log=tmp_path / "model.jsonl", prompts_by="responses") as model:
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
        agent_id="codex",
        command=(CODEX,),
        cwd=str(work),
        env=codex_environment(tmp_path / "home", model.url),
        run_dir=str(tmp_path),
    )


class Turn:
    def __init__(self):
        self.events = []
        self.begun = trio.Event()
        self.text_began = trio.Event()
        self.tool_began = trio.Event()

    def sink(self, event):
        self.events.append(event)
        if isinstance(event, Started):
            self.begun.set()
        if isinstance(event, ContentDelta):
            self.text_began.set()
        if isinstance(event, ToolUpdate) and event.status == "in_progress":
            self.tool_began.set()

    @property
    def text(self):
        return "".join(event.text for event in self.events if isinstance(event, ContentDelta))

    @property
    def tools(self):
        return [event for event in self.events if isinstance(event, ToolUpdate)]


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


def is_codex(row):
    with suppress(OSError):
        return b"codex" in Path(f"/proc/{row.pid}/cmdline").read_bytes()
    return False


def at_once(_turn):
    """Before the program can have heard of the turn."""
    event = trio.Event()
    event.set()
    return event


async def test_a_conversation(profile, spawner, model):
    before = set(processes())
    async with trio.open_nursery() as nursery:
        session = await nursery.start(adapter_for("codex").serve, profile, spawner)
        assert session.facts.program_version[0].isdigit()
        assert not session.facts.argv[0].endswith(".js")
        assert session.facts.continuity == "new"

        turn = await ask(session, "THINK about marker-one")
        assert turn.text == "Hello from the mock model."
        assert turn.events[0].native_turn_id
        assert any(isinstance(event, ReasoningDelta) for event in turn.events)
        assert isinstance(turn.end, Completed)
        assert (turn.end.usage.input_tokens, turn.end.usage.total_tokens) == (100, 105)
        assert len(model.prompts_with("marker-one")) == 1

        turn = await ask_and_cancel(session, "SLOW marker-two", lambda turn: turn.text_began)
        assert turn.end == Cancelled()
        assert turn.text.startswith("tick0 ")
        assert session.usable

        turn = await ask(session, "SAY:again marker-three")
        assert (turn.text, type(turn.end)) == ("again", Completed)
        assert len(model.prompts_with("marker-three")) == 1

        turn = await ask_and_cancel(session, "SLOW marker-four", at_once)
        assert turn.end == Cancelled()
        turn = await ask(session, "EMPTY marker-five")
        assert (turn.text, type(turn.end)) == ("", Completed)

        await session.close()
        await session.closed.wait()
    assert [row for row in processes().values() if row.pid not in before and is_codex(row)] == []


async def test_a_second_process_goes_on_with_the_thread(profile, spawner, model):
    async with trio.open_nursery() as nursery:
        first = await nursery.start(adapter_for("codex").serve, profile, spawner)
        await ask(first, "SAY:remembered marker-first")
        await first.close()
        await first.closed.wait()

    known = first.facts.native_session_id
    again = attrs.evolve(profile, resume=known)
    async with trio.open_nursery() as nursery:
        second = await nursery.start(adapter_for("codex").serve, again, spawner)
        assert (second.facts.continuity, second.facts.native_session_id) == ("resumed", known)
        turn = await ask(second, "SAY:back marker-second")
        assert (turn.text, type(turn.end)) == ("back", Completed)
        assert turn.end.usage.total_tokens == 105
        [prompt] = model.prompts_with("marker-second")
        assert "marker-first" in prompt["earlier"]
        assert "remembered" in prompt["earlier"]
        await second.close()
        await second.closed.wait()
    assert len(model.prompts_with("marker-first")) == 1


async def test_a_thread_without_turns_or_one_of_another_machine_is_a_new_one(profile, spawner):
    async with trio.open_nursery() as nursery:
        unused = await nursery.start(adapter_for("codex").serve, profile, spawner)
        await unused.close()
        await unused.closed.wait()
    for thread in (unused.facts.native_session_id, "01a22d84-9e81-7171-99c8-000000000000"):
        async with trio.open_nursery() as nursery:
            again = attrs.evolve(profile, resume=thread)
            session = await nursery.start(adapter_for("codex").serve, again, spawner)
            assert session.facts.continuity == "new"
            turn = await ask(session, "SAY:fresh")
            assert (turn.text, type(turn.end)) == ("fresh", Completed)
            session.kill()
            await session.closed.wait()


async def test_a_command_and_its_cancel(profile, spawner):
    async with trio.open_nursery() as nursery:
        session = await nursery.start(adapter_for("codex").serve, profile, spawner)
        turn = await ask(session, SHELL.format(command="echo hi-shell"))
        assert turn.text.startswith("Calling a tool. ")
        assert "hi-shell" in turn.text
        assert [turn.tools[0].phase, turn.tools[-1].phase] == ["started", "completed"]
        assert turn.tools[-1].status == "completed"
        assert turn.tools[-1].details["exitCode"] == 0

        sleeping = SHELL.format(command="exec sleep 61.25")
        turn = await ask_and_cancel(session, sleeping, lambda turn: turn.tool_began)
        assert turn.end == Cancelled()
        assert turn.tools[-1].status == "cancelled"
        assert session.usable
        turn = await ask(session, "SAY:next")
        assert turn.text == "next"
        await session.close()
        await session.closed.wait()


async def test_a_tool_of_the_room(profile, spawner):
    with MockMcp("secret-bearer") as mcp:
        given = McpServer(name="groupx", url=mcp.url, bearer=mcp.bearer)
        async with trio.open_nursery() as nursery:
            with_mcp = attrs.evolve(profile, mcp=given)
            session = await nursery.start(adapter_for("codex").serve, with_mcp, spawner)
            assert session.facts.mcp_injected
            turn = await ask(session, 'CALL:groupx::post ARGS:{"text": "to the room"}')
            assert "posted to the room" in turn.text
            assert [tool.name for tool in turn.tools] == ["groupx.post"] * 2
            [call] = mcp.calls
            assert call["arguments"] == {"text": "to the room"}
            session.kill()
            await session.closed.wait()


async def test_a_room_without_its_tools(profile, spawner):
    dead = McpServer(name="groupx", url="http://127.0.0.1:9/mcp", bearer="x")
    async with trio.open_nursery() as nursery:
        without = attrs.evolve(profile, mcp=dead)
        session = await nursery.start(adapter_for("codex").serve, without, spawner)
        assert not session.facts.mcp_injected
        assert (await ask(session, "SAY:still")).text == "still"
        session.kill()
        await session.closed.wait()


@pytest.mark.parametrize(
    ("status", "code"),
    [
        (401, ErrorCode.NATIVE_LOGIN_REQUIRED),
        (429, ErrorCode.NATIVE_QUOTA_EXCEEDED),
        (500, ErrorCode.NATIVE_TURN_FAILED),
    ],
)
async def test_a_model_that_refuses(profile, spawner, status, code):
    async with trio.open_nursery() as nursery:
        session = await nursery.start(adapter_for("codex").serve, profile, spawner)
        turn = await ask(session, f"FAIL:{status}")
        assert isinstance(turn.end, Failed)
        assert turn.end.code is code
        assert (await ask(session, "SAY:on")).text == "on"
        session.kill()
        await session.closed.wait()


async def test_a_model_that_is_not_there_is_given_up(profile, spawner, tmp_path):
    nowhere = codex_environment(tmp_path / "home", "http://127.0.0.1:9")
    async with trio.open_nursery() as nursery:
        lost = attrs.evolve(profile, env=nowhere)
        session = await nursery.start(adapter_for("codex").serve, lost, spawner)
        turn = await ask(session, "hello")
        assert isinstance(turn.end, Failed)
        assert turn.end.code is ErrorCode.NATIVE_TURN_FAILED
        session.kill()
        await session.closed.wait()


async def test_without_a_login_it_says_so_before_any_message(profile, spawner, tmp_path):
    home = tmp_path / "empty"
    home.mkdir()
    bare = attrs.evolve(profile, env={"HOME": str(home), "CODEX_HOME": str(home)})
    with pytest.raises(AdapterStartError) as caught:
        await adapter_for("codex").serve(bare, spawner)
    assert caught.value.code is ErrorCode.NATIVE_LOGIN_REQUIRED


async def test_the_program_is_found(profile, spawner):
    report = await adapter_for("codex").probe(profile, spawner)
    assert (report.found, report.problem) == (True, None)
    assert report.version.startswith("codex-cli ")
