"""The little of ASGI that the guards speak themselves."""

from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

import trio

from groupx.domain.errors import ErrorCode, GroupXError
from groupx.domain.limits import MAX_REQUEST_BYTES
from groupx.web.errors import Answer, invalid
from groupx.web.security_headers import secured

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

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
    """A `receive` that knows whether the body has been read to its end."""

    def __init__(self, receive: Receive) -> None:
        self._receive = receive
        self.complete = False

    async def __call__(self) -> Message:
        """The next message."""
        message = await self._receive()
        if message["type"] != "http.request" or not message.get("more_body", False):
            self.complete = True
        return message


async def read_body(receive: Receive) -> bytes | None:
    """The whole body; None when the client left before its end.

    Raises MESSAGE_TOO_LARGE over the bound, INVALID_ENVELOPE when it does not arrive in time.
    """
    parts: list[bytes] = []
    size = 0
    with trio.move_on_after(BODY_SECONDS):
        while True:
            message = await receive()
            if message["type"] != "http.request":
                return None
            parts.append(message.get("body", b""))
            size += len(parts[-1])
            if size > MAX_REQUEST_BYTES:
                raise too_large()
            if not message.get("more_body", False):
                return b"".join(parts)
    raise invalid(f"The body did not arrive within {BODY_SECONDS:g} s.")


async def drain(receive: Receive) -> None:
    """Read away, within bounds, what a refused client still sends.

    Closing on unread data would make the kernel throw away the refusal before it is read.
    """
    size = 0
    with trio.move_on_after(_DRAIN_SECONDS):
        while size < _DRAIN_BYTES:
            message = await receive()
            if message["type"] != "http.request" or not message.get("more_body", False):
                return
            size += len(message.get("body", b""))


async def send_answer(scope: Scope, receive: Receive, send: Send, answer: Answer, *,
                      unread: bool) -> None:  # fmt: skip
    """A whole response; to a WebSocket, instead of accepting it."""
    prefix = "http" if scope["type"] == "http" else "websocket.http"
    headers = [(name.encode(), value.encode("latin-1")) for name, value in answer.headers]
    headers += [
        (b"content-type", answer.content_type.encode()),
        (b"content-length", str(len(answer.content)).encode()),
    ]
    await send(
        {
            "type": f"{prefix}.response.start",
            "status": answer.status,
            "headers": secured(headers),
        }
    )
    body: Message = {"type": f"{prefix}.response.body", "body": answer.content}
    if unread and prefix == "http":
        await send({**body, "more_body": True})
        await drain(receive)
        body["body"] = b""
    await send(body)
