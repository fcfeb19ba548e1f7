"""Newline-delimited JSON-RPC on stdin and stdout, and how a prompt can end early."""

import json
import os
import sys
import threading
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from typing import Any

Json = dict[str, Any]


class CancelledByClient(Exception):
    """The client asked to stop, and this scene listens."""


class RpcFailure(Exception):
    """The prompt is answered with this JSON-RPC error."""

    def __init__(self, code: int, message: str) -> None:
        super().__init__(message)
        self.code = code


class Wire:
    """Newline-delimited JSON-RPC; whole lines only, from any thread."""

    def __init__(self) -> None:
        self._out = sys.stdout.buffer
        self._lock = threading.Lock()

    def raw(self, data: bytes) -> None:
        """Write bytes as they are; a client that is gone ends the program."""
        with self._lock:
            try:
                self._out.write(data)
                self._out.flush()
            except OSError:
                os._exit(0)

    def send(self, **message: Any) -> None:
        """Write one message."""
        self.raw(json.dumps({"jsonrpc": "2.0", **message}, ensure_ascii=False).encode() + b"\n")

    def lines(self) -> Iterator[Json]:
        """Messages until the client closes; what is not an object is skipped."""
        for line in sys.stdin.buffer:
            try:
                message = json.loads(line)
            except ValueError:
                continue
            if isinstance(message, dict):
                yield message


class Cancel(threading.Event):
    """Set when the client asks to stop; ends what cannot look at it."""

    def __init__(self) -> None:
        super().__init__()
        self._ends: list[Callable[[], object]] = []

    def set(self) -> None:
        """Ask to stop, for good."""
        super().set()
        for end in tuple(self._ends):
            end()

    @contextmanager
    def ends(self, end: Callable[[], object]) -> Generator[None]:
        """Inside the block, a cancel also does this."""
        self._ends.append(end)
        try:
            if self.is_set():
                end()
            yield
        finally:
            self._ends.remove(end)
