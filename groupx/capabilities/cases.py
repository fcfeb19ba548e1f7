"""The capabilities and the case of each: a table."""

from collections.abc import Awaitable, Callable

import attrs

from groupx.capabilities import mcp_cases, opening_cases, turn_cases
from groupx.capabilities.labels import Label
from groupx.capabilities.stage import Finding, Stage
from groupx.capabilities.transcript import Transcript

Play = Callable[[Stage, Transcript], Awaitable[Finding]]

PROBE_SECONDS = 45.0
TURN_SECONDS = 120.0


@attrs.frozen(kw_only=True)
class Case:
    """One row. `fact` names what a session's handshake says of the capability."""

    name: str
    capability: str
    play: Play
    needs_model: bool = False
    fact: str | None = None
    claimed: Label = Label.DOCUMENTED
    """What is known of it without running the case."""
    seconds: float = PROBE_SECONDS


def _turn(
    name: str,
    capability: str,
    play: Play,
    *,
    fact: str | None = None,
    claimed: Label = Label.DOCUMENTED,
    seconds: float = TURN_SECONDS,
) -> Case:
    return Case(
        name=name,
        capability=capability,
        play=play,
        needs_model=True,
        fact=fact,
        claimed=claimed,
        seconds=seconds,
    )


HANDSHAKE = Case(
    name="handshake", capability="Starts and shakes hands", play=opening_cases.handshake
)

CASES: tuple[Case, ...] = (
    HANDSHAKE,
    Case(
        name="mode",
        capability="Its most open mode is set",
        play=opening_cases.mode,
        fact="mode",
    ),
    Case(name="new-session", capability="Opens a new session", play=opening_cases.new_session),
    Case(
        name="resume-unknown",
        capability="An unknown session is not resumed",
        play=opening_cases.resume_unknown,
        claimed=Label.NOT_OBSERVED,
    ),
    Case(
        name="mcp-connects",
        capability="Connects to the room's MCP server",
        play=mcp_cases.connects,
        fact="mcp",
    ),
    Case(
        name="mcp-secret",
        capability="MCP bearer is in no command line",
        play=mcp_cases.keeps_the_secret,
        fact="mcp",
    ),
    Case(
        name="mcp-dead",
        capability="Starts although MCP server is dead",
        play=mcp_cases.survives_a_dead_server,
        claimed=Label.NOT_OBSERVED,
    ),
    Case(
        name="close",
        capability="Closing leaves no process",
        play=opening_cases.close,
        claimed=Label.NOT_OBSERVED,
    ),
    _turn("text", "Answers a prompt with text", turn_cases.text),
    _turn("streaming", "Streams the answer in pieces", turn_cases.streaming, fact="streaming"),
    _turn("reasoning", "Shows its reasoning", turn_cases.reasoning),
    _turn("tool", "Uses a tool, and asks for no leave", turn_cases.tool),
    _turn("usage", "Reports usage", turn_cases.usage),
    _turn("cancel", "A cancel stops the answer", turn_cases.cancel, fact="cancel"),
    _turn(
        "after-cancel",
        "Answers a prompt after a cancel",
        turn_cases.after_cancel,
        claimed=Label.NOT_OBSERVED,
    ),
    _turn(
        "killed",
        "Killed in a turn, it leaves no process",
        turn_cases.killed,
        claimed=Label.NOT_OBSERVED,
    ),
    _turn("mcp-tool", "Calls a tool of the room's MCP server", mcp_cases.calls_a_tool, fact="mcp"),
    _turn("resume", "Resumes a session that was closed", turn_cases.resume, fact="resume"),
    _turn(
        "mode-again",
        "Asks for no leave after a resume",
        turn_cases.mode_again,
        fact="mode",
        claimed=Label.NOT_OBSERVED,
    ),
)
"""In the order in which they run; the handshake first, for without it nothing else can."""
