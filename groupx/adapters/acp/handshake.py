"""From a started program to a session that may be prompted."""

from collections.abc import Mapping
from typing import Any

import attrs
import trio

from groupx.adapters.acp.failures import AUTH_REQUIRED, classify, words_of
from groupx.adapters.acp.quirks import LOGIN_BY_VARIABLE, Quirks
from groupx.adapters.contract import AdapterStartError, McpServer, SessionProfile
from groupx.adapters.json_lines import Json, is_object, objects_in, text_of
from groupx.adapters.jsonrpc import RpcConnection, RpcError
from groupx.domain.errors import ErrorCode
from groupx.domain.limits import Timeouts

PROTOCOL_VERSION = 1


class NoAnswer(trio.TooSlowError):
    """The program left one request of the handshake unanswered for `timeouts.request`."""

    def __init__(self, method: str) -> None:
        super().__init__(method)
        self.method = method


@attrs.frozen(kw_only=True)
class Greeting:
    """What the program said of itself."""

    name: str | None
    version: str | None
    login_methods: frozenset[str]
    mcp_http: bool
    can_close: bool
    can_resume: bool


@attrs.frozen(kw_only=True)
class OpenedSession:
    """A new native session, with its mode set."""

    session_id: str
    mcp_injected: bool
    mode: str | None


async def greet(connection: RpcConnection, quirks: Quirks, *, our_version: str) -> Greeting:
    """`initialize`. Raises AdapterStartError, RpcError, ConnectionLost."""
    result = await connection.request(
        "initialize",
        {
            "protocolVersion": PROTOCOL_VERSION,
            "clientCapabilities": {
                "fs": {"readTextFile": False, "writeTextFile": False},
                "terminal": False,
            },
            "clientInfo": {"name": "groupx", "title": "GroupX", "version": our_version},
        },
    )
    answer = _object(result)
    version = answer.get("protocolVersion")
    if version is True or version != PROTOCOL_VERSION:
        raise AdapterStartError(
            ErrorCode.ADAPTER_START_FAILED,
            f"The program speaks ACP version {version!r}; GroupX speaks version 1. Nothing was "
            "sent to it. Install a version of the program that speaks ACP 1.",
            transient=False,
        )
    greeting = _read_greeting(answer)
    if quirks.agent_name is not None and greeting.name != quirks.agent_name:
        raise AdapterStartError(
            ErrorCode.ADAPTER_START_FAILED,
            f"The program calls itself {greeting.name!r}, not {quirks.agent_name!r}. Nothing was "
            "sent to it. Correct `command`, or use driver `acp`.",
            transient=False,
        )
    return greeting


def _read_greeting(answer: Json) -> Greeting:
    can = _object(answer.get("agentCapabilities"))
    sessions = _object(can.get("sessionCapabilities"))
    info = _object(answer.get("agentInfo"))
    vendor_version = text_of(_object(answer.get("_meta")).get("agentVersion"))
    return Greeting(
        name=text_of(info.get("name")) or None,
        version=text_of(info.get("version")) or vendor_version or None,
        login_methods=frozenset(
            text_of(method.get("id")) for method in objects_in(answer.get("authMethods"))
        ),
        mcp_http=_object(can.get("mcpCapabilities")).get("http") is True,
        can_close=is_object(sessions.get("close")),
        can_resume=can.get("loadSession") is True or is_object(sessions.get("resume")),
    )


async def log_in(
    connection: RpcConnection,
    greeting: Greeting,
    environment: Mapping[str, str],
    timeouts: Timeouts,
) -> None:
    """Log in by the first offered method that needs no person and has its variable set."""
    for method, variable in LOGIN_BY_VARIABLE.items():
        if method in greeting.login_methods and environment.get(variable):
            try:
                await _ask(connection, "authenticate", {"methodId": method}, timeouts)
            except RpcError as error:
                raise AdapterStartError(
                    ErrorCode.NATIVE_LOGIN_REQUIRED,
                    f"The program did not accept {variable}: {words_of(error)}. Nothing was sent "
                    "to it. Correct the variable, or log in with the program itself.",
                    transient=False,
                ) from error
            return


