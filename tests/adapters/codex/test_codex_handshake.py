"""From the start of an app-server to a thread: the fixed profile, policies, login, MCP, ends."""

import sys

import attrs
import pytest

from conformance.scenario import HANG, fails
from groupx.adapters.codex.adapter import CodexAdapter
from groupx.adapters.contract import AdapterStartError, Completed, McpServer, SessionProfile
from groupx.domain.errors import ErrorCode
from groupx.domain.limits import Timeouts

MCP = McpServer(name="groupx", url="http://127.0.0.1:1/mcp", bearer="secret-bearer")
THREAD = {"id": "thread-1", "status": {"type": "idle"}, "cliVersion": "9.9"}


def opened(**fields):
    sandbox = {"type": "dangerFullAccess"}
    return {"result": {"thread": THREAD, "approvalPolicy": "never", "sandbox": sandbox, **fields}}


def requires(**requirements):
    return {"configRequirements/read": [{"result": {"requirements": requirements}}]}


async def refused(app_server, scenario, **fields):
    with pytest.raises(AdapterStartError) as caught:
        async with app_server(scenario, **fields):
            pass
    return caught.value


async def test_the_fixed_profile(app_server, tmp_path):
    async with app_server() as rig:
        facts = rig.session.facts
    frames = rig.frames
    assert [frame["method"] for frame in frames] == [
        "initialize",
        "initialized",
        "configRequirements/read",
        "account/read",
        "thread/start",
    ]
    assert "params" not in frames[2]
    assert frames[4]["params"] == {
        "cwd": str(tmp_path),
        "approvalPolicy": "never",
        "sandbox": "danger-full-access",
        "config": {"bypass_hook_trust": True, "features.unbounded_connection_retries": False},
    }
    assert (facts.native_session_id, facts.continuity) == ("thread-1", "new")
    assert (facts.program_name, facts.program_version) == ("codex", "0.171.0")
    assert facts.argv[-1] == "app-server"


@pytest.mark.parametrize(
    ("answer", "known"),
    [
        ({"account": {"type": "chatgpt", "email": "ada@example.org"}}, "yes"),
        ({"account": None, "requiresOpenaiAuth": False}, "unknown"),
        ({}, "unknown"),
    ],
)
async def test_its_login_is_told_by_its_account(app_server, answer, known):
    async with app_server({"account/read": [{"result": answer}]}) as rig:
        login = rig.session.facts.login
    assert login.known == known
    assert "ada@example.org" not in login.how


async def test_the_mcp_server_is_given_by_the_thread_and_its_bearer_is_in_no_argv(app_server):
    async with app_server(mcp=MCP) as rig:
        facts = rig.session.facts
    [start] = rig.sent("thread/start")
    assert start["params"]["config"]["mcp_servers"] == {
        "groupx": {
            "url": MCP.url,
            "http_headers": {"Authorization": "Bearer secret-bearer"},
            "required": True,
            "default_tools_approval_mode": "approve",
            "startup_timeout_sec": 5.0,
        }
    }
    assert facts.mcp_injected
    assert not any("secret" in argument for argument in facts.argv)


async def test_a_dead_mcp_server_does_not_stop_the_agent(app_server):
    failed = fails(-32603, "required MCP servers failed to initialize: groupx")
    again = [{"await": "thread/start"}, {"send": {"id": 5, **opened()}}]
    async with app_server({"thread/start": [failed, *again]}, mcp=MCP) as rig:
        assert not rig.session.facts.mcp_injected
        turn = await rig.prompt()
    assert turn.end == Completed()
    with_mcp, without = rig.sent("thread/start")
    assert "mcp_servers" in with_mcp["params"]["config"]
    assert "mcp_servers" not in without["params"]["config"]


@pytest.mark.parametrize(
    "requirements",
    [
        {"allowedApprovalPolicies": ["on-request", {"granular": {}}], "allowedSandboxModes": None},
        {"allowedSandboxModes": ["read-only", "workspace-write"]},
        {"allowedApprovalPolicies": []},
    ],
)
async def test_an_allow_list_without_the_profile_blocks(app_server, requirements):
    error = await refused(app_server, requires(**requirements))
    assert (error.code, error.transient) == (ErrorCode.NATIVE_POLICY_BLOCKED, False)


