"""What messages look like: their Markdown as safe HTML, made once, off the event loop."""

from collections import OrderedDict
from collections.abc import Iterable, Sequence
from typing import Any

import orjson
import trio

from groupx.domain.commits import Frame

MAX_CACHE_BYTES = 8 * 1024 * 1024
THREADS = 1
"""Rendering holds the interpreter's lock, so more would not be faster."""


class Views:
    """Renders `message.created` events, each once while it is remembered.

    An event with a view is sent as `{"event": <envelope>, "view": {"html"}}`, any other as its
    envelope alone: the envelope stays what it is in the ledger.
    """

    def __init__(self, max_bytes: int = MAX_CACHE_BYTES) -> None:
        self._max_bytes = max_bytes
        self._bytes = 0
        self._kept: OrderedDict[int, bytes | None] = OrderedDict()
        """The view of an event as JSON, by seq; the one that was not asked for longest first."""
        self._pending: dict[int, trio.Event] = {}
        self._limiter = trio.CapacityLimiter(THREADS)

    async def sent(self, frame: Frame) -> bytes:
        """The event as JSON, with its view if it has one."""
        view = await self._view(frame)
        return frame.data if view is None else b'{"event":%b,"view":%b}' % (frame.data, view)

    async def page(self, frames: Iterable[Frame]) -> list[bytes]:
        """A page's events as they are sent."""
        return [await self.sent(frame) for frame in frames]

    async def on_demand(self, frame: Frame) -> str | None:
        """The HTML of one event however long it is; None when it has nothing to show."""
        return await trio.to_thread.run_sync(_html_of, frame, False, limiter=self._limiter)

    async def texts(self, contents: Sequence[str]) -> list[str | None]:
        """Of texts that are no events; None for one that is too long, and kept of none."""
        return await trio.to_thread.run_sync(_html_of_texts, contents, limiter=self._limiter)

    async def _view(self, frame: Frame) -> bytes | None:
        if frame.seq is None or frame.type != "message.created":
            return None
        while frame.seq in self._pending:
            await self._pending[frame.seq].wait()
        if frame.seq in self._kept:
            self._kept.move_to_end(frame.seq)
            return self._kept[frame.seq]
        done = self._pending[frame.seq] = trio.Event()
        try:
            view = await trio.to_thread.run_sync(_view_of, frame, limiter=self._limiter)
            self._keep(frame.seq, view)
        finally:
            del self._pending[frame.seq]
            done.set()
        return view

    def _keep(self, seq: int, view: bytes | None) -> None:
        self._kept[seq] = view
        self._bytes += _cost(view)
        while self._bytes > self._max_bytes:
            self._bytes -= _cost(self._kept.popitem(last=False)[1])


def _cost(view: bytes | None) -> int:
    return 200 + len(view or b"")


def _view_of(frame: Frame) -> bytes | None:
    html = _html_of(frame, True)
    return None if html is None else orjson.dumps({"html": html})


def _html_of_texts(contents: Sequence[str]) -> list[str | None]:
    from groupx.render.markdown import is_too_long, render_markdown  # noqa: PLC0415

    return [None if is_too_long(text) else render_markdown(text) for text in contents]


def _html_of(frame: Frame, short_only: bool) -> str | None:
    # Loaded on the worker thread: a room that nobody looks at does without.
    from groupx.render.markdown import is_too_long, render_markdown  # noqa: PLC0415

    body: dict[str, Any] = orjson.loads(frame.data)["body"]
    content = body.get("content")
    if not isinstance(content, str) or not content or (short_only and is_too_long(content)):
        return None
    return render_markdown(content)
