"""The first words with a started Claude Code: what it is, and its permission mode."""

import attrs

from groupx.adapters.claude.connection import ControlRefused, StreamConnection
from groupx.adapters.contract import AdapterStartError, Login
from groupx.adapters.json_lines import Json, is_object, objects_in, quote, text_of
from groupx.domain.errors import ErrorCode
from groupx.domain.text import cut_utf8

MAX_LABEL_BYTES = 200
_SAME = ({"manual", "default"},)
"""Names of one mode."""


@attrs.frozen
class Greeting:
    """What the program said of itself and of its account."""

    version: str | None
    login: Login


async def greet(connection: StreamConnection) -> Greeting:
    """`initialize`. It emits nothing before we write, and connects to the
    MCP server first: only the whole handshake bounds it.

    Raises as `StreamConnection.ask`.
    """
    answer = await connection.ask({"subtype": "initialize", "hooks": None})
    version = cut_utf8(text_of(answer.get("claude_code_version")), MAX_LABEL_BYTES)[0] or None
    return Greeting(version, _login_of(answer.get("account")))


def _login_of(account: object) -> Login:
    """What it says of where its key or token comes from; the value itself it does not tell."""
    if not is_object(account):
        return Login()
    sources = [text_of(account.get(key)) for key in ("tokenSource", "apiKeySource")]
    named = [source for source in sources if source not in ("", "none")]
    if named:
        return Login("yes", f"it has credentials from {', '.join(named)}; only a turn tries them")
    if text_of(account.get("apiProvider")) == "firstParty":
        return Login("no", "it has neither a token nor an API key")
    return Login()


async def set_mode(connection: StreamConnection, mode: str, *, seconds: float) -> str:
    """The mode in effect, which is the wanted one.

    Raises AdapterStartError (NATIVE_POLICY_BLOCKED) when it is refused or downgraded, else as
    `StreamConnection.ask`.
    """
    request: Json = {"subtype": "set_permission_mode", "mode": mode}
    try:
        answer = await connection.ask(request, seconds=seconds)
    except ControlRefused as error:
        raise _blocked(mode, error.message) from error
    effective = text_of(answer.get("mode")) or mode
    if effective != mode and {effective, mode} not in _SAME:
        raise _blocked(mode, f"it stayed in {quote(effective)}")
    return effective


async def mcp_is_ready(connection: StreamConnection, name: str, *, seconds: float) -> bool:
    """Whether the program is connected to that MCP server. Raises as `StreamConnection.ask`."""
    try:
        answer = await connection.ask({"subtype": "mcp_status"}, seconds=seconds)
    except ControlRefused:
        return False
    servers = objects_in(answer.get("mcpServers"))
    return any(row.get("name") == name and row.get("status") == "connected" for row in servers)


def _blocked(mode: str, reason: str) -> AdapterStartError:
    return AdapterStartError(
        ErrorCode.NATIVE_POLICY_BLOCKED,
        f"The program refused its mode '{mode}': {reason.rstrip('.')}. It would stop to ask for "
        "permissions, so nothing was sent to it. Allow that mode in the program's own settings.",
        transient=False,
    )
