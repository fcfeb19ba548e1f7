"""One HTTP request to the mock model and its answer, at once or as a stream of events."""

import json
import threading
from http.server import BaseHTTPRequestHandler
from typing import Any, Protocol

from .plan import Json, Plan


class Recorder(Protocol):
    """What a request needs of the server."""

    closing: threading.Event

    def record(self, **request: Any) -> int:
        """Remember a request; its number."""
        ...


class Exchange(BaseHTTPRequestHandler):
    """What every wire format shares. A stream ends with its connection."""

    protocol_version = "HTTP/1.1"

    @property
    def model(self) -> Recorder:
        return self.server.model  # type: ignore[attr-defined]

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
        """Our log is the requests."""

    def read_body(self) -> bytes:
        if self.headers.get("transfer-encoding", "").lower() != "chunked":
            return self.rfile.read(int(self.headers.get("content-length") or 0))
        body = b""
        while size := int(self.rfile.readline().partition(b";")[0], 16):
            body += self.rfile.read(size)
            self.rfile.readline()
        self.rfile.readline()
        return body

    def answer(self, body: Json, status: int = 200) -> None:
        data = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def begin_stream(self) -> None:
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("connection", "close")
        self.end_headers()
        self.close_connection = True

    def event(self, data: Json | str, name: str | None = None) -> None:
        text = data if isinstance(data, str) else json.dumps(data)
        head = f"event: {name}\n" if name else ""
        self.wfile.write(f"{head}data: {text}\n\n".encode())
        self.wfile.flush()

    def pauses(self, plan: Plan) -> bool:
        """Wait as long as a slow answer does between its pieces; False when the server closes."""
        return not (plan.pause and self.model.closing.wait(plan.pause))
