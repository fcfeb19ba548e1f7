"""One layer in front of everything: HTTP, WebSocket, static files and 404s alike.

The order of checks (docs/http.md): host, origin, token, method and path, size, type,
JSON, sender fields, schema, draining. What comes after it may trust its `Call`.
"""

from collections.abc import Awaitable, Callable, Mapping
from contextlib import nullcontext
from functools import partial
from typing import Any, cast

import attrs

from groupx.actors.callers import Caller, Desk
from groupx.domain.errors import ErrorCode, GroupXError
from groupx.domain.limits import MAX_REQUEST_BYTES
from groupx.domain.wire import to_wire
from groupx.web import asgi, headers
from groupx.web.asgi import Message, Receive, Scope, Send
from groupx.web.errors import Headers, error_answer, internal_error, invalid
from groupx.web.policy import WEBSOCKET, Auth, Found, Policy, PolicyTable, is_direct
from groupx.web.requests import read_body, read_query
from groupx.web.revocation import Pass, pass_of, until_revoked
from groupx.web.security_headers import secured
from groupx.web.services import Entrance, RuntimeStatus, Services, Status

REVOKED = 1008
"""Close code of a WebSocket whose token does not count any more."""
CALL = "groupx.call"
"""Where a scope holds its Call."""
_KEEPS_OPEN = frozenset({"websocket.accept", "websocket.send"})


@attrs.frozen(kw_only=True)
class Call:
    """A request that passed the guards."""

    policy: Policy
    known: bool
    """Whether the caller is the user; always so but on open routes and for sessions."""
    caller: Caller | None = None
    """Whose session this is, on the routes for sessions."""
    admitted: Pass
    """By what it came in."""
    segments: Mapping[str, str]
    query: Mapping[str, Any]
    body: Mapping[str, Any]


Behind = Callable[[Scope, asgi.Incoming, Send], Awaitable[None]]
"""An ASGI app that is given `Incoming`, and finds its Call in the scope."""


