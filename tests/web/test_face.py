"""The whole face over real connections: what only shows on the wire."""

import socket
import ssl

import attrs
import httpx
import orjson
import pytest
import trio
import trio.testing

from groupx.domain.limits import MAX_REQUEST_BYTES
from groupx.supervisor.listener import bind_port
from groupx.web import asgi
from groupx.web.app import create_guards, open_room
from groupx.web.server import WebServer


@attrs.frozen
class Face:
    port: int
    bearer: str
    server: WebServer
    ended: trio.Event
    guards: object

    def head(self, method, target, *headers):
        lines = [
            f"{method} {target} HTTP/1.1",
            f"Host: 127.0.0.1:{self.port}",
            f"Authorization: Bearer {self.bearer}",
            *headers,
            "",
            "",
        ]
        return "\r\n".join(lines).encode()

    async def connect(self):
        return await trio.open_tcp_stream("127.0.0.1", self.port)


@pytest.fixture
async def face(entrance, services, bearer, nursery):
    listening = bind_port("127.0.0.1", 0)
    port = listening.getsockname()[1]
    facts = attrs.evolve(entrance.facts, port=port)
    guards = create_guards(attrs.evolve(entrance, facts=facts))
    server = WebServer(listening, guards)
    ended = trio.Event()

    async def run(task_status):
        await server.run(task_status=task_status)
        ended.set()

    await nursery.start(run)
    open_room(guards, attrs.evolve(services, facts=facts))
    yield Face(port, bearer, server, ended, guards)
    server.stop()
    await ended.wait()


async def read_all(stream):
    data = b""
    with trio.fail_after(10):
        while chunk := await stream.receive_some():
            data += chunk
    return data


async def all_gone(face):
    with trio.fail_after(5):
        while face.server._connections:
            await trio.testing.wait_all_tasks_blocked(0.01)


async def read_response(stream):
    data = b""
    with trio.fail_after(10):
        while b"\r\n\r\n" not in data:
            data += await stream.receive_some()
        head, _, body = data.partition(b"\r\n\r\n")
        lines = head.decode("latin-1").lower().split("\r\n")
        headers = dict(line.split(": ", 1) for line in lines[1:])
        while len(body) < int(headers["content-length"]):
            body += await stream.receive_some()
    return int(lines[0].split()[1]), headers, body


@pytest.mark.parametrize(
    "host_lines",
    [
        [],
        ["Host: 127.0.0.1:{port}", "Host: 127.0.0.1:{port}"],
        ["Host: 127.0.0.1:{port}", "Host: evil.example"],
        ["Host: localhost.evil.example:{port}"],
        ["Host: 127.0.0.1.nip.io:{port}"],
        ["Host: localhost.:{port}"],
        ["Host: user@127.0.0.1:{port}"],
        ["Host: 127.0.0.1"],
        ["Host: 127.0.0.1:1"],
        ["Host:"],
    ],
    ids=str,
)
@pytest.mark.parametrize("target", ["/api/health", "/static/app.js", "/nothing"])
async def test_hosts(face, host_lines, target):
    lines = [f"GET {target} HTTP/1.1", *(line.format(port=face.port) for line in host_lines)]
    async with await face.connect() as stream:
        await stream.send_all("\r\n".join([*lines, "", ""]).encode())
        status, headers, body = await read_response(stream)
    assert (status, orjson.loads(body)["error"]["code"]) == (403, "FORBIDDEN_HOST")
    assert headers["content-security-policy"]


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "[::1]"])
async def test_our_hosts(face, host):
    async with await face.connect() as stream:
        await stream.send_all(
            f"GET /api/health HTTP/1.1\r\nHost: {host}:{face.port}\r\n\r\n".encode()
        )
        assert (await read_response(stream))[0] == 200


async def test_http_1_0_without_a_host(face):
    async with await face.connect() as stream:
        await stream.send_all(b"GET /api/health HTTP/1.0\r\n\r\n")
        assert (await read_response(stream))[0] == 403


async def test_a_target_with_a_host_of_its_own(face):
    async with await face.connect() as stream:
        await stream.send_all(face.head("GET", "http://evil.example/api/bootstrap"))
        assert (await read_response(stream))[0] == 404


