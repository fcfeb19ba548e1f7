import socket
import struct
from contextlib import asynccontextmanager

import orjson
import pytest
import trio

from groupx.supervisor.listener import bind_port
from groupx.web import connection as connection_module
from groupx.web import http1 as http1_module
from groupx.web import server as server_module
from groupx.web.asgi import CONNECTION
from groupx.web.server import WebServer


class App:
    """/ok answers, /endless streams for ever as a stream, /big answers more than buffers take."""

    def __init__(self):
        self.started = trio.Event()
        self.ended = trio.Event()

    async def __call__(self, scope, receive, send):
        async def leave_with_the_client():
            while (await receive())["type"] != "http.disconnect":
                pass
            nursery.cancel_scope.cancel()

        self.started.set()
        try:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(leave_with_the_client)
                await getattr(self, scope["path"].strip("/"))(scope, send)
                nursery.cancel_scope.cancel()
        finally:
            self.ended.set()

    async def ok(self, scope, send):
        await self._start(send)
        await send({"type": "http.response.body", "body": b"fine"})

    async def whole(self, scope, send):
        await self._start(send, [(b"content-length", b"4")])
        await send({"type": "http.response.body", "body": b"fine"})

    async def broken(self, scope, send):
        raise RuntimeError("broken")

    async def endless(self, scope, send):
        with scope["state"][CONNECTION].streaming():
            await self._start(send)
            while True:
                await send({"type": "http.response.body", "body": b"x" * 65536, "more_body": True})
                await trio.lowlevel.checkpoint()

    async def silent(self, scope, send):
        with scope["state"][CONNECTION].streaming():
            await self._start(send)
            await send({"type": "http.response.body", "body": b"x", "more_body": True})
            await trio.sleep_forever()

    async def big(self, scope, send):
        await self._start(send)
        await send({"type": "http.response.body", "body": b"x" * 64 * 1024 * 1024})

    async def _start(self, send, headers=()):
        await send({"type": "http.response.start", "status": 200, "headers": list(headers)})


@asynccontextmanager
async def serving(app):
    listening = bind_port("127.0.0.1", 0)
    port = listening.getsockname()[1]
    server = WebServer(listening, app)
    server.ended = trio.Event()

    async def run(task_status):
        await server.run(task_status=task_status)
        server.ended.set()

    async with trio.open_nursery() as nursery:
        await nursery.start(run)
        try:
            yield server, port
        finally:
            server.stop()


async def send(port, request):
    stream = await trio.open_tcp_stream("127.0.0.1", port)
    await stream.send_all(request)
    return stream


def get(path, *headers):
    lines = [f"GET {path} HTTP/1.1", *(headers or ["Host: x"]), "", ""]
    return "\r\n".join(lines).encode()


async def read_response(stream):
    data = b""
    while b"\r\n\r\n" not in data:
        chunk = await stream.receive_some()
        assert chunk, data
        data += chunk
    head, _, body = data.partition(b"\r\n\r\n")
    lines = head.decode().split("\r\n")
    headers = dict(line.lower().split(": ", 1) for line in lines[1:])
    while (
        len(body) < int(headers["content-length"])
        if "content-length" in headers
        else not body.endswith(b"0\r\n\r\n")
    ):
        body += await stream.receive_some()
    return int(lines[0].split()[1]), headers, body


async def was_reset(stream):
    try:
        while await stream.receive_some():
            pass
    except trio.BrokenResourceError:
        return True
    return False


async def test_it_serves_and_tells_nothing_of_itself():
    async with serving(App()) as (_, port):
        stream = await send(port, get("/ok"))
        status, headers, body = await read_response(stream)
        assert (status, headers["transfer-encoding"]) == (200, "chunked")
        assert b"fine" in body
        assert "server" not in headers
        await stream.aclose()


@pytest.mark.parametrize(
    ("request_bytes", "status", "code"),
    [
        (b"GET /ok HTTP/1.1\r\n\r\n", 403, "FORBIDDEN_HOST"),
        (b"GET /ok HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n", 403, "FORBIDDEN_HOST"),
        (b"GARBAGE\r\n\r\n", 400, "INVALID_ENVELOPE"),
        (b"GET /ok HTTP/1.1\r\nHost: x\r\nA: " + b"a" * 20000, 431, "INVALID_ENVELOPE"),
        (b"GET /ok HTTP/1.1\r\nHost: x\r\nA: " + b"a" * 16384 + b"\r\n\r\n",
         431, "INVALID_ENVELOPE"),
        (b"GET /" + b"a" * 16384 + b" HTTP/1.1\r\nHost: x\r\n\r\n", 431, "INVALID_ENVELOPE"),
        (b"POST /ok HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab",
         400, "INVALID_ENVELOPE"),
    ],
    ids=["no host", "two hosts", "garbage", "headers", "whole headers", "target", "lengths"],
)  # fmt: skip
async def test_what_is_no_request_has_the_one_error_shape(request_bytes, status, code):
    async with serving(App()) as (_, port):
        stream = await send(port, request_bytes)
        found, headers, body = await read_response(stream)
        assert (found, orjson.loads(body)["error"]["code"]) == (status, code)
        assert headers["x-content-type-options"] == "nosniff"
        await stream.aclose()


