"""The cases of the room's MCP server: a probe on loopback stands for it."""

import trio

from groupx.adapters.contract import McpServer, NativeSession
from groupx.capabilities.labels import Status
from groupx.capabilities.mcp_probe import SERVER_NAME, McpProbe
from groupx.capabilities.prompts import mcp_prompt
from groupx.capabilities.stage import PASSED, CaseFailed, Finding, Stage, ask, completed
from groupx.capabilities.transcript import Transcript
from groupx.capabilities.trees import command_lines

CONNECT_SECONDS = 10.0
HEAD_START_SECONDS = 3.0
"""Before the prompt that is to use a tool; some connect only with their first prompt."""
TEXT = "groupx-was-here"
NOT_NEAR = Finding(Status.NOT_OBSERVED, "it did not come to the MCP server before a prompt")
NOT_TAKEN = Finding(Status.UNSUPPORTED, "it takes no MCP server over HTTP")


async def connects(stage: Stage, transcript: Transcript) -> Finding:
    """It asks for the tools, with the bearer of its session, before any prompt."""
    with McpProbe() as probe:
        async with stage.session(transcript, mcp=server_of(probe)) as session:
            if not session.facts.mcp_injected:
                return _not_injected(session)
            heard = await asked_for_tools(probe, CONNECT_SECONDS)
            _note_methods(probe, transcript)
            if heard:
                return PASSED
            if probe.refused:
                raise CaseFailed("It came to the MCP server without the bearer of its session.")
            return Finding(
                Status.NOT_OBSERVED, f"it did not connect in {CONNECT_SECONDS:g} s before a prompt"
            )


async def keeps_the_secret(stage: Stage, transcript: Transcript) -> Finding:
    """The bearer is in the arguments of no process of its tree."""
    with McpProbe() as probe:
        async with stage.session(transcript, mcp=server_of(probe)) as session:
            if not session.facts.mcp_injected:
                return _not_injected(session)
            heard = await asked_for_tools(probe, CONNECT_SECONDS)
            own = " ".join(session.facts.argv)
            seen = await command_lines(stage)
            transcript.note(f"{len(seen)} command lines of its processes were looked at")
            if any(probe.bearer in line for line in (own, *seen)):
                raise CaseFailed("The bearer of the MCP server is in a command line.")
            if not seen:
                return Finding(Status.NOT_OBSERVED, "none of its processes could be seen")
            _note_methods(probe, transcript)
            return PASSED if heard else NOT_NEAR


async def survives_a_dead_server(stage: Stage, transcript: Transcript) -> Finding:
    """A session opens although nobody listens any more at an address to which it came before."""
    with McpProbe() as probe:
        server = server_of(probe)
        async with stage.session(transcript, mcp=server) as session:
            if not session.facts.mcp_injected:
                return _not_injected(session)
            heard = await asked_for_tools(probe, CONNECT_SECONDS)
        _note_methods(probe, transcript)
    began = transcript.milliseconds
    async with stage.session(transcript, mcp=server):
        ready = f"ready in {transcript.milliseconds - began} ms"
    return Finding(Status.PASSED, ready) if heard else NOT_NEAR


async def calls_a_tool(stage: Stage, transcript: Transcript) -> Finding:
    """In a turn, its model calls the probe's tool, and the call arrives with its arguments."""
    with McpProbe() as probe:
        async with stage.session(transcript, mcp=server_of(probe)) as session:
            if not session.facts.mcp_injected:
                return _not_injected(session)
            await asked_for_tools(probe, HEAD_START_SECONDS)
            prompt = mcp_prompt(stage.adapter.driver, TEXT, stage.directives.get("mcp-tool"))
            completed(await ask(session, transcript, prompt))
        _note_methods(probe, transcript)
        if any(TEXT in str(call.get("arguments")) for call in probe.calls):
            return PASSED
        return Finding(Status.NOT_OBSERVED, "its model did not call the tool")


def server_of(probe: McpProbe) -> McpServer:
    """How a session is given the probe."""
    return McpServer(name=SERVER_NAME, url=probe.url, bearer=probe.bearer)


async def asked_for_tools(probe: McpProbe, seconds: float) -> bool:
    """Whether somebody with the bearer asks for the tools in time."""
    return await trio.to_thread.run_sync(probe.listed.wait, seconds, abandon_on_cancel=True)


def _not_injected(session: NativeSession) -> Finding:
    if session.facts.capabilities.get("mcp") == "unsupported":
        return NOT_TAKEN
    return Finding(Status.NOT_OBSERVED, "its session was opened without the MCP server")


def _note_methods(probe: McpProbe, transcript: Transcript) -> None:
    transcript.note(f"MCP with the bearer: {', '.join(probe.methods) or 'nothing'}")
    transcript.note(f"MCP without it: {probe.refused} requests")
