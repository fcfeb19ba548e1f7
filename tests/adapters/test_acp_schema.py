"""The official SDK's models judge every frame that we send."""

import acp.schema as acp
import pytest
import trio.testing
from pydantic import TypeAdapter

from conformance.scenario import CANCELLED, asks, ends, says
from groupx.adapters.acp.drivers import GROK, KIMI
from groupx.adapters.contract import McpServer

REQUESTS = {
    "initialize": acp.InitializeRequest,
    "authenticate": acp.AuthenticateRequest,
    "session/new": acp.NewSessionRequest,
    "session/set_mode": acp.SetSessionModeRequest,
    "session/set_config_option": acp.SetSessionConfigOptionSelectRequest,
    "session/prompt": acp.PromptRequest,
    "session/cancel": acp.CancelNotification,
    "session/close": acp.CloseSessionRequest,
}
ANSWERS = {0: acp.RequestPermissionResponse, "e": acp.CreateElicitationResponse}
ELICITATION = {
    "send": {
        "id": "e",
        "method": "elicitation/create",
        "params": {"sessionId": "session-1", "mode": "form", "message": "?"},
    }
}
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


@pytest.mark.parametrize(
    ("driver", "mode", "setter"),
    [(GROK, "b", "session/set_config_option"), (KIMI, None, "session/set_mode")],
)
async def test_every_frame(scripted, driver, mode, setter):
    scenario = {
        "initialize": [{"result": INITIALIZE}],
        "session/new": [{"result": {"sessionId": "session-1", "configOptions": [MODE]}}],
        "session/prompt": [
            [says("a"), asks(), {"await": 0}, CANCELLED, ends("cancelled")],
            [ELICITATION, {"await": "e"}, CANCELLED, ends("cancelled")],
        ],
    }
    fields = {"driver": driver, "mode": mode, "env": {"XAI_API_KEY": "k"}, "mcp": SERVER}
    async with scripted(scenario, **fields) as rig:
        await rig.prompt("hello")
        await rig.prompt("again")
        await trio.testing.wait_all_tasks_blocked()
        await rig.session.close()
    methods = {frame["method"] for frame in rig.frames if "method" in frame}
    other_setter = {"session/set_mode", "session/set_config_option"} - {setter}
    assert methods == REQUESTS.keys() - other_setter
    for frame in rig.frames:
        assert frame["jsonrpc"] == "2.0"
        if "method" in frame:
            check(REQUESTS[frame["method"]], frame["params"])
        else:
            check(ANSWERS[frame["id"]], frame["result"])


def check(model, value):
    """Valid, and nothing in it that the model does not know."""
    adapter = TypeAdapter(model)
    parsed = adapter.validate_python(value)
    assert adapter.dump_python(parsed, by_alias=True, exclude_unset=True, mode="json") == value
