"""The server: which wire format a path belongs to, and what was asked so far."""

import contextlib
import json
import re
import threading
from collections.abc import Callable
from http.server import ThreadingHTTPServer
from pathlib import Path
from typing import Any, Self, TextIO

from . import anthropic, chat, gemini, responses
from .exchange import Exchange
from .plan import MODEL, Json

ROUTES: tuple[tuple[str, Callable[[Exchange, str, Json], None]], ...] = (
    (r"/chat/completions$", chat.serve),
    (r"/responses$", responses.serve),
    (r"/messages(/count_tokens)?$", anthropic.serve),
    (r":(stream)?[gG]enerateContent$|:countTokens$", gemini.serve),
)
"""What a POST's path looks like → the wire format that answers it."""


class MockModel:
    """The server; use as a context manager. Every request is a JSON line in `log`."""

    def __init__(self, port: int = 0, log: Path | None = None) -> None:
        self.requests: list[Json] = []
        """What it was asked so far: method, path, and of a model request `dialect`, `user` (what
        the user said last), `results` (what tools answered since), `earlier` (what was said
        before), `tools` and the count of `turns`."""
        self.closing = threading.Event()
        self._file: TextIO | None = log.open("a") if log else None
        self._lock = threading.Lock()
        self._server = ThreadingHTTPServer(("127.0.0.1", port), Handler)
        self._server.daemon_threads = True
        self._server.model = self  # type: ignore[attr-defined]

    @property
    def port(self) -> int:
        return self._server.server_address[1]

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def record(self, **request: Any) -> int:
        """Remember a request; its number."""
        with self._lock:
            self.requests.append(request)
            if self._file:
                self._file.write(json.dumps(request) + "\n")
                self._file.flush()
            return len(self.requests)

    def prompts_with(self, words: str, dialect: str = "chat") -> list[Json]:
        """The requests in `dialect` whose last user text contains `words`. (A program may ask in
        one dialect and have titles made in another.)"""
        with self._lock:
            asked = [r for r in self.requests if r.get("dialect") == dialect]
        return [request for request in asked if words in request["user"]]

    def serve(self) -> None:
        self._server.serve_forever(poll_interval=0.05)

    def __enter__(self) -> Self:
        threading.Thread(target=self.serve, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self.closing.set()
        self._server.shutdown()
        self._server.server_close()
        if self._file:
            self._file.close()


class Handler(Exchange):
    def do_HEAD(self) -> None:  # noqa: N802
        self.answer({})

    def do_GET(self) -> None:  # noqa: N802
        path = self.path.partition("?")[0]
        self.model.record(method="GET", path=path)
        entry = {"id": MODEL, "object": "model", "owned_by": "mock", "context_window": 262144}
        if path.endswith("/models"):
            self.answer({"object": "list", "data": [entry]})
        elif path.endswith(f"/models/{MODEL}"):
            self.answer(entry)
        else:
            self.answer({})

    def do_POST(self) -> None:  # noqa: N802
        path = self.path.partition("?")[0]
        try:
            body: Json = json.loads(self.read_body() or b"{}")
        except ValueError:
            body = {}
        serve = next((serve for pattern, serve in ROUTES if re.search(pattern, path)), None)
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            if serve is not None:
                serve(self, path, body)
            else:
                self.model.record(method="POST", path=path)
                self.answer({})