class Guards:
    """The ASGI app that the server serves. `behind` is what stands after the checks."""

    def __init__(
        self, entrance: Entrance, behind: Behind, table: PolicyTable | None = None
    ) -> None:
        self._entrance = entrance
        self._behind = behind
        self._table = PolicyTable() if table is None else table
        self.door = headers.Door(entrance.facts.port)

    def open_room(self, services: Services, behind: Behind) -> None:
        """From now on requests reach the room."""
        self._entrance, self._behind = services, behind

    def answers_at_once(self, method: str, path: str) -> bool:
        """Whether one answer is all that comes of such a request, if it passes."""
        found = self._table.find(path)
        policy = None if found is None else found.by_method.get(method)
        return policy is not None and is_direct(policy)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request or one WebSocket."""
        watched = _Watched(send)
        incoming = asgi.Incoming(receive, complete=headers.declared_length(scope["headers"]) == 0)
        try:
            call = await self._admit(scope, incoming)
            if call is None:
                return
            scope[CALL] = call
            serve = partial(self._behind, scope, incoming, watched.send)
            if call.policy.stream:
                await _stream(scope, call, serve, watched)
            else:
                await serve()
        except GroupXError as error:
            answer = error_answer(error, self._allow_header(scope, error))
            await asgi.send_answer(scope, incoming, send, answer)
        except Exception as error:
            answer = error_answer(internal_error(str(scope["type"]), error))
            if not watched.started:
                await asgi.send_answer(scope, incoming, send, answer)

    async def _admit(self, scope: Scope, incoming: asgi.Incoming) -> Call | None:
        raw: headers.Raw = scope["headers"]
        found = self._table.find(scope["path"])
        policy = None if found is None else found.by_method.get(_method(scope))
        self.door.check_host(raw)
        self.door.check_origin(raw, navigable=policy is not None and policy.navigable)
        admitted = pass_of(self._entrance.token)  # first: a rotation in between is noticed
        caller, known = None, False
        if policy is not None and policy.auth is Auth.SESSION:
            caller = self._entrance.mcp.caller(headers.bearer_line(raw), cast("Desk", policy.name))
        else:
            known = self._check_token(raw, policy)
        if found is None or policy is None:
            raise _no_route(found, _method(scope))
        body: dict[str, Any] = {}
        if policy.raw:
            _check_length(raw)
        elif policy.body is None:
            if headers.declared_length(raw) != 0:
                raise invalid("This request takes no body.")
        else:
            content = await _json_body(raw, incoming)
            if content is None:
                return None
            body = read_body(content, policy.body)
        query = read_query(scope["query_string"], policy.query)
        if policy.needs_room:
            self._check_ready(policy)
        return Call(
            policy=policy,
            known=known,
            caller=caller,
            admitted=admitted,
            segments=found.segments,
            query=query,
            body=body,
        )

    def _check_token(self, raw: headers.Raw, policy: Policy | None) -> bool:
        auth = Auth.USER if policy is None else policy.auth
        known = self.door.knows(raw, self._entrance.token, cookies=auth is not Auth.BEARER)
        if not known and auth is not Auth.OPEN:
            raise GroupXError(
                ErrorCode.UNAUTHORIZED,
                "GroupX does not know this caller, so nothing was done. "
                "In a browser: run 'groupx open'. Elsewhere: send the token as a bearer.",
            )
        return known

    def _check_ready(self, policy: Policy) -> None:
        state = self._entrance.status()
        if policy.in_setup and state.status is Status.SETUP:
            return
        facts = self._entrance.facts
        details = {
            **to_wire(state),
            "runtimeKey": facts.runtime_key,
            "runtimeScopeKey": facts.runtime_scope_key,
        }
        if state.status is Status.CLOSING:
            raise GroupXError(
                ErrorCode.RUNTIME_CLOSING,
                "GroupX is stopping; nothing was done. What is queued survives: "
                "start it again, then repeat this.",
                **details,
            )
        if state.status is Status.SETUP:
            raise GroupXError(
                ErrorCode.RUNTIME_STARTING,
                "GroupX is being set up and has no room yet; nothing was done. Open it in the "
                "browser (`groupx open`) and save the setup first.",
                **details,
            )
        if state.status is not Status.READY or not isinstance(self._entrance, Services):
            raise GroupXError(
                ErrorCode.RUNTIME_STARTING,
                f"GroupX is {_until_ready(state)}; nothing was done. Repeat this in a moment.",
                **details,
            )

    def _allow_header(self, scope: Scope, error: GroupXError) -> Headers:
        if error.code is not ErrorCode.METHOD_NOT_ALLOWED:
            return ()
        found = cast("Found", self._table.find(scope["path"]))
        methods = {"GET" if method == WEBSOCKET else method for method in found.by_method}
        return (("allow", ", ".join(sorted(methods))),)


class _Watched:
    """A `send` that adds the security headers and remembers whether a response began."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self.started = False
        self.open = False
        """Whether a WebSocket was accepted and not closed yet."""

    async def send(self, message: Message) -> None:
        if message["type"].endswith("response.start"):
            message["headers"] = secured(list(message.get("headers", ())))
        self.started = True
        self.open = message["type"] in _KEEPS_OPEN
        await self._send(message)


def _until_ready(state: RuntimeStatus) -> str:
    progress = state.progress
    if progress is None:
        return "still starting"
    return f"upgrading its database ({100 * progress.done // progress.total} %)"


def _method(scope: Scope) -> Any:
    return WEBSOCKET if scope["type"] == "websocket" else scope["method"]


def _no_route(found: Found | None, method: str) -> GroupXError:
    if found is None:
        return GroupXError(
            ErrorCode.NOT_FOUND, "There is nothing at this address; check it for a typing error."
        )
    if method == "GET" and WEBSOCKET in found.by_method:
        return invalid("This address speaks WebSocket only: send 'Upgrade: websocket'.")
    return GroupXError(
        ErrorCode.METHOD_NOT_ALLOWED,
        "This address does not take this method; nothing was done. See the Allow header.",
    )


def _check_length(raw: headers.Raw) -> None:
    if (headers.declared_length(raw) or 0) > MAX_REQUEST_BYTES:
        raise asgi.too_large()


async def _json_body(raw: headers.Raw, incoming: asgi.Incoming) -> bytes | None:
    _check_length(raw)
    headers.check_json_type(raw)
    return await asgi.read_body(incoming)


async def _stream(
    scope: Scope, call: Call, serve: Callable[[], Awaitable[None]], watched: _Watched
) -> None:
    """One stream, no longer than the token that opened it; a WebSocket is told why."""
    connection = asgi.connection_of(scope)
    with connection.streaming() if connection else nullcontext():
        revoked = await until_revoked(call.admitted, serve, connection)
        if revoked and watched.open:
            reason = str(ErrorCode.UNAUTHORIZED)
            await watched.send({"type": "websocket.close", "code": REVOKED, "reason": reason})
