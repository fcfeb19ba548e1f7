"""From a greeted program to a session that may be prompted: an earlier one, or a new one."""

import attrs

from groupx.adapters.acp.failures import AUTH_REQUIRED, classify, words_of
from groupx.adapters.acp.handshake import Greeting, ask
from groupx.adapters.acp.modes import ModeInEffect, ModeRequest, set_mode
from groupx.adapters.acp.quirks import Quirks
from groupx.adapters.connection import ConnectionLost, NoAnswer
from groupx.adapters.contract import AdapterStartError, McpServer, SessionProfile
from groupx.adapters.json_lines import Json, object_of, text_of
from groupx.adapters.jsonrpc import RpcConnection, RpcError
from groupx.domain.errors import ErrorCode

MAX_SESSION_ID_BYTES = 1024


@attrs.frozen(kw_only=True)
class OpenedSession:
    """A native session with its mode set."""

    session_id: str
    resumed: bool
    """It is the profile's earlier session, and the program still knows it."""
    mcp_injected: bool
    mode: ModeInEffect | None


async def open_session(
    connection: RpcConnection, greeting: Greeting, profile: SessionProfile, quirks: Quirks
) -> OpenedSession:
    """The earlier session where the program proves that it goes on with it, else a new one.

    Raises AdapterStartError, ConnectionLost, NoAnswer.
    """
    opening = _Opening(connection, greeting, profile, quirks)
    return await opening.earlier() or await opening.new()


class _Opening:
    def __init__(
        self,
        connection: RpcConnection,
        greeting: Greeting,
        profile: SessionProfile,
        quirks: Quirks,
    ) -> None:
        takes_mcp = profile.mcp is not None and (greeting.mcp_http or quirks.mcp_http_unadvertised)
        self._connection = connection
        self._greeting = greeting
        self._profile = profile
        self._quirks = quirks
        self._servers = [_mcp_entry(profile.mcp)] if profile.mcp and takes_mcp else []
        self._setting: Json = {"cwd": profile.cwd, "mcpServers": self._servers}

    async def earlier(self) -> OpenedSession | None:
        """The profile's session with its mode set again; None when the program does not know it,
        or takes no such mode in it. What it replays before its answer is not for us.

        NATIVE_RESUME_UNSUPPORTED when the program has to be started afresh for a new one.
        """
        session_id, method = self._profile.resume, self._greeting.how_to_resume
        if session_id is None or method is None:
            return None
        try:
            answer = object_of(await self._ask(method, {"sessionId": session_id, **self._setting}))
        except RpcError:
            return None
        except (NoAnswer, ConnectionLost) as error:
            raise AdapterStartError(
                ErrorCode.NATIVE_RESUME_UNSUPPORTED,
                f"The program could not go on with its earlier session ({error}). Nothing was "
                "sent to it; a new session takes its place.",
            ) from error
        proof = self._quirks.resumed_says
        if proof is not None and proof not in answer:
            return None
        if text_of(answer.get("sessionId")) not in ("", session_id):
            return None
        try:
            return await self._with_mode(session_id, answer, resumed=True)
        except AdapterStartError:
            return None  # whether the program refuses this mode as such, a new session shows

    async def new(self) -> OpenedSession:
        """`session/new`, then the mode."""
        try:
            answer = object_of(await self._ask("session/new", self._setting))
        except RpcError as error:
            raise _refusal(error) from error
        session_id = text_of(answer.get("sessionId"))
        if not session_id or len(session_id.encode()) > MAX_SESSION_ID_BYTES:
            fault = "under a name of over 1 KiB" if session_id else "without naming it"
            raise AdapterStartError(
                ErrorCode.ADAPTER_START_FAILED,
                f"The program opened a session {fault}. Nothing was sent to it. Update it.",
            )
        return await self._with_mode(session_id, answer, resumed=False)

    async def _with_mode(self, session_id: str, answer: Json, *, resumed: bool) -> OpenedSession:
        request = ModeRequest(self._profile, self._quirks, session_id, resumed=resumed)
        return OpenedSession(
            session_id=session_id,
            resumed=resumed,
            mcp_injected=bool(self._servers),
            mode=await set_mode(self._connection, request, answer),
        )

    async def _ask(self, method: str, params: Json) -> object:
        return await ask(self._connection, method, params, self._profile.timeouts)


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
