"""An MCP server on loopback with two harmless tools, which keeps what it was asked."""

import json
import secrets
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self, cast

Json = dict[str, Any]

TOOL = "post"
PUBLISH = "publish"
"""As in a room, for the demo agents, which know no other words."""
SERVER_NAME = "groupx"
_TOOLS: list[Json] = [
    {
        "name": name,
        "description": f"{name.capitalize()} a message to the room",
        "inputSchema": {
            "type": "object",
            "properties": {argument: {"type": "string"}},
            "required": [argument],
        },
    }
    for name, argument in ((TOOL, "text"), (PUBLISH, "content"))
]
MAX_BODY_BYTES = 1024 * 1024
MAX_CALLS = 1000


class McpProbe:
    """The server; use as a context manager. It refuses whoever has not the bearer."""

    def __init__(self, bearer: str | None = None) -> None:
        self.bearer = bearer or secrets.token_urlsafe(24)
        self.calls: list[Json] = []
        """The params of every tools/call."""
        self.methods: list[str] = []
        """What was asked with the right bearer."""
        self.refused = 0
        """How often somebody came without it."""
        self.listed = threading.Event()
        """Set once the tools were asked for."""
        self._server = _Server(self)

    @property
    def url(self) -> str:
        """Where a program finds it."""
        return f"http://127.0.0.1:{self._server.server_address[1]}/mcp"

    def __enter__(self) -> Self:
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()

    def result(self, method: str, params: Json) -> Json | None:
        """The answer to one request; None when there is no such method."""
        if len(self.methods) < MAX_CALLS:
            self.methods.append(method)
        match method:
            case "initialize":
                return {
                    "protocolVersion": params.get("protocolVersion"),
                    "capabilities": {"tools": {}},
                    "serverInfo": {"name": "groupx-probe", "version": "1"},
                }
            case "tools/list":
                self.listed.set()
                return {"tools": _TOOLS}
            case "tools/call":
                if len(self.calls) < MAX_CALLS:
                    self.calls.append(params)
                said = {"type": "text", "text": _answer_to(params)}
                return {"content": [said], "isError": False}
            case "ping":
                return {}
            case _:
                return None


def _answer_to(call: Json) -> str:
    """A room's own tools answer in JSON."""
    if call.get("name") == PUBLISH:
        return json.dumps({"messageEventId": "evt_probe"})
    arguments = cast("Json", call.get("arguments") or {})
    return f"posted {arguments.get('text')}"


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, probe: McpProbe) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.probe = probe

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that goes away in the middle is nobody's fault."""
        if not isinstance(sys.exception(), OSError):
            super().handle_error(request, client_address)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = 60

    @property
    def _probe(self) -> McpProbe:
        return cast("_Server", self.server).probe

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
        """What counts is kept by the probe."""

    def do_GET(self) -> None:
        """No stream of our own."""
        self._answer(405)

    def do_DELETE(self) -> None:
        """The end of an MCP session."""
        self._answer(200)

    def do_POST(self) -> None:
        """One JSON-RPC message."""
        size = int(self.headers.get("content-length") or 0)
        if size > MAX_BODY_BYTES:
            self.close_connection = True
            self._answer(413)
            return
        body = self.rfile.read(size)
        if self.headers.get("authorization") != f"Bearer {self._probe.bearer}":
            self._probe.refused += 1
            self._answer(401)
            return
        message = _object(body)
        if "id" not in message:
            self._answer(202)
            return
        params = message.get("params")
        known = cast("Json", params) if isinstance(params, dict) else {}
        result = self._probe.result(str(message.get("method")), known)
        head: Json = {"jsonrpc": "2.0", "id": message["id"]}
        if result is None:
            error = {"code": -32601, "message": "Method not found"}
            self._answer(200, {**head, "error": error})
        else:
            self._answer(200, {**head, "result": result})

    def _answer(self, status: int, body: Json | None = None) -> None:
        data = b"" if body is None else json.dumps(body).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


def _object(body: bytes) -> Json:
    try:
        message: object = json.loads(body)
    except ValueError:
        return {}
    return cast("Json", message) if isinstance(message, dict) else {}
