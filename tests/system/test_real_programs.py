"""Every real program behind its driver, with a mock model: the same conversation with each."""

from operator import attrgetter
from pathlib import Path

import attrs
import pytest

from conformance.mcp_server import McpServer as MockMcp
from conformance.real_programs import PROGRAMS
from groupx.adapters.contract import (
    AdapterStartError,
    Cancelled,
    Completed,
    Failed,
    Interaction,
    McpServer,
    Started,
)
from groupx.adapters.registry import adapter_for
from groupx.domain.errors import ErrorCode
from tests.system.real_turns import (
    ask,
    ask_and_cancel,
    files_with,
    living_in,
    opened,
    prompts,
)

BEARER = "a-secret-bearer-4f1c"
pytestmark = [
    pytest.mark.real,
    pytest.mark.slow,
    pytest.mark.timeout(120),
    pytest.mark.parametrize("program", PROGRAMS, indirect=True),
]
KNOWS_NO_GHOST = {"claude"}
"""What refuses a session that it does not know, where others open a new one."""
RETRIES_NOTHING_SAID = {"kimi", "grok", "hermes", "gemini"}
"""What asks its model again when it answers nothing."""
REFUSALS = {"claude": (400, ErrorCode.NATIVE_TURN_FAILED)}
"""The status that is used where a refused key (401) is tried again for minutes."""
TELLS_OF_MCP = {"claude", "codex", "grok"}
"""What tells that it did not reach the room's tools."""
COUNTS_NO_TOKENS = {"kimi"}
SHOWS_NO_OUTPUT = {"gemini"}
SHOWS_NO_PROGRESS = {"hermes"}
"""What says of a tool only that it was opened and that it ended."""
ASKS = {
    "kimi": ("default", {}, None),
    "opencode": ("build", {"OPENCODE_PERMISSION": '{"bash": "ask"}'}, None),
    "gemini": ("default", {}, None),
    "hermes": ("default", {}, 'CALL:write_file ARGS:{"path": "a.txt", "content": "x"}'),
}
"""What can be made to ask for leave: by which mode, environment and words (else the shell's)."""


async def test_a_conversation(program, profile, spawner, model, tmp_path):
    async with opened(program.driver, profile, spawner, close=True) as session:
        assert session.facts.program_version
        assert session.facts.continuity == "new"

        turn = await ask(session, "THINK about marker-one")
        assert turn.text == "Hello from the mock model."
        assert isinstance(turn.events[0], Started)
        assert "thinking" in turn.reasoning
        assert isinstance(turn.end, Completed)
        if program.name not in COUNTS_NO_TOKENS:
            assert (turn.end.usage.input_tokens, turn.end.usage.output_tokens) == (100, 5)
        assert len(prompts(model, program, "marker-one")) == 1

        turn = await ask_and_cancel(session, "SLOW marker-two", lambda turn: turn.text_began)
        assert turn.end == Cancelled()
        assert turn.text.startswith("tick0 ")
        assert session.usable

        turn = await ask(session, "SAY:again marker-three")
        assert turn.outcome == ("again", Completed)
        assert len(prompts(model, program, "marker-three")) == 1
        assert living_in(tmp_path / "home")
    assert living_in(tmp_path / "home") == []


async def test_a_cancel_before_anything_was_heard(program, profile, spawner):
    async with opened(program.driver, profile, spawner) as session:
        turn = await ask_and_cancel(session, "SLOW marker-early")
        assert turn.end == Cancelled()
        if session.usable:
            assert (await ask(session, "SAY:next")).outcome == ("next", Completed)
        if program.name not in RETRIES_NOTHING_SAID:
            assert (await ask(session, "EMPTY")).outcome == ("", Completed)


async def test_a_second_process_goes_on_with_the_session(program, profile, spawner, model):
    async with opened(program.driver, profile, spawner, close=True) as first:
        await ask(first, "SAY:remembered marker-first")
    known = first.facts.native_session_id
    again = attrs.evolve(profile, resume=known)
    async with opened(program.driver, again, spawner) as second:
        if program.forgets and second.facts.continuity == "new":
            assert second.facts.native_session_id != known
        else:
            assert (second.facts.continuity, second.facts.native_session_id) == ("resumed", known)
            assert second.facts.capabilities["resume"] == "probed"
        turn = await ask(second, "SAY:back marker-second")
        assert turn.outcome == ("back", Completed)
        if second.facts.continuity == "resumed":
            [prompt] = prompts(model, program, "marker-second")
            assert "marker-first" in prompt["earlier"]
            assert "remembered" in prompt["earlier"]
        # Its mode was lost with the process: set again, nobody is asked for leave.
        turn = await ask(second, program.shell.format(command="echo hi-again"))
        assert isinstance(turn.end, Completed)
        assert "hi-again" in turn.text
    assert len(prompts(model, program, "marker-first")) == 1


