"""From a started app-server to a thread that may be prompted: an earlier one, or a new one."""

import re

import attrs

from groupx.adapters.codex.profile import check_requirements, check_thread, thread_params
from groupx.adapters.connection import ConnectionLost, NoAnswer
from groupx.adapters.contract import AdapterStartError, Login, SessionProfile
from groupx.adapters.failure_words import classify_words
from groupx.adapters.json_lines import Json, is_object, object_of, quote, text_of
from groupx.adapters.jsonrpc import RpcConnection, RpcError
from groupx.domain.errors import ErrorCode
from groupx.domain.text import cut_utf8, excerpt

CLIENT = "groupx"
INVALID_REQUEST = -32600
SESSION_FAILED = -32603
MAX_THREAD_ID_BYTES = 1024
MAX_LABEL_BYTES = 200


_TELLING = ("thread", "approvalPolicy", "sandbox")
"""What an answer must have to tell of a thread, and of what it may do."""


class NoThreadError(Exception):
    """What should tell of a thread does not; the message says what it was, as a clause."""


@attrs.frozen(kw_only=True)
class OpenedThread:
    """A thread of the fixed profile, loaded in this process."""

    thread_id: str
    resumed: bool
    busy: bool
    """It is running a turn that we did not start."""
    mcp_injected: bool
    version: str | None
    login: Login


@attrs.frozen(kw_only=True)
class Greeting:
    """What the program said of itself and of its account."""

    agent: str
    login: Login


async def introduce(connection: RpcConnection, *, our_version: str) -> Json:
    """`initialize`: its answer. Raises RpcError, ConnectionLost."""
    greeting = await connection.request(
        "initialize",
        {
            "clientInfo": {"name": CLIENT, "title": "GroupX", "version": our_version},
            "capabilities": {"experimentalApi": True, "requestAttestation": False},
        },
    )
    connection.notify("initialized", None)
    return object_of(greeting)


async def greet(
    connection: RpcConnection, profile: SessionProfile, *, our_version: str
) -> Greeting:
    """Introduce ourselves, and see to what it may not do without: no login, no policy in the way.

    Raises AdapterStartError, RpcError, ConnectionLost, NoAnswer.
    """
    greeting = await introduce(connection, our_version=our_version)
    seconds = profile.timeouts.request / 1000
    check_requirements(await _known(connection, "configRequirements/read", None, seconds))
    said = await _known(connection, "account/read", {"refreshToken": False}, seconds)
    login = _login_of(said)
    if login.known == "no":
        raise _login("")
    return Greeting(agent=text_of(greeting.get("userAgent")), login=login)


def _login_of(said: Json) -> Login:
    """What `account/read` says of it; an older program says nothing."""
    account = said.get("account")
    if is_object(account):
        return Login("yes", f"it has an account ({text_of(account.get('type')) or 'of some kind'})")
    if said.get("requiresOpenaiAuth") is True:
        return Login("no", "it has no account, and its provider requires one")
    if said.get("requiresOpenaiAuth") is False:
        return Login("unknown", "its provider needs no login; only a turn tells whether it answers")
    return Login()


async def _known(
    connection: RpcConnection, method: str, params: Json | None, seconds: float
) -> Json:
    """The answer to a question that an older program does not know; empty then."""
    try:
        return object_of(await connection.request(method, params, seconds=seconds))
    except RpcError as error:
        if error.code == INVALID_REQUEST and "unknown variant" in error.message:
            return {}
        raise


async def open_thread(
    connection: RpcConnection, greeting: Greeting, profile: SessionProfile
) -> OpenedThread:
    """The earlier thread where the program still has it, else a new one.

    Raises AdapterStartError, ConnectionLost, NoAnswer.
    """
    opening = _Opening(connection, greeting, profile)
    return await opening.earlier() or await opening.new()


