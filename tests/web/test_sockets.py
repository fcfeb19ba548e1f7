"""WebSocket frames as they come over the wire, whatever a client does with them."""

import contextlib
from contextlib import asynccontextmanager

import pytest
import trio

from groupx.supervisor.listener import bind_port
from groupx.web import sockets
from groupx.web.http1 import MAX_SOCKET_MESSAGE_BYTES
from groupx.web.server import WebServer

TEXT, CONTINUED, CLOSE = 0x1, 0x0, 0x8


class App:
    """Accepts (except at /no) and echoes how many characters came."""

    def __init__(self):
        self.received = []

    async def __call__(self, scope, receive, send):
        assert (await receive())["type"] == "websocket.connect"
        if scope["path"] == "/no":
            await send({"type": "websocket.http.response.start", "status": 403, "headers": []})
            await send({"type": "websocket.http.response.body", "body": b"no"})
            return
        await trio.lowlevel.checkpoint()
        await send({"type": "websocket.accept"})
        while (message := await receive())["type"] == "websocket.receive":
            self.received.append(message["text"])
            await send({"type": "websocket.send", "text": str(len(message["text"]))})


@asynccontextmanager
async def serving(app):
    listening = bind_port("127.0.0.1", 0)
    server = WebServer(listening, app)
    port = listening.getsockname()[1]
    async with trio.open_nursery() as nursery:
        await nursery.start(server.run)
        async with await trio.open_tcp_stream("127.0.0.1", port) as stream:
            yield server, stream
        server.stop()


def upgrade(path="/", *headers):
    lines = [
        f"GET {path} HTTP/1.1", "Host: x", "Connection: keep-alive, Upgrade",
        "Upgrade: WebSocket", "Sec-WebSocket-Version: 13",
        "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==", *headers, "", "",
    ]  # fmt: skip
    return "\r\n".join(lines).encode()


def frame(opcode, payload, *, final=True):
    """Masked with zeros."""
    length = len(payload)
    head = bytes([0x80 * final | opcode])
    if length < 126:
        head += bytes([0x80 | length])
    else:
        head += bytes([0x80 | 126]) + length.to_bytes(2, "big")
    return head + bytes(4) + payload


async def read_until(stream, wanted):
    data = b""
    with trio.fail_after(5):
        while wanted not in data:
            piece = await stream.receive_some()
            assert piece, data
            data += piece
    return data


async def ended(stream):
    with trio.fail_after(5), contextlib.suppress(trio.BrokenResourceError):
        while await stream.receive_some():
            pass


@pytest.mark.parametrize("tail", [b"", frame(TEXT, b"second")])
async def test_frames_that_come_with_the_upgrade_wait_until_it_is_accepted(tail):
    app = App()
    async with serving(app) as (_, stream):
        await stream.send_all(upgrade() + frame(TEXT, b"first") + tail)
        assert b"101" in await read_until(stream, b"\x81\x015")
        assert app.received[0] == "first"


async def test_frames_that_come_with_a_refused_upgrade_are_dropped(caplog):
    async with serving(App()) as (_, stream):
        await stream.send_all(upgrade("/no") + frame(TEXT, b"first"))
        data = await read_until(stream, b"no")
        assert data.count(b"HTTP/1.1") == data.count(b" 403 ") == 1
        await ended(stream)
    assert not caplog.records


@pytest.mark.parametrize("letter", ["x", "\u20ac"])
async def test_a_message_is_bounded_over_all_its_fragments(letter, monkeypatch):
    monkeypatch.setattr(sockets, "REFUSED_SECONDS", 0.05)
    app = App()
    piece = (letter * 1000).encode()
    async with serving(app) as (_, stream):
        await stream.send_all(upgrade())
        await read_until(stream, b"\r\n\r\n")
        await stream.send_all(frame(TEXT, piece, final=False))
        for _ in range(MAX_SOCKET_MESSAGE_BYTES // len(piece)):
            await stream.send_all(frame(CONTINUED, piece, final=False))
        await read_until(stream, (1009).to_bytes(2, "big"))
        with contextlib.suppress(trio.BrokenResourceError):
            for _ in range(100):
                await stream.send_all(frame(CONTINUED, piece, final=False))
        await ended(stream)
    assert app.received == []


async def test_a_message_of_the_bound_is_taken_in_fragments():
    app = App()
    async with serving(app) as (_, stream):
        await stream.send_all(upgrade())
        await read_until(stream, b"\r\n\r\n")
        for start in range(0, MAX_SOCKET_MESSAGE_BYTES, 1024):
            final = start + 1024 == MAX_SOCKET_MESSAGE_BYTES
            await stream.send_all(frame(CONTINUED if start else TEXT, b"x" * 1024, final=final))
        await read_until(stream, str(MAX_SOCKET_MESSAGE_BYTES).encode())
    assert len(app.received[0]) == MAX_SOCKET_MESSAGE_BYTES


async def test_whoever_was_refused_and_closes_is_let_go_at_once():
    async with serving(App()) as (_, stream):
        await stream.send_all(upgrade())
        await read_until(stream, b"\r\n\r\n")
        await stream.send_all(frame(TEXT, b"", final=False))
        for _ in range(17):
            await stream.send_all(frame(CONTINUED, b"x" * 4096, final=False))
        await read_until(stream, (1009).to_bytes(2, "big"))
        await stream.send_all(frame(CLOSE, (1009).to_bytes(2, "big")))
        with trio.fail_after(sockets.REFUSED_SECONDS / 2):
            await ended(stream)


async def test_nothing_is_compressed():
    async with serving(App()) as (_, stream):
        await stream.send_all(upgrade("/", "Sec-WebSocket-Extensions: permessage-deflate"))
        head = await read_until(stream, b"\r\n\r\n")
        assert b" 101 " in head
        assert b"extensions" not in head.lower()
