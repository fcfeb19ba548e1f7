"""One keep-alive HTTP/1.1 connection to the daemon, as lean as a client can be."""

import json
from typing import Any

import trio


class Connection:
    """Sends one request at a time; reads answers that carry Content-Length."""

    def __init__(self, stream: trio.SocketStream, port: int, token: str) -> None:
        self._stream = stream
        self._head = f"Host: 127.0.0.1:{port}\r\nAuthorization: Bearer {token}\r\n"
        self._buffer = bytearray()

    @classmethod
    async def open(cls, port: int, token: str) -> "Connection":
        """Connect to 127.0.0.1."""
        return cls(await trio.open_tcp_stream("127.0.0.1", port), port, token)

    async def post(self, path: str, body: dict[str, Any]) -> tuple[int, Any]:
        """Status and JSON of a POST."""
        data = json.dumps(body).encode()
        head = (
            f"POST {path} HTTP/1.1\r\n{self._head}Content-Type: application/json\r\n"
            f"Content-Length: {len(data)}\r\n\r\n"
        )
        await self._stream.send_all(head.encode() + data)
        return await self._answer()

    async def get(self, path: str) -> tuple[int, Any]:
        """Status and JSON of a GET."""
        await self._stream.send_all(f"GET {path} HTTP/1.1\r\n{self._head}\r\n".encode())
        return await self._answer()

    async def _answer(self) -> tuple[int, Any]:
        while (end := self._buffer.find(b"\r\n\r\n")) < 0:
            await self._more()
        head = bytes(self._buffer[:end]).decode("ascii").lower().split("\r\n")
        status = int(head[0].split()[1])
        length = next(int(line[15:]) for line in head if line.startswith("content-length:"))
        while len(self._buffer) < end + 4 + length:
            await self._more()
        body = bytes(self._buffer[end + 4 : end + 4 + length])
        del self._buffer[: end + 4 + length]
        return status, json.loads(body)

    async def _more(self) -> None:
        data = await self._stream.receive_some(65536)
        if not data:
            raise ConnectionError("the daemon closed the connection")
        self._buffer += data

    async def aclose(self) -> None:
        """Hang up."""
        await self._stream.aclose()


class EventStream:
    """The SSE stream, read as envelopes."""

    def __init__(self, stream: trio.SocketStream) -> None:
        self._stream = stream
        self._buffer = bytearray()

    @classmethod
    async def open(cls, port: int, token: str) -> "EventStream":
        """Subscribe from now on; returns once the daemon has answered."""
        stream = await trio.open_tcp_stream("127.0.0.1", port)
        request = (
            f"GET /api/events HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n"
            f"Authorization: Bearer {token}\r\nAccept: text/event-stream\r\n\r\n"
        )
        await stream.send_all(request.encode())
        self = cls(stream)
        while b"\r\n\r\n" not in self._buffer:
            self._buffer += await stream.receive_some(65536)
        return self

    async def next_event(self) -> dict[str, Any]:
        """The next event of any kind."""
        while True:
            line_end = self._buffer.find(b"\n")
            if line_end < 0:
                data = await self._stream.receive_some(65536)
                if not data:
                    raise ConnectionError("the stream ended")
                self._buffer += data
                continue
            line = bytes(self._buffer[:line_end])
            del self._buffer[: line_end + 1]
            if line.startswith(b"data:"):
                event: dict[str, Any] = json.loads(line[5:])
                return event

    async def next_of(self, event_type: str, turn_id: str) -> dict[str, Any]:
        """The next event of this type and turn; others are skipped."""
        while True:
            event = await self.next_event()
            if event["type"] == event_type and event["body"].get("turnId") == turn_id:
                return event

    async def aclose(self) -> None:
        """Hang up."""
        await self._stream.aclose()
