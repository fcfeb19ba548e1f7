"""The probe that stands for the room's MCP server."""

import json

import httpx
import pytest

from groupx.capabilities.mcp_probe import PUBLISH, TOOL, McpProbe

pytestmark = pytest.mark.slow


@pytest.fixture
def probe():
    with McpProbe() as probe:
        yield probe


def ask(probe, method, params=None, *, bearer=None, **fields):
    headers = {"authorization": f"Bearer {bearer or probe.bearer}"}
    message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params or {}, **fields}
    with httpx.Client(trust_env=False) as client:
        return client.post(probe.url, json=message, headers=headers)


def test_it_lists_and_takes_calls(probe):
    assert not probe.listed.is_set()
    tools = ask(probe, "tools/list").json()["result"]["tools"]
    assert [tool["name"] for tool in tools] == [TOOL, PUBLISH]
    assert probe.listed.is_set()
    params = {"name": TOOL, "arguments": {"text": "hi"}}
    answer = ask(probe, "tools/call", params).json()["result"]
    assert answer["content"][0]["text"] == "posted hi"
    assert probe.calls == [params]
    assert probe.methods == ["tools/list", "tools/call"]


def test_without_the_bearer_nothing_is_heard(probe):
    assert ask(probe, "tools/list", bearer="another").status_code == 401
    assert (probe.methods, probe.refused, probe.listed.is_set()) == ([], 1, False)


def test_every_probe_has_another_bearer(probe):
    with McpProbe() as other:
        assert other.bearer != probe.bearer


def test_an_unknown_method_is_an_error_and_a_notification_is_taken(probe):
    assert ask(probe, "server/discover").json()["error"]["code"] == -32601
    headers = {"authorization": f"Bearer {probe.bearer}"}
    told = json.dumps({"jsonrpc": "2.0", "method": "notifications/initialized"})
    with httpx.Client(trust_env=False) as client:
        assert client.post(probe.url, content=told, headers=headers).status_code == 202
        assert client.get(probe.url, headers=headers).status_code == 405
