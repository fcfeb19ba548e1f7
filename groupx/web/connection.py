"""One accepted connection, as the HTTP server's stream: bounded sends, and it can be reset."""

import socket
import struct
from collections.abc import Callable, Generator
from contextlib import contextmanager

import trio

SEND_SECONDS = 30.0
"""A send that makes no progress for this long ends the connection."""
_SEND_BYTES = 64 * 1024
_RESET_ON_CLOSE = struct.pack("ii", 1, 0)


class Connection:
    """What hypercorn reads from and writes to.

    Hypercorn shields its sends, so neither a deadline around them nor a cancel from outside
    ends one whose client does not read; the bound has to be in here, and `reset` must work
    from any task.
    """

    def __init__(self, stream: trio.SocketStream, on_change: Callable[[], None]) -> None:
        self._stream = stream
        self._on_change = on_change
        self._sending = trio.Lock()
        self.streams = 0
        """How many long answers (SSE, WebSocket) it carries now."""
        self.idle_since: float | None = trio.current_time()
        """Since when no request is being answered, by trio's clock; None while one is."""

    @property
    def socket(self) -> trio.socket.SocketType:
        """The socket itself."""
        return self._stream.socket

    @contextmanager
    def streaming(self) -> Generator[None]:
        """Around a long answer."""
        self.streams += 1
        try:
            yield
        finally:
            self.streams -= 1
            self._on_change()

    def reset(self) -> None:
        """Close at once with RST: nothing more is sent, whoever waits in a send is released."""
        if self.socket.fileno() != -1:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET_ON_CLOSE)
            self.socket.close()

    async def send_all(self, data: bytes) -> None:
        """Send everything, as one piece whoever else sends.

        trio.BrokenResourceError when the client does not read.
        """
        view = memoryview(data)
        try:
            self._sending.acquire_nowait()
        except trio.WouldBlock:
            await self._sending.acquire()
        try:
            for start in range(0, len(view), _SEND_BYTES):
                with trio.move_on_after(SEND_SECONDS) as scope:
                    await self._stream.send_all(view[start : start + _SEND_BYTES])
                if scope.cancelled_caught:
                    self.reset()
                    raise trio.BrokenResourceError(
                        f"the client read nothing for {SEND_SECONDS:g} s"
                    )
        finally:
            self._sending.release()

    async def receive_some(self, max_bytes: int | None = None) -> bytes:
        """Some bytes; empty at the end."""
        return await self._stream.receive_some(max_bytes)

    async def send_eof(self) -> None:
        """No more bytes follow; whoever sends later gets trio.BrokenResourceError.

        trio.BusyResourceError while a send goes on, that only a reset ends.
        """
        try:
            self._sending.acquire_nowait()
        except trio.WouldBlock:
            raise trio.BusyResourceError("a send goes on") from None
        try:
            await self._stream.send_eof()
        finally:
            self._sending.release()

    async def aclose(self) -> None:
        """Close the socket."""
        await self._stream.aclose()
