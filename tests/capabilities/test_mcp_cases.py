"""The MCP cases over a program on paper that really connects."""

import contextlib

import httpx
import pytest
import trio

from groupx.adapters.contract import EventSink, PromptEnd
from groupx.capabilities import mcp_cases, opening_cases, turn_cases
from groupx.capabilities.cases import CASES, HANDSHAKE
from groupx.capabilities.labels import Status
from groupx.capabilities.mcp_probe import TOOL
from groupx.capabilities.running import run
from groupx.process.spawner import Spawner
from tests.capabilities.conftest import Paper, PaperSession

pytestmark = pytest.mark.slow


def tell(server, method, params=None, *, bearer=None):
    message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params or {}}
    with httpx.Client(trust_env=False) as client:
        headers = {"authorization": f"Bearer {bearer or server.bearer}"}
        client.post(server.url, json=message, headers=headers)


class Connecting(Paper):
    """Asks for the tools when it starts, and calls one when it is told to."""

    bearer: str | None = None
    at_start = True
    calls = True

    def session(self, profile, name, resumed):
        if profile.mcp and self.at_start:
            with contextlib.suppress(httpx.ConnectError):
                tell(profile.mcp, "tools/list", bearer=self.bearer)
        return Caller(self, profile, name, resumed)


class Caller(PaperSession):
    def __init__(self, paper, profile, name, resumed):
        super().__init__(paper, profile, name, resumed)
        self._server, self._calls = profile.mcp, paper.calls

    async def prompt(self, text: str, sink: EventSink) -> PromptEnd:
        if self._calls and TOOL in text:
            params = {"name": TOOL, "arguments": {"text": mcp_cases.TEXT}}
            await trio.to_thread.run_sync(tell, self._server, "tools/call", params)
        return await super().prompt(text, sink)


async def outcome(plan, paper, name):
    cases = (HANDSHAKE, *(case for case in CASES if case.name == name))
    report = await run(plan(paper, cases=cases, model_turns=True), Spawner())
    return report.cases[-1]


@pytest.fixture(autouse=True)
def little_patience(monkeypatch):
    monkeypatch.setattr(mcp_cases, "CONNECT_SECONDS", 0.01)
    monkeypatch.setattr(mcp_cases, "HEAD_START_SECONDS", 0.01)


@pytest.fixture(autouse=True)
def one_process(monkeypatch):
    async def command_lines(stage):
        await trio.lowlevel.checkpoint()
        return ["/opt/paper/bin/paper"]

    monkeypatch.setattr(mcp_cases, "command_lines", command_lines)


@pytest.mark.parametrize("name", ["mcp-connects", "mcp-secret", "mcp-dead", "mcp-tool"])
async def test_what_connects_and_calls_is_proven(plan, name):
    case = await outcome(plan, Connecting(), name)
    assert case.status is Status.PASSED
    assert any("tools/list" in line for line in case.evidence.observation)


async def test_what_comes_without_the_bearer_fails(plan):
    paper = Connecting()
    paper.bearer = "another"
    case = await outcome(plan, paper, "mcp-connects")
    assert (case.status, "bearer" in case.detail) == (Status.FAILED, True)


async def test_what_does_not_come_is_not_observed(plan):
    paper = Connecting()
    paper.at_start = False
    case = await outcome(plan, paper, "mcp-connects")
    assert case.status is Status.NOT_OBSERVED


async def test_a_tool_that_is_not_called_is_not_observed(plan):
    paper = Connecting()
    paper.calls = False
    case = await outcome(plan, paper, "mcp-tool")
    assert (case.status, "did not call" in case.detail) == (Status.NOT_OBSERVED, True)


@pytest.mark.parametrize(
    ("before", "after", "status"),
    [
        ({7, 8}, set(), Status.PASSED),
        ({7, 8}, {8}, Status.FAILED),
        ({7}, {9}, Status.PASSED),
        (set(), set(), Status.NOT_OBSERVED),
    ],
)
@pytest.mark.parametrize("name", ["close", "killed"])
async def test_what_is_left_of_its_tree(plan, monkeypatch, name, before, after, status):
    trees = [before, after]

    async def tree(stage):
        await trio.lowlevel.checkpoint()
        return trees.pop(0)

    monkeypatch.setattr(opening_cases, "tree_of_run", tree)
    monkeypatch.setattr(turn_cases, "tree_of_run", tree)
    assert (await outcome(plan, Paper(), name)).status is status
