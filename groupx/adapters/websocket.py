"""A program that GroupX does not start: JSON messages as text frames of a WebSocket."""

from collections.abc import Awaitable, Callable, Sequence
from typing import TypeVar

import trio
from trio_websocket import (
    ConnectionClosed,
    ConnectionRejected,
    HandshakeError,
    WebSocketConnection,
    wrap_client_stream,
)

from groupx.adapters.contract import AdapterStartError
from groupx.domain.addresses import LOOPBACK, SocketAddress
from groupx.domain.errors import ErrorCode
from groupx.process.child import ChildGone
from groupx.process.framing import MAX_LINE_BYTES, Line, LineTooLong
from groupx.process.hiding import Secrets

WRITE_SECONDS = 30.0
RECEIVE_BYTES = 64 * 1024
TOO_BIG = 1009
"""The closing code for a message over the bound."""
LISTEN = "Start the program that is to listen there, or name a program in `command`."
"""What to do when nobody is there who can be spoken to."""

NO_SERVER = "did not answer as a WebSocket server"

T = TypeVar("T")


class WebSocketDuplex:
    """A `Duplex`. Closing it ends the connection; the program behind it goes on."""

    returncode = None

    def __init__(
        self, connection: WebSocketConnection, address: SocketAddress, secrets: Sequence[str] = ()
    ) -> None:
        self.argv = (address.text,)
        self.exited = trio.Event()
        """Set once the connection is lost or closed."""
        self._connection = connection
        self._secrets = Secrets(secrets)
        self._using = trio.CancelScope()
        """What reads now; cancelled when the connection is given up."""
        self._parting = trio.CancelScope()

    async def write(self, data: bytes) -> None:
        """One text frame. Raises ChildGone, also when it was not taken within the bound."""
        if self.exited.is_set():
            raise ChildGone
        sent = False
        try:
            with trio.move_on_after(WRITE_SECONDS):
                await self._connection.send_message(data.removesuffix(b"\n").decode())
                sent = True
        except ConnectionClosed:
            self.exited.set()
        finally:
            if not sent:  # a partly written frame makes the connection unusable
                self.kill_tree()
        if not sent:
            raise ChildGone

    async def next_line(self) -> Line | None:
        """The next message, without our secrets; None = the connection is gone."""
        if self.exited.is_set():
            return None
        try:
            with trio.CancelScope() as self._using:
                message = await self._connection.get_message()
                said = message.encode() if isinstance(message, str) else bytes(message)
                return self._secrets.hidden(said)
        except ConnectionClosed as closed:
            self.exited.set()
            if closed.reason is not None and closed.reason.code == TOO_BIG:
                return LineTooLong(MAX_LINE_BYTES + 1)
        return None

    def stderr_excerpt(self, max_chars: int) -> str:
        """Nothing: it goes where the program was started."""
        return ""

    async def stop(self, grace_seconds: float) -> None:
        """Say goodbye, and wait so long for the answer."""
        if self.exited.is_set():
            await trio.lowlevel.checkpoint()
            return
        with trio.move_on_after(grace_seconds) as self._parting:
            await self._connection.aclose()
        self.kill_tree()

    def kill_tree(self) -> None:
        """Give up the connection now."""
        self.exited.set()
        self._using.cancel()

    def release(self) -> None:
        """Nobody reads any more: nothing is to be waited for."""
        self.kill_tree()
        self._parting.cancel()


async def with_websocket(
    address: SocketAddress,
    seconds: float,
    use: Callable[[WebSocketDuplex], Awaitable[T]],
    *,
    secrets: Sequence[str] = (),
) -> T:
    """What `use` returns, given a connection that is dropped after it.

    Raises AdapterStartError when nobody answers there within `seconds`, or not as a WebSocket
    server; and what `use` raises.
    """
    failure: Exception | None = None
    result: list[T] = []
    greeted = False
    stream = await _reach(address, seconds)
    try:
        async with trio.open_nursery() as nursery:
            try:
                connection = await _greet(nursery, stream, address, seconds)
                greeted = True
                duplex = WebSocketDuplex(connection, address, secrets)
                try:
                    result.append(await use(duplex))
                finally:
                    duplex.release()
            except Exception as error:
                failure = error  # raised outside, as itself
            nursery.cancel_scope.cancel()
    except* HandshakeError as refusals:
        failure = _unreachable(address, _refusal(refusals.exceptions[0]))
    except* Exception:  # what was said there confused the reader of WebSockets
        if greeted:
            raise
        failure = _unreachable(address, NO_SERVER)
    finally:
        with trio.CancelScope(shield=True):
            await trio.aclose_forcefully(stream)
    if failure is not None:
        raise failure
    return result[0]


async def _reach(address: SocketAddress, seconds: float) -> trio.SocketStream:
    try:
        with trio.fail_after(seconds):
            if address.socket_path is not None:
                return await trio.open_unix_socket(address.socket_path)
            assert address.port is not None
            return await trio.open_tcp_stream(LOOPBACK, address.port)
    except (OSError, trio.TooSlowError) as error:
        why = "did not answer in time" if isinstance(error, trio.TooSlowError) else str(error)
        raise _unreachable(address, f"could not be reached ({why})") from error


async def _greet(
    nursery: trio.Nursery, stream: trio.SocketStream, address: SocketAddress, seconds: float
) -> WebSocketConnection:
    with trio.move_on_after(seconds):
        return await wrap_client_stream(
            nursery,
            stream,
            address.host,
            address.resource,
            max_message_size=MAX_LINE_BYTES,
            receive_buffer_size=RECEIVE_BYTES,
        )
    raise _unreachable(address, NO_SERVER)


def _refusal(error: BaseException) -> str:
    if isinstance(error, ConnectionRejected):
        return f"{NO_SERVER}, but with HTTP status {error.status_code}"
    return NO_SERVER


def _unreachable(address: SocketAddress, what: str) -> AdapterStartError:
    return AdapterStartError(
        ErrorCode.ADAPTER_START_FAILED,
        f"{address.text} {what}. Nothing was sent to it. {LISTEN}",
    )
