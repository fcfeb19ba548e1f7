"""What only Claude Code does: its own commands, its modes and logins, and what a kill leaves."""

import json
import os
from pathlib import Path

import attrs
import pytest
import trio

from groupx.adapters.claude.adapter import ClaudeAdapter
from groupx.adapters.contract import AdapterStartError, Completed, Failed
from groupx.domain.errors import ErrorCode
from tests.system.real_turns import Turn, ask, living_in, opened

pytestmark = [
    pytest.mark.real,
    pytest.mark.slow,
    pytest.mark.timeout(120),
    pytest.mark.parametrize("program", ["claude"], indirect=True),
]


async def test_what_looks_like_a_command_is_said_as_it_is(profile, spawner, model):
    async with opened("claude", profile, spawner) as session:
        turn = await ask(session, "/clear SAY:verbatim")
        assert turn.outcome == ("verbatim", Completed)
        assert model.prompts_with("/clear SAY:verbatim", "anthropic")


async def test_after_a_kill_the_session_is_resumed_and_nothing_is_run_again(
    profile, spawner, model, program, tmp_path
):
    sleeps = program.shell.format(command="python3 -c 'import time; time.sleep(61)'")
    async with trio.open_nursery() as nursery:
        first = await nursery.start(ClaudeAdapter().serve, profile, spawner)
        await ask(first, "SAY:kept")  # what is killed at once may not have been written down
        turn = Turn()
        nursery.start_soon(first.prompt, sleeps, turn.sink)
        await turn.tool_began.wait()
        first.kill()
        await first.closed.wait()
    assert living_in(tmp_path / "home") == []

    again = attrs.evolve(profile, resume=first.facts.native_session_id)
    async with opened("claude", again, spawner) as second:
        turn = await ask(second, "SAY:alive marker-after")
        assert turn.outcome == ("alive", Completed)
    assert len(model.prompts_with("CALL:Bash", "anthropic")) == 1


async def test_nobody_is_logged_in(profile, spawner):
    env = {name: value for name, value in profile.env.items() if name != "ANTHROPIC_API_KEY"}
    async with opened("claude", attrs.evolve(profile, env=env), spawner) as session:
        turn = await ask(session, "SAY:never")
        assert isinstance(turn.end, Failed)
        assert turn.end.code is ErrorCode.NATIVE_LOGIN_REQUIRED


async def test_settings_that_forbid_the_mode(profile, spawner):
    settings = Path(profile.env["CLAUDE_CONFIG_DIR"], "settings.json")
    settings.write_text(json.dumps({"permissions": {"disableBypassPermissionsMode": "disable"}}))
    with pytest.raises(AdapterStartError) as caught:
        await ClaudeAdapter().serve(profile, spawner)
    assert (caught.value.code, caught.value.transient) == (ErrorCode.NATIVE_POLICY_BLOCKED, False)


@pytest.mark.skipif(os.getuid() != 0, reason="only root is refused")
async def test_root_without_leave(profile, spawner):
    env = {name: value for name, value in profile.env.items() if name != "IS_SANDBOX"}
    with pytest.raises(AdapterStartError) as caught:
        await ClaudeAdapter().serve(attrs.evolve(profile, env=env), spawner)
    assert "IS_SANDBOX" in caught.value.message
    assert not caught.value.transient
