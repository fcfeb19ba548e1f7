"""The demo agent's own way to the room's tools, against servers that answer oddly."""

import http.server
import json
import threading

import pytest

from groupx.demo_agent.room_tools import RoomTools, ToolRefused
from groupx.demo_agent.wire import Cancel, CancelledByClient

OPENED = json.dumps({"jsonrpc": "2.0", "id": 1, "result": {}})


def result(text, **fields):
    answer = {"content": [{"type": "text", "text": text}], **fields}
    return json.dumps({"jsonrpc": "2.0", "id": 2, "result": answer})


@pytest.fixture
def serve():
    """A server whose answers are given, in their order; None = it is silent until the end."""
    servers, over = [], threading.Event()

    def start(*answers):
        left = list(answers)

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                self.rfile.read(int(self.headers["content-length"]))
                answer = left.pop(0)
                if answer is None:
                    asked.set()
                    over.wait(10)
                    return
                self.send_response(200)
                self.send_header("content-type", "application/json")
                self.end_headers()
                self.wfile.write(answer.encode())

            def log_message(self, *_):
                pass

        asked = threading.Event()
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        servers.append(server)
        return RoomTools(f"http://127.0.0.1:{server.server_port}/mcp", {}), asked

    yield start
    over.set()
    for server in servers:
        server.shutdown()
        server.server_close()


@pytest.mark.parametrize(
    ("answer", "told"),
    [(result('{"a": 1}'), {"a": 1}), (result("plain words"), {"text": "plain words"})],
)
def test_what_a_tool_answers(serve, answer, told):
    tools, _ = serve(OPENED, "", answer)
    assert tools.call("read", Cancel()) == told


@pytest.mark.parametrize(
    ("answer", "code"),
    [
        (result('{"error": {"code": "NOT_FOUND", "message": "no"}}', isError=True), "NOT_FOUND"),
        (result("plain words", isError=True), "UNKNOWN"),
        ('{"jsonrpc": "2.0", "id": 2, "error": {}}', "MCP_UNAVAILABLE"),
        ('{"jsonrpc": "2.0", "id": 2, "result": {"content": []}}', "MCP_UNAVAILABLE"),
        ("no JSON", "MCP_UNAVAILABLE"),
        ("", "MCP_UNAVAILABLE"),
    ],
)
def test_what_is_no_answer_is_said(serve, answer, code):
    tools, _ = serve(OPENED, "", answer)
    with pytest.raises(ToolRefused) as refused:
        tools.call("read", Cancel())
    assert refused.value.code == code


def test_nobody_is_there(serve):
    with pytest.raises(ToolRefused):
        RoomTools("http://127.0.0.1:9/mcp", {}).call("read", Cancel())


def test_a_cancel_ends_a_call_that_waits(serve):
    tools, asked = serve(OPENED, "", None)
    cancel = Cancel()
    stopper = threading.Thread(target=lambda: (asked.wait(10), cancel.set()))
    stopper.start()
    with pytest.raises(CancelledByClient):
        tools.call("ask", cancel)
    stopper.join()
