"""The official SDK's models judge the frames that the conformance suite does not bring about."""

import pytest

from conformance.acp_judge import judge
from groupx.adapters.acp.drivers import GROK, KIMI
from groupx.adapters.contract import McpServer

SERVER = McpServer(name="groupx", url="http://127.0.0.1:1/mcp", bearer="secret")
INITIALIZE = {
    "protocolVersion": 1,
    "agentCapabilities": {
        "mcpCapabilities": {"http": True},
        "sessionCapabilities": {"close": {}},
    },
    "authMethods": [{"id": "xai.api_key", "name": "key"}],
}
MODE = {"id": "mode", "category": "mode", "currentValue": "a", "options": [{"value": "b"}]}
METHODS = [
    "initialize",
    "authenticate",
    "session/new",
    "a setter",
    "session/prompt",
    "session/close",
]


@pytest.mark.parametrize(
    ("driver", "mode", "setter"),
    [(GROK, "b", "session/set_config_option"), (KIMI, None, "session/set_mode")],
)
async def test_every_frame(scripted, driver, mode, setter):
    scenario = {
        "initialize": [{"result": INITIALIZE}],
        "session/new": [{"result": {"sessionId": "session-1", "configOptions": [MODE]}}],
    }
    fields = {"driver": driver, "mode": mode, "env": {"XAI_API_KEY": "k"}, "mcp": SERVER}
    async with scripted(scenario, **fields) as rig:
        await rig.prompt("hello")
        await rig.session.close()
    methods = [frame["method"] for frame in rig.frames]
    assert methods == [setter if method == "a setter" else method for method in METHODS]
    assert judge(rig.frames) == []


@pytest.mark.parametrize(
    "frame",
    [
        {"id": 1, "method": "session/prompt", "params": {}},
        {"jsonrpc": "2.0", "id": 1, "method": "session/prompt", "params": {"sessionId": "s"}},
        {"jsonrpc": "2.0", "id": 1, "method": "session/set_model", "params": {"sessionId": "s"}},
        {"jsonrpc": "2.0", "id": 1, "method": "session/cancel", "params": {"sessionId": "s"}},
        {"jsonrpc": "2.0", "id": 0, "result": {"outcome": {"outcome": "perhaps"}}},
        {"jsonrpc": "2.0", "method": "session/cancel", "params": {"sessionId": "s", "why": 1}},
    ],
)
def test_the_judge_sees_what_is_wrong(frame):
    assert judge([frame]) != []