async def test_http_2_is_not_spoken(face):
    async with await face.connect() as stream:
        await stream.send_all(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")
        assert (await read_response(stream))[0] == 403


async def test_tls_is_not_spoken(face):
    def handshake():
        with socket.create_connection(("127.0.0.1", face.port)) as plain:
            context = ssl.create_default_context()
            with pytest.raises((ssl.SSLError, OSError)):
                context.wrap_socket(plain, server_hostname="localhost")

    await trio.to_thread.run_sync(handshake)


async def test_one_connection_many_answers(face):
    async with await face.connect() as stream:
        body = orjson.dumps({"clientCommandId": "c", "to": ["agent:a"], "content": "hi"})
        length = f"Content-Length: {len(body)}"
        for _ in range(3):
            await stream.send_all(face.head("GET", "/api/health"))
            assert (await read_response(stream))[0] == 200
            await stream.send_all(
                face.head("POST", "/api/messages", "Content-Type: application/json", length) + body
            )
            assert (await read_response(stream))[0] == 202
            await stream.send_all(
                face.head("POST", "/api/nothing", "Content-Type: application/json", length) + body
            )
            assert (await read_response(stream))[0] == 404


@pytest.mark.parametrize("sends", ["all", "little"])
@pytest.mark.parametrize("framing", ["length", "chunked"])
async def test_a_refusal_reaches_a_client_that_is_still_sending(face, sends, framing, nursery):
    """Even if it sends 3 MiB before it reads; and whoever stops sending is not waited for."""
    size = 3 * MAX_REQUEST_BYTES // 2
    how = "Transfer-Encoding: chunked" if framing == "chunked" else f"Content-Length: {size}"
    content = b" " * (size if sends == "all" else 1000)
    if framing == "chunked":
        content = b"%x\r\n%b\r\n" % (len(content), content) + (b"0\r\n\r\n" * (sends == "all"))
    async with await face.connect() as stream:
        await stream.send_all(
            face.head("POST", "/api/messages", "Content-Type: application/json", how)
        )
        if framing == "chunked" and sends == "little":
            content += b"z\r\n"  # no chunk begins like this
            await stream.send_all(content)
            assert (await read_response(stream))[0] == 400
            return
        await stream.send_all(content)
        status, _, body = await read_response(stream)
    assert (status, orjson.loads(body)["error"]["code"]) == (413, "MESSAGE_TOO_LARGE")


@pytest.mark.slow
async def test_a_refused_client_that_never_stops_is_cut_off(face):
    async def send_for_ever(stream):
        chunk = b"10000\r\n" + b" " * 65536 + b"\r\n"
        while True:
            await stream.send_all(chunk)

    async with await face.connect() as stream:
        await stream.send_all(face.head("POST", "/api/nothing", "Transfer-Encoding: chunked"))
        with trio.fail_after(10), pytest.raises(trio.BrokenResourceError):
            await send_for_ever(stream)
    await all_gone(face)


async def test_a_body_that_does_not_come(face, monkeypatch):
    monkeypatch.setattr(asgi, "BODY_SECONDS", 0.05)
    monkeypatch.setattr(asgi, "_DRAIN_SECONDS", 0.05)
    async with await face.connect() as stream:
        await stream.send_all(
            face.head("POST", "/api/messages", "Content-Type: application/json",
                      "Content-Length: 10") + b"{"
        )  # fmt: skip
        status, _, body = await read_response(stream)
        assert (status, orjson.loads(body)["error"]["code"]) == (400, "INVALID_ENVELOPE")
        with pytest.raises(trio.BrokenResourceError):
            await read_all(stream)


async def test_a_client_that_leaves_in_the_middle(face, broker):
    async with await face.connect() as stream:
        await stream.send_all(
            face.head("POST", "/api/messages", "Content-Type: application/json",
                      "Content-Length: 10") + b"{"
        )  # fmt: skip
    await all_gone(face)
    assert broker.asked == []


@pytest.mark.parametrize(
    ("changes", "status"),
    [
        ({"Authorization": "Bearer wrong"}, 401),
        ({"Authorization": ""}, 401),
        ({"Origin": "http://evil.example"}, 403),
        ({"Origin": "null"}, 403),
        ({"Sec-Fetch-Site": "cross-site"}, 403),
    ],
)
async def test_a_websocket_is_refused_before_it_is_accepted(face, changes, status):
    headers = {
        "Host": f"127.0.0.1:{face.port}",
        "Authorization": f"Bearer {face.bearer}",
        "Connection": "Upgrade",
        "Upgrade": "websocket",
        "Sec-WebSocket-Version": "13",
        "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
        **changes,
    }
    lines = ["GET /api/ws HTTP/1.1", *(f"{name}: {value}" for name, value in headers.items())]
    async with await face.connect() as stream:
        await stream.send_all("\r\n".join([*lines, "", ""]).encode())
        found, _, body = await read_response(stream)
    assert found == status
    assert "error" in orjson.loads(body)


async def test_the_browsers_way_in(face):
    base = f"http://127.0.0.1:{face.port}"
    async with httpx.AsyncClient(base_url=base) as browser, httpx.AsyncClient(base_url=base) as cli:
        assert (await browser.get("/api/bootstrap")).status_code == 401
        assert "groupx_" not in (await browser.get("/")).text
        answer = await cli.post(
            "/api/login-codes", json={}, headers={"authorization": f"Bearer {face.bearer}"}
        )
        code = answer.json()["code"]
        response = await browser.get(f"/login?code={code}")
        assert (response.status_code, response.headers["location"]) == (303, "/")
        assert face.bearer not in str(response.headers)
        response = await browser.post(
            "/api/messages", json={"clientCommandId": "c", "to": ["a"], "content": "hi"}
        )
        assert response.status_code == 202


async def test_an_answered_connection_does_not_hold_up_the_stop(face):
    async with await face.connect() as stream:
        await stream.send_all(face.head("GET", "/api/health"))
        await read_response(stream)
        with trio.fail_after(0.5):
            face.server.stop()
            await face.ended.wait()
        assert await read_all(stream) == b""
