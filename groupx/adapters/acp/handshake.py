"""The first words with a started program: what it is, what it can do, whether it is logged in."""

from collections.abc import Mapping
from typing import Any

import attrs

from groupx.adapters.acp.failures import words_of
from groupx.adapters.acp.quirks import LOGIN_BY_VARIABLE, Quirks
from groupx.adapters.contract import AdapterStartError, Login
from groupx.adapters.json_lines import Json, is_object, object_of, objects_in, quote, text_of
from groupx.adapters.jsonrpc import RpcConnection, RpcError
from groupx.domain.errors import ErrorCode
from groupx.domain.limits import Timeouts
from groupx.domain.text import cut_utf8

PROTOCOL_VERSION = 1
MAX_LABEL_BYTES = 200


@attrs.frozen(kw_only=True)
class Greeting:
    """What the program said of itself."""

    name: str | None
    version: str | None
    login_methods: frozenset[str]
    mcp_http: bool
    can_close: bool
    can_load: bool
    can_resume: bool

    @property
    def how_to_resume(self) -> str | None:
        """The method that goes on with an earlier session; None when none is offered."""
        if self.can_load:
            return "session/load"
        return "session/resume" if self.can_resume else None


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
    answer = object_of(result)
    version = answer.get("protocolVersion")
    if version is True or version != PROTOCOL_VERSION:
        raise AdapterStartError(
            ErrorCode.ADAPTER_START_FAILED,
            f"The program speaks ACP version {quote(version)}; GroupX speaks version 1. Nothing "
            "was sent to it. Install a version of the program that speaks ACP 1.",
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
    can = object_of(answer.get("agentCapabilities"))
    sessions = object_of(can.get("sessionCapabilities"))
    info = object_of(answer.get("agentInfo"))
    vendor_version = text_of(object_of(answer.get("_meta")).get("agentVersion"))
    return Greeting(
        name=_label(text_of(info.get("name"))),
        version=_label(text_of(info.get("version")) or vendor_version),
        login_methods=frozenset(
            text_of(method.get("id")) for method in objects_in(answer.get("authMethods"))
        ),
        mcp_http=object_of(can.get("mcpCapabilities")).get("http") is True,
        can_close=is_object(sessions.get("close")),
        can_load=can.get("loadSession") is True,
        can_resume=is_object(sessions.get("resume")),
    )


def _label(text: str) -> str | None:
    return cut_utf8(text, MAX_LABEL_BYTES)[0] or None


async def log_in(
    connection: RpcConnection,
    greeting: Greeting,
    environment: Mapping[str, str],
    timeouts: Timeouts,
) -> Login:
    """Log in by the first offered method that needs no person and has its variable set."""
    for method, variable in LOGIN_BY_VARIABLE.items():
        if method in greeting.login_methods and environment.get(variable):
            try:
                await ask(connection, "authenticate", {"methodId": method}, timeouts)
            except RpcError as error:
                raise AdapterStartError(
                    ErrorCode.NATIVE_LOGIN_REQUIRED,
                    f"The program did not accept {variable}: {words_of(error)}. Nothing was sent "
                    "to it. Correct the variable, or log in with the program itself.",
                    transient=False,
                ) from error
            return Login("unknown", f"it took {variable}; only a turn tells whether that is valid")
    return Login()


async def ask(connection: RpcConnection, method: str, params: Json, timeouts: Timeouts) -> Any:
    """One request of the handshake. Raises NoAnswer, RpcError, ConnectionLost."""
    return await connection.request(method, params, seconds=timeouts.request / 1000)
