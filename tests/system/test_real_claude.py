"""The real Claude Code against a mock model: prompt, cancel, next, tool, resume, stop."""

import json
import os
import stat
from contextlib import suppress
from pathlib import Path

import attrs
import pytest
import trio
import trio.testing

from conformance.mcp_server import McpServer as MockMcp
from conformance.mock_anthropic import MockAnthropic
from conformance.real_programs import claude_environment, find, missing
from groupx.adapters.claude.adapter import ClaudeAdapter
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
from groupx.domain.errors import ErrorCode
from groupx.process.proctable import processes
from groupx.process.spawner import Spawner

CLAUDE = find("claude")
SHELL = 'CALL:Bash ARGS:{{"command": "{command}", "description": "a test"}}'
SLEEPS = SHELL.format(command="python3 -c 'import time; time.sleep(61)'")
pytestmark = [
    pytest.mark.real,
    pytest.mark.slow,
    pytest.mark.timeout(120),
    pytest.mark.skipif(CLAUDE is None, reason=missing("claude")),
]


@pytest.fixture
def model(tmp_path):
    with MockAnthropic(log=tmp_path / "model.jsonl") as model:
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
        agent_id="claude",
        command=(CLAUDE,),
        cwd=str(work),
        env=claude_environment(tmp_path / "home", model.url),
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

    @property
    def tools(self):
        return [event for event in self.events if isinstance(event, ToolUpdate)]


async def ask(session, text):
    turn = Turn()
    with trio.fail_after(40):
        turn.end = await session.prompt(text, turn.sink)
    return turn


async def ask_and_cancel(session, text, when=None):
    turn = Turn()

    async def run():
        with trio.fail_after(40):
            turn.end = await session.prompt(text, turn.sink)

    async with trio.open_nursery() as nursery:
        nursery.start_soon(run)
        if when is None:
            await trio.testing.wait_all_tasks_blocked(0.01)
        else:
            await when(turn).wait()
        await session.cancel()
    return turn


async def end(session):
    await session.close()
    await session.closed.wait()


def claudes():
    found = []
    for row in processes().values():
        with suppress(OSError):
            if CLAUDE.encode() in Path(f"/proc/{row.pid}/cmdline").read_bytes():
                found.append(row.pid)
    return found


async def test_a_conversation(profile, spawner, model):
    async with trio.open_nursery() as nursery:
        session = await nursery.start(ClaudeAdapter().serve, profile, spawner)
        assert session.facts.program_version

        turn = await ask(session, "THINK about marker-one")
        assert turn.text == "Hello from the mock model."
        assert isinstance(turn.events[0], Started)
        thoughts = [e.text for e in turn.events if isinstance(e, ReasoningDelta)]
        assert "".join(thoughts) == "I am thinking. "
        assert isinstance(turn.end, Completed)
        assert (turn.end.usage.input_tokens, turn.end.usage.output_tokens) == (100, 5)
        assert turn.end.usage.context_used == 105
        assert turn.end.usage.context_size
        assert len(model.prompts_with("marker-one")) == 1

        turn = await ask_and_cancel(session, "SLOW marker-two", lambda turn: turn.text_began)
        assert turn.end == Cancelled()
        assert turn.text.startswith("tick0 ")
        assert session.usable

        turn = await ask(session, "SAY:again marker-three")
        assert (turn.text, type(turn.end)) == ("again", Completed)
        assert len(model.prompts_with("marker-three")) == 1

        turn = await ask_and_cancel(session, "SLOW marker-four")
        assert (turn.end, session.usable) == (Cancelled(), True)

        turn = await ask(session, "EMPTY marker-five")
        assert (turn.text, type(turn.end)) == ("", Completed)
        await end(session)
    assert claudes() == []


async def test_what_looks_like_a_command_is_said_as_it_is(profile, spawner, model):
    async with trio.open_nursery() as nursery:
        session = await nursery.start(ClaudeAdapter().serve, profile, spawner)
        turn = await ask(session, "/clear SAY:verbatim")
        assert (turn.text, type(turn.end)) == ("verbatim", Completed)
        assert model.prompts_with("/clear SAY:verbatim")
        await end(session)


async def test_a_second_process_goes_on_with_the_session(profile, spawner, model):
    async with trio.open_nursery() as nursery:
        first = await nursery.start(ClaudeAdapter().serve, profile, spawner)
        assert first.facts.continuity == "new"
        await ask(first, "SAY:remembered marker-first")
        await end(first)

    known = first.facts.native_session_id
    again = attrs.evolve(profile, resume=known)
    async with trio.open_nursery() as nursery:
        second = await nursery.start(ClaudeAdapter().serve, again, spawner)
        assert (second.facts.continuity, second.facts.native_session_id) == ("resumed", known)
        turn = await ask(second, "SAY:back marker-second")
        assert (turn.text, type(turn.end)) == ("back", Completed)
        [prompt] = model.prompts_with("marker-second")
        assert "marker-first" in prompt["earlier"]
        assert "remembered" in prompt["earlier"]
        await end(second)
    assert len(model.prompts_with("marker-first")) == 1


