"""Going on with an earlier thread, and what becomes of one that is not known."""

import pytest

from conformance.app_server_scenario import BEGINS, ends, says
from conformance.scenario import fails
from groupx.adapters.contract import AdapterStartError, Completed, McpServer
from groupx.domain.errors import ErrorCode

MCP = McpServer(name="groupx", url="http://127.0.0.1:1/mcp", bearer="secret-bearer")


async def test_a_known_thread_is_resumed_with_the_whole_profile(app_server, tmp_path):
    scenario = {"turn/start": [[*BEGINS, says("back"), ends()]]}
    async with app_server(scenario, resume="thread-1", mcp=MCP) as rig:
        facts = rig.session.facts
        turn = await rig.prompt()
    assert (facts.continuity, facts.native_session_id) == ("resumed", "thread-1")
    assert facts.capabilities["resume"] == "probed"
    assert (turn.text, turn.end) == ("back", Completed())
    [resume] = rig.sent("thread/resume")
    params = resume["params"]
    assert "groupx" in params["config"].pop("mcp_servers")
    assert params == {
        "threadId": "thread-1",
        "excludeTurns": True,
        "cwd": str(tmp_path),
        "approvalPolicy": "never",
        "sandbox": "danger-full-access",
        "config": {"bypass_hook_trust": True, "features.unbounded_connection_retries": False},
    }
    assert rig.sent("thread/start") == []


@pytest.mark.parametrize(
    "message",
    [
        "no rollout found for thread id old",  # unknown, or without a turn
        "thread old already has an active writer",
        "failed to load configuration: x",
    ],
)
async def test_a_thread_that_cannot_be_resumed_is_a_new_one(app_server, message):
    async with app_server({"thread/resume": [fails(-32600, message)]}, resume="old") as rig:
        facts = rig.session.facts
        turn = await rig.prompt()
    assert (facts.continuity, facts.native_session_id) == ("new", "thread-1")
    assert turn.end == Completed()


async def test_an_answer_with_another_thread_is_no_proof(app_server):
    async with app_server(resume="old") as rig:
        assert rig.session.facts.continuity == "new"
    assert len(rig.sent("thread/start")) == 1


async def test_a_downgraded_thread_is_blocked(app_server):
    answer = {
        "thread": {"id": "thread-1"},
        "approvalPolicy": "on-request",
        "sandbox": {"type": "dangerFullAccess"},
    }
    with pytest.raises(AdapterStartError) as caught:
        async with app_server({"thread/resume": [{"result": answer}]}, resume="thread-1"):
            pass
    assert caught.value.code is ErrorCode.NATIVE_POLICY_BLOCKED


NO_THREADS = [
    "lol",
    None,
    7,
    [],
    {},
    {"thread": {"id": "thread-1"}},
    {"thread": {"id": "thread-1"}, "approvalPolicy": "never", "sandbox": None},
    {"approvalPolicy": "never", "sandbox": {"type": "dangerFullAccess"}},
]


@pytest.mark.parametrize("answer", NO_THREADS, ids=str)
async def test_an_answer_that_is_no_thread_is_no_downgrade(app_server, answer):
    with pytest.raises(AdapterStartError) as caught:
        async with app_server({"thread/resume": [{"result": answer}]}, resume="thread-1"):
            pass
    assert caught.value.code is ErrorCode.NATIVE_RESUME_UNSUPPORTED  # a new one takes its place
    assert "it answered thread/resume with" in caught.value.message


@pytest.mark.parametrize("answer", ["lol", {}], ids=str)
async def test_a_program_that_opens_no_thread_does_not_speak_the_protocol(app_server, answer):
    with pytest.raises(AdapterStartError) as caught:
        async with app_server({"thread/start": [{"result": answer}]}):
            pass
    assert caught.value.code is ErrorCode.PROTOCOL_INVALID_MESSAGE
    assert not caught.value.transient
    assert "it answered thread/start with" in caught.value.message
