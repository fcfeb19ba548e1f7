"""From the spawned program to the open session."""

import json
import os
import stat
import sys
import uuid

import pytest

from conformance.scenario import HANG
from conformance.stream_json_scenario import BEGINS, ends, init, message, result, says
from groupx.adapters.claude import starting
from groupx.adapters.contract import Completed, Failed, McpServer, SessionProfile
from groupx.domain.errors import ErrorCode

ANSWER = [*BEGINS, message(), says("hi"), *ends()]


async def test_initialize_then_the_mode_then_nothing(scripted):
    async with scripted() as rig:
        facts = rig.session.facts
        assert [frame["request"]["subtype"] for frame in rig.frames] == [
            "initialize",
            "set_permission_mode",
        ]
    assert (facts.program_version, facts.continuity) == ("2.1.332", "new")
    assert str(uuid.UUID(facts.native_session_id)) == facts.native_session_id
    assert facts.capabilities["mode"] == "probed"


@pytest.mark.parametrize(
    ("account", "known"),
    [
        ({"tokenSource": "none", "apiKeySource": "ANTHROPIC_API_KEY"}, "yes"),
        ({"tokenSource": "claude.ai", "apiKeySource": "none", "apiProvider": "firstParty"}, "yes"),
        ({"tokenSource": "none", "apiKeySource": "none", "apiProvider": "firstParty"}, "no"),
        ({"tokenSource": "none", "apiKeySource": "none", "apiProvider": "bedrock"}, "unknown"),
        (None, "unknown"),
        ("odd", "unknown"),
    ],
)
async def test_its_login_is_told_by_where_its_key_comes_from(scripted, account, known):
    answer = {"claude_code_version": "2.1.332", "account": account}
    async with scripted(scenario={"initialize": [{"result": answer}]}) as rig:
        assert rig.session.facts.login.known == known


async def test_the_argv(scripted):
    async with scripted() as rig:
        argv = rig.session.facts.argv[7:]
    assert argv[:7] == starting.PROTOCOL_ARGUMENTS
    assert argv[7:9] == ("--permission-mode", "bypassPermissions")
    assert argv[9:11] == ("--disallowedTools", "ListAgents,SendMessage,ScheduleWakeup,Monitor")
    assert "--strict-mcp-config" in argv
    assert argv[-2:] == ("--session-id", rig.session.facts.native_session_id)


async def test_the_bearer_is_only_in_a_file_of_its_owner(scripted, tmp_path):
    server = McpServer(name="groupx", url="http://127.0.0.1:1/mcp", bearer="top-secret")
    connected = {"mcpServers": [{"name": "groupx", "status": "connected"}]}
    async with scripted(mcp=server, scenario={"mcp_status": [{"result": connected}]}) as rig:
        argv = rig.session.facts.argv
        assert rig.session.facts.mcp_injected
    path = tmp_path / "claude-mcp.json"
    assert argv[argv.index("--mcp-config") + 1] == str(path)
    assert "top-secret" not in " ".join(argv)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    [(name, entry)] = json.loads(path.read_text())["mcpServers"].items()
    assert (name, entry["type"], entry["alwaysLoad"]) == ("groupx", "http", True)
    assert entry["headers"] == {"Authorization": "Bearer top-secret"}


@pytest.mark.parametrize(
    "answer",
    [
        {"result": {"mcpServers": [{"name": "groupx", "status": "failed"}]}},
        {"error": {"error": "Unsupported control request subtype: mcp_status"}},
    ],
)
async def test_a_dead_mcp_server_stops_nothing(scripted, answer):
    server = McpServer(name="groupx", url="http://127.0.0.1:1/mcp", bearer="top-secret")
    async with scripted(ANSWER, mcp=server, scenario={"mcp_status": [answer]}) as rig:
        assert not rig.session.facts.mcp_injected
        assert isinstance((await rig.prompt()).end, Completed)


def test_the_environment(monkeypatch):
    monkeypatch.setenv("CLAUDECODE", "1")
    monkeypatch.setenv("CLAUDE_CODE_DISABLE_CRON", "0")
    profile = SessionProfile(
        agent_id="a",
        command=("claude",),
        cwd="/",
        run_dir="/",
        env={
            "CLAUDE_CODE_DISABLE_WORKFLOWS": "",
            "CLAUDE_CODE_EMIT_SESSION_STATE_EVENTS": "0",
        },
    )
    environment = starting.environment_of(profile)
    assert environment["CLAUDE_CODE_EMIT_SESSION_STATE_EVENTS"] == "1"
    assert environment["CLAUDE_CODE_DISABLE_BACKGROUND_TASKS"] == "1"
    assert environment["CLAUDE_CODE_DISABLE_CRON"] == "0"
    assert environment["CLAUDE_CODE_DISABLE_WORKFLOWS"] == ""
    assert "CLAUDECODE" not in environment
    assert ("IS_SANDBOX" in environment) == ("IS_SANDBOX" in os.environ)