async def test_after_a_kill_the_session_is_resumed_and_nothing_is_run_again(
    profile, spawner, model
):
    async with trio.open_nursery() as nursery:
        first = await nursery.start(ClaudeAdapter().serve, profile, spawner)
        await ask(first, "SAY:kept")  # what is killed at once may not have been written down
        turn = Turn()
        nursery.start_soon(first.prompt, SLEEPS, turn.sink)
        await turn.tool_began.wait()
        first.kill()
        await first.closed.wait()
    assert not [row for row in processes().values() if "time.sleep(61)" in command_of(row.pid)]

    again = attrs.evolve(profile, resume=first.facts.native_session_id)
    async with trio.open_nursery() as nursery:
        second = await nursery.start(ClaudeAdapter().serve, again, spawner)
        turn = await ask(second, "SAY:alive marker-after")
        assert (turn.text, type(turn.end)) == ("alive", Completed)
        await end(second)
    assert len(model.prompts_with("CALL:Bash")) == 1


def command_of(pid):
    with suppress(OSError):
        return Path(f"/proc/{pid}/cmdline").read_bytes().decode("utf-8", "replace")
    return ""


async def test_a_session_that_it_does_not_know(profile, spawner):
    unknown = attrs.evolve(profile, resume="00000000-0000-4000-8000-000000000000")
    with pytest.raises(AdapterStartError) as caught:
        await ClaudeAdapter().serve(unknown, spawner)
    assert caught.value.code is ErrorCode.NATIVE_RESUME_UNSUPPORTED


async def test_a_tool_and_its_cancel(profile, spawner):
    async with trio.open_nursery() as nursery:
        session = await nursery.start(ClaudeAdapter().serve, profile, spawner)
        turn = await ask(session, SHELL.format(command="cd /tmp; echo hi-shell"))
        assert turn.text.startswith("Calling a tool. The tool said: hi-shell")
        assert [tool.status for tool in turn.tools] == ["pending", "in_progress", "completed"]
        assert {(tool.name, tool.kind) for tool in turn.tools} == {("Bash", "execute")}

        turn = await ask_and_cancel(session, SLEEPS, lambda turn: turn.tool_began)
        assert turn.end == Cancelled()
        assert turn.tools[-1].phase == "completed"
        assert session.usable
        turn = await ask(session, "SAY:next")
        assert (turn.text, type(turn.end)) == ("next", Completed)
        await end(session)


async def test_a_model_that_refuses(profile, spawner):
    async with trio.open_nursery() as nursery:
        session = await nursery.start(ClaudeAdapter().serve, profile, spawner)
        turn = await ask(session, "FAIL:400")
        assert isinstance(turn.end, Failed)
        assert turn.end.code is ErrorCode.NATIVE_TURN_FAILED
        turn = await ask(session, "SAY:well")
        assert (turn.text, type(turn.end)) == ("well", Completed)
        await end(session)


async def test_nobody_is_logged_in(profile, spawner):
    env = {name: value for name, value in profile.env.items() if name != "ANTHROPIC_API_KEY"}
    async with trio.open_nursery() as nursery:
        session = await nursery.start(
            ClaudeAdapter().serve, attrs.evolve(profile, env=env), spawner
        )
        turn = await ask(session, "SAY:never")
        assert (type(turn.end), turn.end.code) == (Failed, ErrorCode.NATIVE_LOGIN_REQUIRED)
        await end(session)


async def test_settings_that_forbid_the_mode(profile, spawner):
    settings = Path(profile.env["CLAUDE_CONFIG_DIR"], "settings.json")
    settings.write_text(json.dumps({"permissions": {"disableBypassPermissionsMode": "disable"}}))
    with pytest.raises(AdapterStartError) as caught:
        await ClaudeAdapter().serve(profile, spawner)
    assert (caught.value.code, caught.value.transient) == (ErrorCode.NATIVE_POLICY_BLOCKED, False)


async def test_a_dead_mcp_server_stops_nothing(profile, spawner, tmp_path):
    server = McpServer(name="groupx", url="http://127.0.0.1:9/mcp", bearer="a-secret-bearer")
    async with trio.open_nursery() as nursery:
        session = await nursery.start(
            ClaudeAdapter().serve, attrs.evolve(profile, mcp=server), spawner
        )
        assert not session.facts.mcp_injected
        assert "a-secret-bearer" not in " ".join(session.facts.argv)
        assert stat.S_IMODE((tmp_path / "claude-mcp.json").stat().st_mode) == 0o600
        turn = await ask(session, "SAY:still")
        assert (turn.text, type(turn.end)) == ("still", Completed)
        await end(session)


async def test_the_tools_of_the_room(profile, spawner):
    with MockMcp("a-secret-bearer") as mcp:
        server = McpServer(name="groupx", url=mcp.url, bearer=mcp.bearer)
        async with trio.open_nursery() as nursery:
            session = await nursery.start(
                ClaudeAdapter().serve, attrs.evolve(profile, mcp=server), spawner
            )
            assert session.facts.mcp_injected
            turn = await ask(session, 'CALL:mcp__groupx__post ARGS:{"text": "hi"}')
            assert turn.text == "Calling a tool. The tool said: posted hi"
            [call] = mcp.calls
            assert (call["name"], call["arguments"]) == ("post", {"text": "hi"})
            await end(session)


@pytest.mark.skipif(os.getuid() != 0, reason="only root is refused")
async def test_root_without_leave(profile, spawner):
    env = {name: value for name, value in profile.env.items() if name != "IS_SANDBOX"}
    with pytest.raises(AdapterStartError) as caught:
        await ClaudeAdapter().serve(attrs.evolve(profile, env=env), spawner)
    assert "IS_SANDBOX" in caught.value.message
    assert not caught.value.transient


async def test_the_program_is_found_and_knows_its_flags(profile, spawner):
    report = await ClaudeAdapter().probe(profile, spawner)
    assert (report.found, report.problem) == (True, None)
    assert "Claude Code" in report.version
