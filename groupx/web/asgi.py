"""The little of ASGI that the guards speak themselves."""

from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

import trio

from groupx.domain.errors import ErrorCode, GroupXError
from groupx.domain.limits import MAX_REQUEST_BYTES
from groupx.web.connection import Connection
from groupx.web.errors import Answer, invalid
from groupx.web.security_headers import secured

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

CONNECTION = "groupx.connection"
"""Where the server puts the Connection into a scope's state."""

BODY_SECONDS = 10.0
_DRAIN_SECONDS = 1.0
_DRAIN_BYTES = 4 * MAX_REQUEST_BYTES


def too_large() -> GroupXError:
    """MESSAGE_TOO_LARGE for a whole body."""
    return GroupXError(
        ErrorCode.MESSAGE_TOO_LARGE,
        f"A request may have at most {MAX_REQUEST_BYTES} bytes; this one was not read and "
        "nothing was done. Send less at once.",
        maxBytes=MAX_REQUEST_BYTES,
    )


class Incoming:
    """A `receive` that knows whether the body has been read to its end, if there is one."""

    def __init__(self, receive: Receive, *, complete: bool) -> None:
        self._receive = receive
        self.complete = complete

    async def __call__(self) -> Message:
        """The next message."""
        message = await self._receive()
        if message["type"] != "http.request" or not message.get("more_body", False):
            self.complete = True
        return message


async def read_body(incoming: Incoming) -> bytes | None:
    """The whole body; None when the client left before its end.

    Raises MESSAGE_TOO_LARGE over the bound, INVALID_ENVELOPE when it does not arrive in time.
    """
    parts: list[bytes] = []
    size = 0
    with trio.move_on_after(BODY_SECONDS):
        while True:
            message = await incoming()
            if message["type"] != "http.request":
                return None
            parts.append(message.get("body", b""))
            size += len(parts[-1])
            if size > MAX_REQUEST_BYTES:
                raise too_large()
            if not message.get("more_body", False):
                return b"".join(parts)
    raise invalid(f"The body did not arrive within {BODY_SECONDS:g} s.")


async def drain(incoming: Incoming) -> None:
    """Read away, within bounds, what a refused client still sends.

    Closing on unread data would make the kernel throw away the refusal before it is read.
    """
    size = 0
    with trio.move_on_after(_DRAIN_SECONDS):
        while not incoming.complete and size < _DRAIN_BYTES:
            size += len((await incoming()).get("body", b""))


async def send_answer(scope: Scope, incoming: Incoming, send: Send, answer: Answer) -> None:
    """A whole response; to a WebSocket, instead of accepting it."""
    prefix = "http" if scope["type"] == "http" else "websocket.http"
    headers = [(name.encode(), value.encode("latin-1")) for name, value in answer.headers]
    headers += [
        (b"content-type", answer.content_type.encode()),
        (b"content-length", str(len(answer.content)).encode()),
    ]
    start: Message = {
        "type": f"{prefix}.response.start",
        "status": answer.status,
        "headers": secured(headers),
    }
    await send(start)
    body: Message = {"type": f"{prefix}.response.body", "body": answer.content}
    if incoming.complete:
        await send(body)
        return
    await send({**body, "more_body": True})
    await drain(incoming)
    if not incoming.complete and (connection := connection_of(scope)) is not None:
        connection.reset()
        while not incoming.complete:  # the server hands on what it had read, then the end
            await incoming()
        return
    await send({**body, "body": b""})


def connection_of(scope: Scope) -> Connection | None:
    """The connection that a request came by; None under a test client."""
    return scope.get("state", {}).get(CONNECTION)
