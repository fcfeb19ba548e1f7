"""How Claude Code is started: its argv, its environment, its MCP file."""

import os
from collections.abc import Mapping
from pathlib import Path

import orjson

from groupx.adapters.contract import McpServer, SessionProfile
from groupx.process.environment import child_environment

PROGRAM = ("claude",)
MODE = "bypassPermissions"
"""Its most open permission mode."""
PROTOCOL_ARGUMENTS = (
    "--print",
    "--input-format",
    "stream-json",
    "--output-format",
    "stream-json",
    "--verbose",
    "--include-partial-messages",
)
SIDE_CHANNELS_OFF = (
    "--disallowedTools",
    "ListAgents,SendMessage,ScheduleWakeup,Monitor",
    "--settings",
    '{"crossSessionInbound":"refuse"}',
)
"""Nothing but our messages may begin a turn: no other session, no clock."""
NEEDED_FLAGS = (
    "--include-partial-messages",
    "--input-format",
    "--permission-mode",
    "--session-id",
    "--strict-mcp-config",
)

INSTALL = (
    "Install Claude Code: npm install -g @anthropic-ai/claude-code. Then run `claude` once and "
    "log in, or set ANTHROPIC_API_KEY."
)

_DEFAULTS = {
    "DISABLE_AUTOUPDATER": "1",
    "CLAUDE_CODE_DISABLE_BACKGROUND_TASKS": "1",
    "CLAUDE_CODE_DISABLE_CRON": "1",
    "CLAUDE_CODE_DISABLE_WORKFLOWS": "1",
}
"""What ends by itself some time later begins turns that nobody asked for."""
_NEEDED = {"CLAUDE_CODE_EMIT_SESSION_STATE_EVENTS": "1"}


def prefix_of(profile: SessionProfile) -> tuple[str, ...]:
    """The program itself."""
    return profile.command or PROGRAM


def argv_of(profile: SessionProfile, session_id: str, mcp_file: Path | None) -> tuple[str, ...]:
    """What is started. No secret is ever in it."""
    how = "--session-id" if profile.resume is None else "--resume"
    mcp = () if mcp_file is None else ("--mcp-config", str(mcp_file))
    return (
        *prefix_of(profile),
        *profile.args,
        *PROTOCOL_ARGUMENTS,
        "--permission-mode",
        profile.mode or MODE,
        *SIDE_CHANNELS_OFF,
        "--strict-mcp-config",
        *mcp,
        how,
        session_id,
    )


def environment_of(profile: SessionProfile) -> dict[str, str]:
    """The agent's environment. What GroupX only prefers, the user may set otherwise."""
    inherited = child_environment(os.environ, {})
    return _DEFAULTS | inherited | dict(profile.env) | _NEEDED


def write_mcp_file(server: McpServer, folder: str) -> Path:
    """The room's MCP server as a file that only its owner may read: the bearer is in it."""
    entry: Mapping[str, object] = {
        "type": "http",
        "url": server.url,
        "headers": {"Authorization": f"Bearer {server.bearer}"},
        "alwaysLoad": True,  # else the model must search for the tools before it sees them
    }
    path = Path(folder) / "claude-mcp.json"
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW
    with os.fdopen(os.open(path, flags, 0o600), "wb") as file:
        os.fchmod(file.fileno(), 0o600)
        file.write(orjson.dumps({"mcpServers": {server.name: entry}}))
    return path