async def test_a_downgraded_mode(refusal):
    refused = await refusal({"set_permission_mode": [{"result": {"mode": "default"}}]})
    assert refused.code is ErrorCode.NATIVE_POLICY_BLOCKED
    assert '"default"' in refused.message


async def test_what_initialize_says_of_the_mode_is_only_observed(scripted):
    told = {"initialize": [{"result": {"current_permission_mode": "default"}}]}
    async with scripted(ANSWER, scenario=told) as rig:
        assert isinstance((await rig.prompt()).end, Completed)


async def test_a_mode_of_the_users_own(scripted):
    told = {"set_permission_mode": [{"result": {"mode": "default"}}]}
    turn = [*BEGINS[:-1], init(permissionMode="default"), message(), says("hi"), *ends()]
    async with scripted(turn, scenario=told, mode="manual") as rig:
        assert rig.sent("set_permission_mode")[0]["request"]["mode"] == "manual"
        assert "manual" in rig.session.facts.argv
        assert isinstance((await rig.prompt()).end, Completed)


async def test_a_program_of_before_modes_were_answered(scripted):
    async with scripted(ANSWER, scenario={"set_permission_mode": [{"result": {}}]}) as rig:
        assert isinstance((await rig.prompt()).end, Completed)


async def test_root(refusal):
    said = "--dangerously-skip-permissions cannot be used with root/sudo privileges\n"
    refused = await refusal({"start": [{"stderr": said}, {"exit": 1}]})
    assert (refused.code, refused.transient) == (ErrorCode.ADAPTER_START_FAILED, False)
    assert "IS_SANDBOX" in refused.message


async def test_a_known_session(scripted):
    known = str(uuid.uuid4())
    async with scripted(ANSWER, resume=known) as rig:
        facts = rig.session.facts
        assert (facts.continuity, facts.native_session_id) == ("resumed", known)
        assert facts.argv[-2:] == ("--resume", known)
        assert isinstance((await rig.prompt()).end, Completed)


async def test_another_failure_to_resume_is_told_as_it_is(refusal):
    refused = await refusal(
        {"start": [{"stderr": "disk on fire"}, {"exit": 1}]}, resume=str(uuid.uuid4())
    )
    assert refused.code is ErrorCode.ADAPTER_START_FAILED
    assert "disk on fire" in refused.message


async def test_a_start_that_fails_with_a_result(refusal):
    told = result(subtype="error_during_execution", is_error=True, errors=["settings unreadable"])
    refused = await refusal({"start": [told, {"exit": 1}]})
    assert refused.code is ErrorCode.ADAPTER_START_FAILED
    assert "settings unreadable" in refused.message


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"session_id": "another"}, "another session"),
        ({"cwd": "/elsewhere"}, "another folder"),
        ({"permissionMode": "plan"}, "permission mode"),
    ],
)
async def test_a_turn_that_runs_otherwise_than_asked(scripted, fields, said):
    async with scripted([*BEGINS[:-1], init(**fields), HANG]) as rig:
        turn = await rig.prompt()
        assert not rig.session.usable
    assert isinstance(turn.end, Failed)
    assert turn.end.code is ErrorCode.PROTOCOL_INVALID_MESSAGE
    assert said in turn.end.message


async def test_a_folder_behind_a_link_or_left_by_a_shell_is_the_same(scripted, tmp_path):
    (tmp_path / "link").symlink_to(tmp_path)
    moved = init(cwd=str(tmp_path / "sub"), original_cwd="$cwd")
    turns = ANSWER, [*BEGINS[:-1], moved, message(), *ends()]
    async with scripted(*turns, cwd=str(tmp_path / "link")) as rig:
        assert isinstance((await rig.prompt()).end, Completed)
        assert isinstance((await rig.prompt()).end, Completed)


class TestProbe:
    async def test_a_program_that_is_missing(self, spawner, tmp_path):
        report = await self.probe(spawner, tmp_path, ("/nowhere/claude",))
        assert (report.found, report.path) == (False, None)
        assert "npm install" in report.problem

    async def test_one_that_is_too_old(self, spawner, tmp_path):
        code = "import sys; print('1.0 (old)' if '--version' in sys.argv else '--session-id')"
        report = await self.probe(spawner, tmp_path, (sys.executable, "-c", code))
        assert (report.found, report.version) == (True, "1.0 (old)")
        assert "--permission-mode" in report.problem
        assert "--session-id" not in report.problem

    async def probe(self, spawner, tmp_path, command):
        from groupx.adapters.claude.adapter import ClaudeAdapter

        where = str(tmp_path)
        profile = SessionProfile(agent_id="a", command=command, cwd=where, run_dir=where)
        return await ClaudeAdapter().probe(profile, spawner)