class _Opening:
    def __init__(
        self, connection: RpcConnection, greeting: Greeting, profile: SessionProfile
    ) -> None:
        self._connection = connection
        self._greeting = greeting
        self._profile = profile
        self._with_mcp = profile.mcp is not None

    async def earlier(self) -> OpenedThread | None:
        """The profile's thread; None when the program cannot go on with it: it does not know it,
        it had no turn yet, or another process has it open.

        NATIVE_RESUME_UNSUPPORTED when the program has to be started afresh for a new one.
        """
        thread_id = self._profile.resume
        if thread_id is None:
            return None
        try:
            answer = await self._ask("thread/resume", {"threadId": thread_id, "excludeTurns": True})
        except RpcError:
            return None
        except (NoAnswer, ConnectionLost, NoThreadError) as error:
            raise AdapterStartError(
                ErrorCode.NATIVE_RESUME_UNSUPPORTED,
                f"The program could not go on with its earlier session ({error}). Nothing was "
                "sent to it; a new session takes its place.",
            ) from error
        opened = self._opened(answer, resumed=True)
        return opened if opened.thread_id == thread_id else None

    async def new(self) -> OpenedThread:
        """`thread/start`."""
        try:
            answer = await self._ask("thread/start", {})
        except RpcError as error:
            words = excerpt(error.message, 500).rstrip(".")
            if classify_words(words) is ErrorCode.NATIVE_LOGIN_REQUIRED:
                raise _login(f" It said: {words}.") from error
            raise AdapterStartError(
                ErrorCode.ADAPTER_START_FAILED,
                f"The program could not open a thread: {words}. Nothing was sent to it.",
            ) from error
        except NoThreadError as error:
            raise AdapterStartError(
                ErrorCode.PROTOCOL_INVALID_MESSAGE,
                f"The program opened no thread: {error}. Nothing was sent to it. Update it.",
                transient=False,
            ) from error
        opened = self._opened(answer, resumed=False)
        if not opened.thread_id or len(opened.thread_id.encode()) > MAX_THREAD_ID_BYTES:
            fault = "under a name of over 1 KiB" if opened.thread_id else "without naming it"
            raise AdapterStartError(
                ErrorCode.ADAPTER_START_FAILED,
                f"The program opened a thread {fault}. Nothing was sent to it. Update it.",
            )
        return opened

    async def _ask(self, method: str, params: Json) -> Json:
        """With the room's MCP server; without it when that is what the program stumbles over."""
        try:
            return await self._ask_once(method, params)
        except RpcError as error:
            if not self._with_mcp or error.code != SESSION_FAILED:
                raise
        self._with_mcp = False
        return await self._ask_once(method, params)

    async def _ask_once(self, method: str, params: Json) -> Json:
        setting = thread_params(self._profile, with_mcp=self._with_mcp)
        seconds = self._profile.timeouts.request / 1000
        answer = await self._connection.request(method, {**params, **setting}, seconds=seconds)
        if not is_object(answer) or any(answer.get(key) is None for key in _TELLING):
            raise NoThreadError(f"it answered {method} with {quote(answer)}")
        return answer

    def _opened(self, answer: Json, *, resumed: bool) -> OpenedThread:
        check_thread(answer)
        thread = object_of(answer.get("thread"))
        named = re.match(rf"{CLIENT}/(\S+)", self._greeting.agent)
        version = named[1] if named else text_of(thread.get("cliVersion"))
        return OpenedThread(
            thread_id=text_of(thread.get("id")),
            resumed=resumed,
            busy=object_of(thread.get("status")).get("type") == "active",
            mcp_injected=self._with_mcp,
            login=self._greeting.login,
            version=cut_utf8(version, MAX_LABEL_BYTES)[0] or None,
        )


def _login(said: str) -> AdapterStartError:
    return AdapterStartError(
        ErrorCode.NATIVE_LOGIN_REQUIRED,
        f"Codex wants you to log in.{said} Nothing was sent to it. Run `codex login` in a "
        "terminal, then start the agent again.",
        transient=False,
    )
