"""A small MCP server over streamable HTTP on loopback, which keeps what it was asked."""

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self

Json = dict[str, Any]
SCHEMA = {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]}
TOOLS = [{"name": "post", "description": "Post a message to the room", "inputSchema": SCHEMA}]


class McpServer:
    """The server; use as a context manager. It refuses whoever has not the bearer."""

    def __init__(self, bearer: str) -> None:
        self.bearer = bearer
        self.calls: list[Json] = []
        """The params of every tools/call."""
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._server.mcp = self  # type: ignore[attr-defined]

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}/mcp"

    def __enter__(self) -> Self:
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()

    def result(self, method: str, params: Json) -> Json:
        if method == "initialize":
            return {
                "protocolVersion": params.get("protocolVersion"),
                "capabilities": {"tools": {}},
                "serverInfo": {"name": "mock", "version": "1"},
            }
        if method == "tools/list":
            return {"tools": TOOLS}
        if method == "tools/call":
            self.calls.append(params)
            text = f"posted {params.get('arguments', {}).get('text')}"
            return {"content": [{"type": "text", "text": text}], "isError": False}
        return {}


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
        """Our log is the calls."""

    def do_GET(self) -> None:
        self.answer(405)

    def do_DELETE(self) -> None:
        self.answer(200)

    def do_POST(self) -> None:
        mcp: McpServer = self.server.mcp  # type: ignore[attr-defined]
        body = self.rfile.read(int(self.headers.get("content-length") or 0))
        if self.headers.get("authorization") != f"Bearer {mcp.bearer}":
            self.answer(401)
            return
        message: Json = json.loads(body)
        if "id" not in message:
            self.answer(202)
            return
        result = mcp.result(message["method"], message.get("params") or {})
        self.answer(200, {"jsonrpc": "2.0", "id": message["id"], "result": result})

    def answer(self, status: int, body: Json | None = None) -> None:
        data = b"" if body is None else json.dumps(body).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)
