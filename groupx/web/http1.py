"""Hypercorn's HTTP/1.1 connection, made strict. Uses its internals: pinned to 0.18.

What differs: no HTTP/2 by prior knowledge or upgrade, a missing or duplicate Host is refused
with 403, a request that is no HTTP gets the one JSON error shape too, and what may go the short
way does.
"""

import sys
from math import inf
from typing import Any, cast

import h11
import orjson
import structlog
import trio
from hypercorn.config import Config
from hypercorn.events import Closed, Event, RawData, Updated
from hypercorn.logging import Logger
from hypercorn.protocol.events import Request
from hypercorn.protocol.h11 import STREAM_ID, H11Protocol, H11WSConnection
from hypercorn.trio.task_group import TaskGroup
from hypercorn.trio.tcp_server import MAX_RECV, TCPServer
from hypercorn.typing import ConnectionState

from groupx.domain.errors import ErrorCode, GroupXError
from groupx.domain.text import excerpt
from groupx.web.connection import Connection
from groupx.web.errors import log_failure
from groupx.web.security_headers import secured
from groupx.web.short_way import MAX_HEADER_BYTES, ShortWay, Takes, WholeRequest
from groupx.web.sockets import StrictSocket

MAX_SOCKET_MESSAGE_BYTES = 64 * 1024
IDLE_SECONDS = 75
PING_SECONDS = 20
RECYCLE_SECONDS = 1

_log = structlog.stdlib.get_logger("groupx.http")
_REFUSALS = {
    403: (ErrorCode.FORBIDDEN_HOST, "The request must have exactly one Host header."),
    431: (ErrorCode.INVALID_ENVELOPE, "The request's headers are too large."),
}
_NOT_HTTP = (ErrorCode.INVALID_ENVELOPE, "This is not a request in HTTP/1.1.")


class HttpLog(Logger):
    """Hypercorn's errors, bounded, to our log; requests are not logged at all."""

    def __init__(self, config: Config) -> None:
        super().__init__(config)

    async def access(self, request: Any, response: Any, request_time: float) -> None:
        """Nothing: an address may hold a login code."""

    async def info(self, message: str, *args: Any, **kwargs: Any) -> None:
        """Nothing: the runtime says itself where it listens."""

    async def error(self, message: str, *args: Any, **kwargs: Any) -> None:
        """To the log."""
        _log.error("http server", text=excerpt(message, 300))

    warning = error
    critical = error

    async def exception(self, message: str, *args: Any, **kwargs: Any) -> None:
        """To the log, with the exception's type."""
        log_failure(message, sys.exception())


def http_config() -> Config:
    """The settings of every connection."""
    config = Config()
    config.logger_class = HttpLog
    config.accesslog = None
    config.errorlog = None
    config.include_server_header = False
    config.keep_alive_timeout = IDLE_SECONDS
    config.keep_alive_max_requests = 10**9
    config.h11_max_incomplete_size = MAX_HEADER_BYTES
    config.websocket_max_message_size = MAX_SOCKET_MESSAGE_BYTES
    config.websocket_ping_interval = PING_SECONDS
    return config


class _Http(h11.Connection):
    def next_event(self) -> Any:
        try:
            event = super().next_event()
            if isinstance(event, h11.Request) and _head_bytes(event) > MAX_HEADER_BYTES:
                raise h11.RemoteProtocolError("the headers are too large", 431)
            return event
        except h11.RemoteProtocolError as error:
            if "Host" in str(error):
                error.error_status_hint = 403
            raise


def _head_bytes(request: h11.Request) -> int:
    """h11 itself bounds only a head that does not arrive in one piece."""
    pairs = sum(len(name) + len(value) + 4 for name, value in request.headers)
    return len(request.method) + len(request.target) + pairs