async def test_http_1_0_is_answered_and_ended():
    async with serving(App()) as (_, port):
        stream = await send(port, b"GET /ok HTTP/1.0\r\nHost: x\r\n\r\n")
        said = b""
        with trio.fail_after(5):
            while piece := await stream.receive_some():
                said += piece
        assert b" 200 " in said
        assert said.endswith(b"fine")
        await stream.aclose()


async def test_an_upgrade_to_http2_is_ignored():
    async with serving(App()) as (_, port):
        stream = await send(
            port, get("/ok", "Host: x", "Connection: Upgrade", "Upgrade: h2c", "HTTP2-Settings: AA")
        )
        assert (await read_response(stream))[0] == 200
        await stream.aclose()


async def test_a_failing_app_ends_only_its_request():
    async with serving(App()) as (_, port):
        stream = await send(port, get("/broken"))
        assert (await read_response(stream))[0] == 500
        await stream.aclose()
        stream = await send(port, get("/ok"))
        assert (await read_response(stream))[0] == 200
        await stream.aclose()


async def test_a_connection_serves_many_requests():
    async with serving(App()) as (_, port):
        stream = await trio.open_tcp_stream("127.0.0.1", port)
        for _ in range(3):
            await stream.send_all(get("/ok"))
            assert (await read_response(stream))[0] == 200
        await stream.aclose()


async def test_an_answer_leaves_in_one_write(monkeypatch):
    written = []
    send_all = connection_module.Connection.send_all

    async def watched(self, data):
        written.append(bytes(data))
        await send_all(self, data)

    monkeypatch.setattr(connection_module.Connection, "send_all", watched)
    async with serving(App()) as (_, port):
        stream = await send(port, get("/whole"))
        assert (await read_response(stream))[0] == 200
        assert len(written) == 1
        assert written[0].startswith(b"HTTP/1.1 200")
        assert b"fine" in written[0]
        await stream.aclose()


async def closed(stream):
    while await stream.receive_some():
        pass


async def test_who_asks_nothing_for_long_is_let_go_and_who_waits_for_an_answer_is_not(monkeypatch):
    monkeypatch.setattr(http1_module, "IDLE_SECONDS", 0.05)
    app = App()
    async with serving(app) as (server, port):
        waiting = await send(port, get("/silent"))
        await app.started.wait()
        with trio.fail_after(5):
            silent = await trio.open_tcp_stream("127.0.0.1", port)
            await closed(silent)
            used = await send(port, get("/ok"))
            assert (await read_response(used))[0] == 200
            await closed(used)
            while len(server._connections) > 1:
                await trio.lowlevel.checkpoint()
        [left] = server._connections
        assert left.streams == 1
        for stream in (waiting, silent, used):
            await stream.aclose()


async def test_idle_connections_do_not_hold_up_the_stop():
    async with serving(App()) as (server, port):
        idle = await trio.open_tcp_stream("127.0.0.1", port)
        used = await send(port, get("/ok"))
        await read_response(used)
        with trio.fail_after(server_module.GRACE_SECONDS / 2):
            server.stop()
            await server.ended.wait()
        assert not await was_reset(idle)
        assert not await was_reset(used)
        await used.aclose()
        await idle.aclose()


async def test_the_port_is_free_after_the_stop():
    async with serving(App()) as (server, port):
        server.stop()
        await server.ended.wait()
        bind_port("127.0.0.1", port).close()


@pytest.mark.slow
@pytest.mark.parametrize("path", ["/endless", "/silent", "/big"])
async def test_a_client_that_does_not_read_cannot_hold_up_the_stop(path):
    app = App()
    async with serving(app) as (server, port):
        stream = await send(port, get(path))
        await app.started.wait()
        with trio.fail_after(5):
            server.stop()
            await server.ended.wait()
        assert app.ended.is_set()
        assert await was_reset(stream)
        await stream.aclose()