async def open_session(
    connection: RpcConnection, greeting: Greeting, profile: SessionProfile, quirks: Quirks
) -> OpenedSession:
    """`session/new`, then the mode. Raises AdapterStartError, ConnectionLost, NoAnswer."""
    takes_mcp = greeting.mcp_http or quirks.mcp_http_unadvertised
    servers = [_mcp_entry(profile.mcp)] if profile.mcp is not None and takes_mcp else []
    try:
        params = {"cwd": profile.cwd, "mcpServers": servers}
        result = await _ask(connection, "session/new", params, profile.timeouts)
    except RpcError as error:
        raise _refusal(error) from error
    answer = _object(result)
    session_id = text_of(answer.get("sessionId"))
    if not session_id:
        raise AdapterStartError(
            ErrorCode.ADAPTER_START_FAILED,
            "The program opened a session without naming it. Nothing was sent to it.",
        )
    mode = await _set_mode(connection, session_id, answer, profile, quirks)
    return OpenedSession(session_id=session_id, mcp_injected=bool(servers), mode=mode)


def _refusal(error: RpcError) -> AdapterStartError:
    code = classify(error)
    if code is ErrorCode.NATIVE_LOGIN_REQUIRED:
        quoted = "" if error.code == AUTH_REQUIRED else f" It said: {words_of(error)}."
        return AdapterStartError(
            code,
            f"The program wants you to log in.{quoted} Nothing was sent to it. Log in with the "
            "program itself, then start the agent again.",
            transient=False,
        )
    return AdapterStartError(
        ErrorCode.ADAPTER_START_FAILED,
        f"The program could not open a session: {words_of(error)}. Nothing was sent to it.",
    )


def _mcp_entry(server: McpServer) -> Json:
    return {
        "type": "http",
        "name": server.name,
        "url": server.url,
        "headers": [{"name": "Authorization", "value": f"Bearer {server.bearer}"}],
    }


# --- the mode -------------------------------------------------------------------------------


async def _set_mode(
    connection: RpcConnection,
    session_id: str,
    session: Json,
    profile: SessionProfile,
    quirks: Quirks,
) -> str | None:
    """Set the configured mode, or the driver's own; None when neither applies."""
    wanted = profile.mode or quirks.mode
    if wanted is None:
        return None
    option = _mode_option(session.get("configOptions"))
    modes = _object(session.get("modes"))
    try:
        if option is not None and wanted in _values(option) and not quirks.mode_by_method:
            if option.get("currentValue") != wanted:
                option_id = text_of(option.get("id"))
                params = {"sessionId": session_id, "configId": option_id, "value": wanted}
                await _set_option(connection, params, profile.timeouts)
        elif quirks.mode is not None or wanted in _ids(modes.get("availableModes")):
            params = {"sessionId": session_id, "modeId": wanted}
            await _ask(connection, "session/set_mode", params, profile.timeouts)
        else:
            return None
    except RpcError as error:
        raise _blocked(wanted, words_of(error)) from error
    return wanted


async def _set_option(connection: RpcConnection, params: Json, timeouts: Timeouts) -> None:
    result = await _ask(connection, "session/set_config_option", params, timeouts)
    option = _mode_option(_object(result).get("configOptions"))
    if option is not None and option.get("currentValue") != params["value"]:
        raise _blocked(params["value"], f"it stayed in '{option.get('currentValue')}'")


def _blocked(wanted: str, reason: str) -> AdapterStartError:
    return AdapterStartError(
        ErrorCode.NATIVE_POLICY_BLOCKED,
        f"The program refused its mode '{wanted}': {reason}. It would stop to ask for "
        "permissions, so nothing was sent to it. Allow that mode in the program's own settings.",
        transient=False,
    )


def _mode_option(options: object) -> Json | None:
    found = objects_in(options)
    by_category = [option for option in found if option.get("category") == "mode"]
    by_id = [option for option in found if option.get("id") == "mode"]
    return next(iter(by_category or by_id), None)


def _values(option: Json) -> set[str]:
    """The values of a select option; they may be grouped."""
    choices = objects_in(option.get("options"))
    grouped = [choice for group in choices for choice in objects_in(group.get("options"))]
    return {text_of(choice.get("value")) for choice in choices + grouped}


def _ids(modes: object) -> set[str]:
    return {text_of(mode.get("id")) for mode in objects_in(modes)}


async def _ask(connection: RpcConnection, method: str, params: Json, timeouts: Timeouts) -> Any:
    try:
        return await connection.request(method, params, seconds=timeouts.request / 1000)
    except trio.TooSlowError:
        raise NoAnswer(method) from None


def _object(value: Any) -> Json:
    return value if is_object(value) else {}