class StrictProtocol(H11Protocol):
    """See the module."""

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self.connection = _Http(
            h11.SERVER, max_incomplete_event_size=self.config.h11_max_incomplete_size
        )
        self._held: bytes = b""

    @property
    def at_rest(self) -> bool:
        """Whether the next byte begins a request."""
        return (
            self.stream is None
            and self.connection.their_state is h11.IDLE
            and not self.connection.trailing_data[0]
        )

    async def _check_protocol(self, event: h11.Request) -> None:
        """Nothing is ever spoken here but HTTP/1.1."""

    async def _create_stream(self, request: h11.Request) -> None:
        if not _wants_socket(request):
            await super()._create_stream(request)
            return
        self.stream = StrictSocket(
            self.app, self.config, self.context, self.task_group, self.ssl,
            self.client, self.server, self.stream_send, STREAM_ID,
        )  # fmt: skip
        self.connection = H11WSConnection(self.connection)  # type: ignore[arg-type]
        await self.stream.handle(
            Request(
                stream_id=STREAM_ID,
                headers=list(request.headers),
                http_version=request.http_version.decode(),
                method="GET",
                raw_path=request.target,
                state=self.connection_state,
            )
        )

    async def _send_h11_event(self, event: Any) -> None:
        """The head of a response leaves with what follows it, in one write."""
        try:
            sent: bytes | None = cast("Any", self.connection).send(event)
        except h11.LocalProtocolError:
            if self.connection.their_state != h11.ERROR:
                raise
            return
        data: bytes = self._held + (sent or b"")
        self._held = data if isinstance(event, h11.Response) else b""
        if data and not self._held:
            await self.send(RawData(data=data))

    async def _maybe_recycle(self) -> None:
        # The app sees the end of its own response as a disconnect and may be cancelled for it,
        # by quart, inside this very call; half done, the connection would never be idle again.
        with trio.CancelScope(shield=True, deadline=trio.current_time() + RECYCLE_SECONDS):
            await super()._maybe_recycle()

    async def _send_error_response(self, status_code: int) -> None:
        code, message = _REFUSALS.get(status_code, _NOT_HTTP)
        body = orjson.dumps(GroupXError(code, f"{message} Nothing was done.").to_wire())
        headers = secured(
            [
                (b"content-type", b"application/json"),
                (b"content-length", str(len(body)).encode()),
                (b"connection", b"close"),
            ]
        )
        headers += self.config.response_headers("h11")
        await self._send_h11_event(h11.Response(status_code=status_code, headers=headers))
        await self._send_h11_event(h11.Data(data=body))
        await self._send_h11_event(h11.EndOfMessage())


def _wants_socket(request: h11.Request) -> bool:
    headers = {name: value.strip().lower() for name, value in request.headers}
    tokens = {token.strip() for token in headers.get(b"connection", b"").split(b",")}
    asked = b"upgrade" in tokens and headers.get(b"upgrade") == b"websocket"
    return asked and request.method == b"GET"


class HttpServer(TCPServer):
    """One connection, served to its end."""

    _client_left = False

    def __init__(self, takes: Takes, *args: Any) -> None:
        super().__init__(*args)
        self._takes = takes
        self._patience = trio.CancelScope()

    async def run(self) -> None:
        """Until either side is done."""
        sock = self.stream.socket
        try:
            client, server = sock.getpeername(), sock.getsockname()
            async with TaskGroup() as tasks:
                self._task_group = tasks
                protocol: Any = StrictProtocol(
                    self.app, self.config, self.context, tasks, ConnectionState(self.state),
                    False, client, server, self.protocol_send,
                )  # fmt: skip
                self.protocol = protocol
                cast("Any", tasks).spawn(self._end_when_idle)
                app: Any = self.app
                await self._read(
                    protocol,
                    ShortWay(app.app, self._takes, dict(self.state), client=client, server=server),
                )
                # What still answers has been told, and ends by itself; an idle wait would not.
                self._client_left = True
                self._patience.cancel()
        except OSError:
            return  # the client is gone
        finally:
            await self._close()

    async def _read(self, protocol: StrictProtocol, short: ShortWay) -> None:
        """Hand on what arrives until either side is done."""
        while True:
            try:
                data = bytes(await self.stream.receive_some(MAX_RECV))
            except (trio.ClosedResourceError, trio.BrokenResourceError):
                break
            request = short.request(data) if protocol.at_rest else None
            if request is None:
                await protocol.handle(RawData(data=data))
            elif not await self._answer(request, short):
                break
            if not data:
                break
        await protocol.handle(Closed())

    async def _answer(self, request: WholeRequest, short: ShortWay) -> bool:
        """By the short way; whether another request may follow."""
        await self.protocol_send(Updated(idle=False))
        response = await short.answer(request, self.config.response_headers("h11"))
        if response is None:
            return False
        await self._send(response)
        await self.protocol_send(Updated(idle=True))
        return not self.context.terminated.is_set()

    async def protocol_send(self, event: Event) -> None:
        """As in hypercorn, but cheaper; says too whether another may have the connection."""
        if isinstance(event, Updated):
            self._connection.idle_since = trio.current_time() if event.idle else None
            self._patience.deadline = self._idle_until()
        elif isinstance(event, RawData):
            await self._send(event.data)
        else:
            await super().protocol_send(event)

    async def _end_when_idle(self) -> None:
        """One wait per connection; hypercorn has one per request, a third of what it costs."""
        while not self._client_left:
            with trio.CancelScope(deadline=self._idle_until()) as self._patience:
                await self.context.terminated.wait()
                if self._connection.idle_since is None:
                    return  # hypercorn closes behind the last answer
            if not self._client_left and self._connection.idle_since is not None:
                with trio.CancelScope(shield=True):
                    await self._initiate_server_close()
                return

    def _idle_until(self) -> float:
        since = self._connection.idle_since
        return inf if since is None else since + self.config.keep_alive_timeout

    async def _send(self, data: bytes) -> None:
        """As in hypercorn, without its lock: the connection has one."""
        try:
            with trio.CancelScope(shield=True):
                await self._connection.send_all(data)
        except (trio.BrokenResourceError, trio.ClosedResourceError):
            await self.protocol.handle(Closed())

    @property
    def _connection(self) -> Connection:
        connection: Any = self.stream
        return connection