@pytest.mark.slow
async def test_ending_streams_leaves_the_port_and_other_answers_alone():
    app = App()
    async with serving(app) as (server, port):
        stalled = await send(port, get("/endless"))
        await app.started.wait()
        with trio.fail_after(5):
            await server.end_streams()
        await app.ended.wait()
        assert await was_reset(stalled)
        other = await send(port, get("/ok"))
        assert (await read_response(other))[0] == 200
        await stalled.aclose()
        await other.aclose()


async def test_without_streams_ending_them_takes_no_time():
    async with serving(App()) as (server, port):
        stream = await send(port, get("/ok"))
        await read_response(stream)
        with trio.fail_after(server_module.GRACE_SECONDS / 2):
            await server.end_streams()
        await stream.aclose()


@pytest.mark.slow
async def test_a_cancelled_server_does_not_wait_for_a_blocked_send():
    app = App()
    listening = bind_port("127.0.0.1", 0)
    port = listening.getsockname()[1]
    with trio.fail_after(5):
        async with trio.open_nursery() as nursery:
            await nursery.start(WebServer(listening, app).run)
            stream = await send(port, get("/endless"))
            await app.started.wait()
            nursery.cancel_scope.cancel()
    assert await was_reset(stream)
    await stream.aclose()


async def test_a_blocked_send_ends_its_connection(monkeypatch):
    monkeypatch.setattr(connection_module, "SEND_SECONDS", 0.05)
    app = App()
    async with serving(app) as (_, port):
        stream = await send(port, get("/endless"))
        with trio.fail_after(5):
            await app.ended.wait()
        assert await was_reset(stream)
        await stream.aclose()


async def test_too_many_busy_connections_are_turned_away(monkeypatch):
    monkeypatch.setattr(server_module, "MAX_CONNECTIONS", 1)
    async with serving(App()) as (_, port):
        first = await send(port, get("/silent"))
        await first.receive_some()
        second = await trio.open_tcp_stream("127.0.0.1", port)
        assert await was_reset(second)
        await first.aclose()
        await second.aclose()


async def test_an_idle_connection_makes_room_for_a_new_one(monkeypatch):
    monkeypatch.setattr(server_module, "MAX_CONNECTIONS", 2)
    async with serving(App()) as (server, port):
        stream = await send(port, get("/silent"))
        await stream.receive_some()
        oldest = await send(port, get("/ok"))
        await read_response(oldest)
        newest = await send(port, get("/ok"))
        assert (await read_response(newest))[0] == 200
        assert await was_reset(oldest)
        assert server.connections == 2
        for one in (stream, oldest, newest):
            await one.aclose()


async def gone(server):
    with trio.fail_after(5):
        while server.connections:
            await trio.lowlevel.checkpoint()


@pytest.mark.parametrize("request_bytes", [b"", get("/ok"), get("/ok")[:20]])
async def test_a_client_that_closes_is_let_go_at_once(request_bytes):
    async with serving(App()) as (server, port):
        stream = await send(port, request_bytes)
        if request_bytes == get("/ok"):
            await read_response(stream)
        await stream.send_eof()
        with trio.fail_after(5):
            while await stream.receive_some():
                pass
        await gone(server)
        await stream.aclose()


@pytest.mark.slow
async def test_thousands_that_connect_and_close_lock_nobody_out():
    async with serving(App()) as (server, port):
        for _ in range(2_000):
            await (await trio.open_tcp_stream("127.0.0.1", port)).aclose()
        with trio.fail_after(2):
            stream = await send(port, get("/ok"))
            assert (await read_response(stream))[0] == 200
        await stream.aclose()
        await gone(server)


@pytest.mark.slow
async def test_idle_connections_over_the_limit_lock_nobody_out(monkeypatch):
    monkeypatch.setattr(server_module, "MAX_CONNECTIONS", 100)
    async with serving(App()) as (server, port):
        held = [await trio.open_tcp_stream("127.0.0.1", port) for _ in range(200)]
        with trio.fail_after(2):
            stream = await send(port, get("/ok"))
            assert (await read_response(stream))[0] == 200
        for one in (*held, stream):
            await one.aclose()
        await gone(server)


async def test_clients_that_vanish_leave_nothing_behind():
    app = App()
    async with serving(app) as (server, port):
        stream = await send(port, get("/silent"))
        await app.started.wait()
        stream.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        await stream.aclose()
        with trio.fail_after(5):
            server.stop()
            await server.ended.wait()