async def test_a_session_that_it_does_not_know(program, profile, spawner):
    ghost = attrs.evolve(profile, resume="00000000-0000-4000-8000-000000000000")
    if program.name in KNOWS_NO_GHOST:
        with pytest.raises(AdapterStartError) as caught:
            await adapter_for(program.driver).serve(ghost, spawner)
        assert caught.value.code is ErrorCode.NATIVE_RESUME_UNSUPPORTED
        return
    async with opened(program.driver, ghost, spawner) as session:
        assert session.facts.continuity == "new"
        assert session.facts.native_session_id not in (None, ghost.resume)
        assert (await ask(session, "SAY:fresh")).outcome == ("fresh", Completed)


async def test_a_tool_and_its_cancel(program, profile, spawner):
    async with opened(program.driver, profile, spawner) as session:
        turn = await ask(session, program.shell.format(command="echo hi-shell"))
        assert isinstance(turn.end, Completed)
        assert turn.text.startswith("Calling a tool. ")
        assert "hi-shell" in turn.text
        assert (turn.tools[0].phase, turn.tools[-1].phase) == ("started", "completed")
        assert turn.tools[-1].status == "completed"
        assert turn.tools[-1].kind == "execute"
        if program.name not in SHOWS_NO_OUTPUT:
            assert any("hi-shell" in str(tool.details) for tool in turn.tools)

        sleeps = program.shell.format(command="python3 -c 'import time; time.sleep(61.5)'")
        runs = "tool_opened" if program.name in SHOWS_NO_PROGRESS else "tool_began"
        turn = await ask_and_cancel(session, sleeps, attrgetter(runs))
        assert turn.end == Cancelled()
        assert turn.tools[-1].phase == "completed"
        if session.usable:
            assert (await ask(session, "SAY:next")).outcome == ("next", Completed)


async def test_the_tools_of_the_room_and_their_secret(program, profile, spawner, tmp_path):
    with MockMcp(BEARER) as mcp:
        server = McpServer(name="groupx", url=mcp.url, bearer=BEARER)
        with_mcp = attrs.evolve(profile, mcp=server)
        async with opened(program.driver, with_mcp, spawner) as session:
            assert session.facts.mcp_injected
            turn = await ask(session, program.uses("post", text="to-the-room"))
            assert "posted to-the-room" in turn.text
            [call] = mcp.calls
            assert (call["name"], call["arguments"]) == ("post", {"text": "to-the-room"})

            seen = Path(profile.cwd, "environment")
            await ask(session, program.shell.format(command=f"env > {seen}"))
            assert "HOME=" in seen.read_text()
            assert BEARER not in seen.read_text(), "a tool can read the bearer"
            assert not [line for line in living_in(tmp_path / "home") if BEARER in line]
            assert BEARER not in " ".join(session.facts.argv)
        assert files_with(tmp_path / "home", BEARER) == []
        assert files_with(Path(profile.cwd), BEARER) == []


async def test_a_room_without_its_tools(program, profile, spawner):
    dead = McpServer(name="groupx", url="http://127.0.0.1:9/mcp", bearer=BEARER)
    async with opened(program.driver, attrs.evolve(profile, mcp=dead), spawner) as session:
        assert session.facts.mcp_injected is (program.name not in TELLS_OF_MCP)
        assert (await ask(session, "SAY:still")).outcome == ("still", Completed)


async def test_a_model_that_refuses(program, profile, spawner):
    status, code = REFUSALS.get(program.name, (401, ErrorCode.NATIVE_LOGIN_REQUIRED))
    async with opened(program.driver, profile, spawner) as session:
        turn = await ask(session, f"FAIL:{status}")
        assert isinstance(turn.end, Failed)
        assert turn.end.code is code


async def test_a_question_fails_the_turn(program, profile, spawner):
    if program.name not in ASKS:
        pytest.skip(f"{program.name} has no mode in which its driver would let it ask")
    mode, environment, words = ASKS[program.name]
    asking = attrs.evolve(profile, mode=mode, env={**profile.env, **environment})
    async with opened(program.driver, asking, spawner) as session:
        turn = await ask(session, words or program.shell.format(command="touch asked"))
        assert isinstance(turn.end, Interaction)
        assert turn.end.kind == "permission"
        assert not Path(profile.cwd, "asked").exists()
        if session.usable:
            assert (await ask(session, "SAY:next")).outcome == ("next", Completed)


async def test_the_program_is_found(program, profile, spawner):
    report = await adapter_for(program.driver).probe(profile, spawner)
    assert (report.found, report.problem) == (True, None)
    if program.driver != "acp":  # of an unknown program, nothing may be started to learn it
        assert report.version
