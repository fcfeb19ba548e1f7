"""Streams that only count: as cheap as a client can be, so that the daemon is what is measured."""

import base64
import json
import os

import trio

TURN_ENDED = b'"type":"turn.completed"'


class CountingStream:
    """Reads everything that is sent to it and counts the turns whose end it was told."""

    def __init__(self, stream: trio.SocketStream) -> None:
        self._stream = stream
        self._tail = b""
        self.ended = 0

    async def read(self) -> None:
        """Until the daemon ends the stream, or the caller is cancelled; then it is closed."""
        async with self._stream:
            while data := await self._stream.receive_some(65536):
                self._take(data)

    def _take(self, data: bytes) -> None:
        seen = self._tail + data
        self.ended += seen.count(TURN_ENDED)
        self._tail = seen[-len(TURN_ENDED) + 1 :]

    async def answered(self, head: bytes) -> None:
        """Send a request and read the head of its answer."""
        await self._stream.send_all(head)
        seen = b""
        while b"\r\n\r\n" not in seen:
            data = await self._stream.receive_some(65536)
            assert data, f"the daemon hung up: {seen!r}"
            seen += data
        status = seen.split(b" ", 2)[1]
        assert status in (b"200", b"101"), seen
        self._take(seen.partition(b"\r\n\r\n")[2])

    async def send(self, data: bytes) -> None:
        """Bytes as they are."""
        await self._stream.send_all(data)


async def open_sse(port: int, token: str) -> CountingStream:
    """Server-Sent Events from now on."""
    stream = CountingStream(await trio.open_tcp_stream("127.0.0.1", port))
    await stream.answered(_head("/api/events", port, token, "Accept: text/event-stream"))
    return stream


async def open_websocket(port: int, token: str) -> CountingStream:
    """A WebSocket that subscribes from now on."""
    stream = CountingStream(await trio.open_tcp_stream("127.0.0.1", port))
    key = base64.b64encode(os.urandom(16)).decode()
    upgrade = (
        f"Upgrade: websocket\r\nConnection: Upgrade\r\n"
        f"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: {key}"
    )
    await stream.answered(_head("/api/ws", port, token, upgrade))
    text = json.dumps({"subscribe": {"roomId": "room:main"}}).encode()
    assert len(text) < 126
    await stream.send(bytes([0x81, 0x80 | len(text), 0, 0, 0, 0]) + text)  # masked with zeros
    return stream


def _head(path: str, port: int, token: str, more: str) -> bytes:
    return (
        f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nAuthorization: Bearer {token}\r\n"
        f"{more}\r\n\r\n"
    ).encode()
