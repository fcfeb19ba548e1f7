"""The room's events as a client sees them, over SSE."""

import http.client
import json
import time
from collections.abc import Callable, Iterator
from typing import Any, Self

Event = dict[str, Any]


class EventStream:
    """`GET /api/events`, read one event at a time. Use as a context manager."""

    def __init__(self, port: int, token: str, after_seq: int | None) -> None:
        self.seen: list[Event] = []
        """Everything read so far, deltas included."""
        self._link = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
        path = "/api/events" + ("" if after_seq is None else f"?afterSeq={after_seq}")
        self._link.request("GET", path, headers={"Authorization": f"Bearer {token}"})
        sock = self._link.sock
        assert sock is not None
        self._sock = sock
        self._response = self._link.getresponse()
        assert self._response.status == 200, self._response.read()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._response.close()
        self._link.close()

    def next(self, seconds: float = 20.0) -> Event | None:
        """The next event; None when the daemon ended the stream. TimeoutError when none came."""
        deadline = time.monotonic() + seconds
        data: list[str] = []
        while True:
            self._sock.settimeout(max(0.001, deadline - time.monotonic()))
            try:
                line = self._response.readline()
            except (ConnectionError, http.client.IncompleteRead):
                return None
            if not line:
                return None
            text = line.decode().rstrip("\n")
            if text.startswith("data: "):
                data.append(text[6:])
            elif not text and data:
                event: Event = json.loads("\n".join(data))
                self.seen.append(event)
                return event

    def until(self, wanted: Callable[[Event], bool], what: str, seconds: float = 20.0) -> Event:
        """The first event that is wanted, read before or to come.

        AssertionError when the stream ends or is silent.
        """
        for event in self.seen:
            if wanted(event):
                return event
        deadline = time.monotonic() + seconds
        while True:
            left = deadline - time.monotonic()
            try:
                fresh = self.next(left) if left > 0 else None
            except TimeoutError:
                fresh = None
            assert fresh is not None, f"not seen: {what}; {self.summary()}"
            if wanted(fresh):
                return fresh

    def durable(self) -> Iterator[Event]:
        """What was seen and is kept."""
        return (event for event in self.seen if event["seq"] is not None)

    def summary(self) -> str:
        """What was seen, for a failure's message, and what agents said was wrong."""
        views = [event["body"]["agent"] for event in self.seen if event["type"] == "agent.changed"]
        errors = [view["lastError"] for view in views if view.get("lastError")]
        return f"seen: {self.types()}; errors: {errors}"

    def types(self) -> list[str]:
        """The types of what was seen, without the deltas."""
        types = (event["type"] for event in self.seen)
        return [kind for kind in types if not kind.endswith(".delta")]
