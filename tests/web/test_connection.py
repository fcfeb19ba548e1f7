"""One socket, whoever sends on it."""

import pytest
import trio
import trio.testing

from groupx.web.connection import Connection


class SlowStream:
    """Its steps are as busy as trio's own, and end when the test says so."""

    def __init__(self, sock: trio.socket.SocketType) -> None:
        self._stream = trio.SocketStream(sock)
        self.aclose = self._stream.aclose
        self.go = trio.Event()
        self._one = trio.CapacityLimiter(1)

    async def _alone(self) -> None:
        if self._one.available_tokens == 0:
            raise trio.BusyResourceError("another task is currently sending")
        async with self._one:
            await self.go.wait()

    async def send_eof(self) -> None:
        await self._alone()
        await self._stream.send_eof()

    async def send_all(self, data: bytes | bytearray | memoryview) -> None:
        await self._alone()
        await self._stream.send_all(data)


def opened() -> tuple[Connection, SlowStream, trio.socket.SocketType]:
    ours, theirs = trio.socket.socketpair()
    stream = SlowStream(ours)
    return Connection(stream, lambda: None), stream, theirs


async def test_who_sends_while_the_connection_ends_is_told_that_it_is_closed():
    connection, stream, theirs = opened()
    with theirs:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(connection.send_eof)
            await trio.testing.wait_all_tasks_blocked()

            async def late() -> None:
                with pytest.raises(trio.ClosedResourceError):
                    await connection.send_all(b"too late")

            nursery.start_soon(late)
            await trio.testing.wait_all_tasks_blocked()
            stream.go.set()
        assert await theirs.recv(100) == b""
        await connection.aclose()


async def test_an_end_in_the_middle_of_a_send_does_not_wait_for_it():
    connection, stream, theirs = opened()
    with theirs:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(connection.send_all, b"whole")
            await trio.testing.wait_all_tasks_blocked()
            with pytest.raises(trio.BusyResourceError):
                await connection.send_eof()
            stream.go.set()
        assert await theirs.recv(100) == b"whole"
        await connection.aclose()
