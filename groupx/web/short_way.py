"""The short way: a request that arrived whole, answered in one piece.

Where one answer is all there is to it, hypercorn and h11 take more of the processor than the
request itself. So one that came alone and in the plainest HTTP/1.1 is read here; any other goes to
h11, with the same bytes. Behind both stands the same app, with its guards.
"""

import re
from collections.abc import Callable, Sequence
from typing import Any
from urllib.parse import unquote

import attrs
import trio

from groupx.web.asgi import App, Message, Scope
from groupx.web.security_headers import RawHeaders

Takes = Callable[[str, str], bool]
"""Whether a method of a path is answered at once, and by one answer."""

MAX_HEADER_BYTES = 16 * 1024
"""Of a request's first line and headers, whichever way it goes."""

_REQUEST_LINE = re.compile(rb"([A-Z]{1,10}) (/[\x21-\x7e]*) HTTP/1\.1")
_HEADER = re.compile(rb"([-!#$%&'*+.^_`|~0-9A-Za-z]+): ([\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?)")
_UNUSUAL = frozenset({b"transfer-encoding", b"expect", b"upgrade", b"te", b"trailer"})
_FORBIDDEN = re.compile(rb"[\x00\r\n]")


@attrs.frozen(kw_only=True)
class WholeRequest:
    """One request, to its end."""

    method: str
    path: str
    """As it is meant: what was escaped in `raw_path`."""
    raw_path: bytes
    query: bytes
    headers: RawHeaders
    """Names in lower case."""
    body: bytes


def whole_request(data: bytes) -> WholeRequest | None:
    """What `data` asks, when it is exactly one request in the plainest form; else None."""
    head, _, body = data.partition(b"\r\n\r\n")
    if len(head) > MAX_HEADER_BYTES or len(head) == len(data):
        return None
    first, *lines = head.split(b"\r\n")
    asked = _REQUEST_LINE.fullmatch(first)
    headers = [
        (match[1].lower(), match[2]) for match in map(_HEADER.fullmatch, lines) if match is not None
    ]
    by_name = dict(headers)
    if (
        asked is None
        or len(by_name) != len(lines)  # one that is unusual, or there twice
        or b"host" not in by_name
        or not _UNUSUAL.isdisjoint(by_name)
        or by_name.get(b"connection", b"keep-alive").lower() != b"keep-alive"
        or by_name.get(b"content-length", b"0") != str(len(body)).encode()
    ):
        return None
    raw_path, _, query = asked[2].partition(b"?")
    return WholeRequest(
        method=asked[1].decode(),
        path=unquote(raw_path.decode("ascii")),
        raw_path=raw_path,
        query=query,
        headers=headers,
        body=body,
    )


class ShortWay:
    """From one connection to the app."""

    def __init__(
        self, app: App, takes: Takes, state: dict[str, Any], *, client: Any, server: Any
    ) -> None:
        """`state`: of the connection; each request is given a copy. `client`, `server`: the
        addresses of both ends."""
        self._app = app
        self._takes = takes
        self._state = state
        self._ends = {"client": client, "server": server}

    def request(self, data: bytes) -> WholeRequest | None:
        """What of `data` goes this way: all or, with None, nothing."""
        request = whole_request(data)
        if request is None or not self._takes(request.method, request.path):
            return None
        return request

    async def answer(self, request: WholeRequest, more: RawHeaders) -> bytes | None:
        """The response, with `more` headers; None when the app gave no whole one."""
        body = [request.body]
        response = _Response(more)

        async def receive() -> Message:
            if not body:
                await trio.sleep_forever()
            return {"type": "http.request", "body": body.pop(), "more_body": False}

        await self._app(self._scope(request), receive, response.send)
        return response.data

    def _scope(self, request: WholeRequest) -> Scope:
        return {
            "type": "http",
            "http_version": "1.1",
            "asgi": {"spec_version": "2.1", "version": "3.0"},
            "method": request.method,
            "scheme": "http",
            "path": request.path,
            "raw_path": request.raw_path,
            "query_string": request.query,
            "root_path": "",
            "headers": request.headers,
            "state": self._state.copy(),
            "extensions": {},
            **self._ends,
        }


class _Response:
    """What an app sends, as bytes."""

    def __init__(self, more: Sequence[tuple[bytes, bytes]]) -> None:
        self._more = more
        self._parts: list[bytes] = []
        self.data: bytes | None = None
        """All of it, once it is whole."""

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            pairs = [*message.get("headers", ()), *self._more]
            if any(_FORBIDDEN.search(name + value) for name, value in pairs):
                raise ValueError("a header of the response would forge another")
            lines = [b"HTTP/1.1 %d " % message["status"], *map(b": ".join, pairs), b"", b""]
            self._parts.append(b"\r\n".join(lines))
            return
        self._parts.append(message.get("body", b""))
        if not message.get("more_body", False):
            self.data = b"".join(self._parts)
