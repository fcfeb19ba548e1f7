"""Who listens on a port: nobody, a stranger, another room, this one."""

import fcntl
import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest

from groupx.cli.client import NobodyListens, NotARuntime, RuntimeClient
from groupx.cli.place import Place
from groupx.cli.running import find_running, occupant, wait_until, written_port
from groupx.domain.paths import resolve_paths
from groupx.domain.runtime_keys import runtime_scope_key


class Listener(BaseHTTPRequestHandler):
    answer: bytes = b"{}"
    seen: list[tuple[str, str, dict[str, str], bytes]]

    def _serve(self) -> None:
        length = int(self.headers.get("Content-Length", 0))
        body = self.rfile.read(length)
        self.seen.append((self.command, self.path, dict(self.headers), body))
        self.send_response(200)
        self.send_header("Content-Length", str(len(self.answer)))
        self.end_headers()
        self.wfile.write(self.answer)

    do_GET = do_POST = _serve  # noqa: N815

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        pass


@pytest.fixture
def listener() -> Iterator[tuple[int, type[Listener]]]:
    handler = type("Own", (Listener,), {"seen": []})
    server = HTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield server.server_port, handler
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def health(scope: str) -> bytes:
    return json.dumps(
        {"service": "groupx", "protocol": "groupx.runtime/1", "runtimeScopeKey": scope}
    ).encode()


def free_port() -> int:
    import socket

    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]


def test_nobody():
    port = free_port()
    with pytest.raises(NobodyListens):
        RuntimeClient(port=port).get("/api/health")
    assert occupant(port, "mine") == ("free", {})


@pytest.mark.parametrize("answer", [b"<html>", b"[]", b"{}", b'{"service":"groupx"}', b"\xff"])
def test_a_stranger(answer: bytes, listener: tuple[int, type[Listener]]):
    port, handler = listener
    handler.answer = answer
    with pytest.raises(NotARuntime):
        RuntimeClient(port=port).health()
    assert occupant(port, "mine")[0] == "foreign"


def test_one_that_never_answers_is_a_stranger():
    import socket

    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        with pytest.raises(NotARuntime):
            RuntimeClient(port=silent.getsockname()[1], timeout_seconds=0.05).health()


def test_a_room_is_told_by_its_scope(listener: tuple[int, type[Listener]]):
    port, handler = listener
    handler.answer = health("mine")
    assert occupant(port, "mine")[0] == "same"
    assert occupant(port, "yours")[0] == "other"


def test_the_token_is_a_bearer_and_no_proxy_is_asked(
    listener: tuple[int, type[Listener]], monkeypatch: pytest.MonkeyPatch
):
    port, handler = listener
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:1")
    monkeypatch.setenv("ALL_PROXY", "http://127.0.0.1:1")
    client = RuntimeClient(port=port, token="s3cret")
    assert client.post("/api/x", {"a": 1}).status == 200
    ((method, path, headers, body),) = handler.seen
    assert (method, path, json.loads(body)) == ("POST", "/api/x", {"a": 1})
    assert headers["Authorization"] == "Bearer s3cret"
    assert headers["Host"] == f"127.0.0.1:{port}"
    assert "s3cret" not in repr(client)


def test_a_stranger_on_the_port_of_a_dead_runtime_is_never_given_the_token(
    listener: tuple[int, type[Listener]], tmp_path: Path
):
    port, handler = listener
    config = tmp_path / "groupx.json"
    place = Place(config_path=config, chosen_by="test")
    handler.answer = health(runtime_scope_key(str(config)))
    Path(place.paths().run).mkdir(parents=True)
    Path(place.paths().token).write_text("s3cret")
    Path(place.paths().runtime_file).write_text(json.dumps({"port": port}))
    assert find_running(place) is None
    assert handler.seen == []
    with open(place.paths().lock, "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        running = find_running(place)
    assert running is not None
    assert running.port == port
    assert all("Authorization" not in headers for _, _, headers, _ in handler.seen)


@pytest.mark.parametrize("content", ["", "[]", "{}", '{"port": "1"}', '{"port": 0}', "\x00"])
def test_a_damaged_runtime_file_is_no_port(content: str, tmp_path: Path):
    paths = resolve_paths(
        env={}, config_path=str(tmp_path / "groupx.json"), storage_path=None, channel="local"
    )
    assert written_port(paths) is None
    Path(paths.run).mkdir(parents=True)
    Path(paths.runtime_file).write_text(content)
    assert written_port(paths) is None


def test_waiting_is_bounded():
    assert wait_until(lambda: None, 0.01) is None
    answers = iter([None, 7])
    assert wait_until(lambda: next(answers), 1) == 7