async def test_an_allow_list_with_the_profile_does_not(app_server):
    allowed = requires(
        allowedApprovalPolicies=["never", "untrusted"], allowedSandboxModes=["danger-full-access"]
    )
    async with app_server(allowed) as rig:
        assert rig.session.usable


@pytest.mark.parametrize(
    "fields", [{"approvalPolicy": "on-request"}, {"sandbox": {"type": "readOnly"}}]
)
async def test_a_downgraded_thread_is_blocked(app_server, fields):
    error = await refused(app_server, {"thread/start": [opened(**fields)]})
    assert (error.code, error.transient) == (ErrorCode.NATIVE_POLICY_BLOCKED, False)


async def test_a_program_that_knows_no_requirements_has_none(app_server):
    unknown = fails(-32600, "Invalid request: unknown variant `configRequirements/read`, expected")
    async with app_server({"configRequirements/read": [unknown]}) as rig:
        assert rig.session.usable


async def test_requirements_that_cannot_be_read_are_no_permission(app_server):
    error = await refused(app_server, {"configRequirements/read": [fails(-32603, "no access")]})
    assert error.code is ErrorCode.ADAPTER_START_FAILED


async def test_without_a_login_nothing_is_sent(app_server):
    account = {"result": {"account": None, "requiresOpenaiAuth": True}}
    error = await refused(app_server, {"account/read": [account]})
    assert (error.code, error.transient) == (ErrorCode.NATIVE_LOGIN_REQUIRED, False)
    assert "codex login" in error.message


async def test_a_login_that_the_thread_wants(app_server):
    error = await refused(app_server, {"thread/start": [fails(-32603, "401 Unauthorized")]})
    assert error.code is ErrorCode.NATIVE_LOGIN_REQUIRED


@pytest.mark.parametrize(
    "thread", [{}, {"thread": {"id": 7}}, {"thread": {"id": "x" * 2000}}], ids=["no", "odd", "long"]
)
async def test_a_thread_without_a_usable_name(app_server, thread):
    error = await refused(app_server, {"thread/start": [opened(**{"thread": {}, **thread})]})
    assert error.code is ErrorCode.ADAPTER_START_FAILED


@pytest.mark.slow
@pytest.mark.parametrize("method", ["configRequirements/read", "account/read"])
async def test_silence_is_a_timeout(app_server, method):
    timeouts = Timeouts(handshake=400, request=200)
    error = await refused(app_server, {method: [HANG]}, timeouts=timeouts)
    assert error.code is ErrorCode.PROTOCOL_HANDSHAKE_TIMEOUT


@pytest.mark.parametrize(
    ("method", "status"), [("configRequirements/read", 0), ("account/read", 1)]
)
async def test_an_exit_on_the_way(app_server, method, status):
    steps = [{"stderr": "CODEX_HOME does not exist\n"}, {"exit": status}]
    error = await refused(app_server, {method: steps})
    assert (error.code, error.transient) == (ErrorCode.ADAPTER_START_FAILED, status != 0)
    assert "CODEX_HOME does not exist" in error.message


@pytest.fixture
def profile(tmp_path):
    return SessionProfile(
        agent_id="codex", command=("/nowhere/codex",), cwd=str(tmp_path), run_dir=str(tmp_path)
    )


async def test_a_program_that_is_not_there(profile, spawner):
    with pytest.raises(AdapterStartError) as caught:
        await CodexAdapter().serve(profile, spawner)
    assert (caught.value.code, caught.value.transient) == (ErrorCode.ADAPTER_START_FAILED, False)
    report = await CodexAdapter().probe(profile, spawner)
    assert not report.found
    assert "npm install -g @openai/codex" in report.problem


async def test_the_probe_asks_for_the_version(profile, spawner):
    command = (sys.executable, "-c", "print('codex-cli 1.2.3')")
    report = await CodexAdapter().probe(attrs.evolve(profile, command=command), spawner)
    assert (report.found, report.version, report.problem) == (True, "codex-cli 1.2.3", None)
