"""What words look like: their Markdown as safe HTML, made once, off the event loop."""

from collections import OrderedDict
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

import orjson
import trio

from groupx.domain.commits import Frame

MAX_CACHE_BYTES = 8 * 1024 * 1024
THREADS = 1
"""Rendering holds the interpreter's lock, so more would not be faster."""
WITH_WORDS = frozenset(
    {
        "message.created",
        "operator.dispatch",
        "memory.remembered",
        "memory.superseded",
        "identity.remembered",
        "identity.superseded",
    }
)
"""The events that have a view: their words are their `content`, or that of their `record`."""


class Views:
    """Renders events with words, and texts, each once while it is remembered.

    An event with a view is sent as `{"event": <envelope>, "view": {"html"}}`, any other as its
    envelope alone: the envelope stays what it is in the ledger.
    """

    def __init__(self, max_bytes: int = MAX_CACHE_BYTES) -> None:
        self._max_bytes = max_bytes
        self._bytes = 0
        self._kept: OrderedDict[int | str, bytes | None] = OrderedDict()
        """The view as JSON, of an event by its seq, of a text by itself; the one that was not asked
        for longest first."""
        self._pending: dict[int | str, trio.Event] = {}
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
        return await trio.to_thread.run_sync(_html_of_event, frame, limiter=self._limiter)

    async def of_text(self, text: str) -> orjson.Fragment | None:
        """The view of what is no event; None for an empty or too long text."""
        view = await self._made(text, partial(_view_of_text, text))
        return None if view is None else orjson.Fragment(view)

    async def beside(self, told: Iterable[dict[str, Any]]) -> None:
        """Give each of these that can have one a `view` of its `content`."""
        for it in told:
            view = await self.of_text(it["content"])
            if view is not None:
                it["view"] = view

    async def _view(self, frame: Frame) -> bytes | None:
        if frame.seq is None or frame.type not in WITH_WORDS:
            return None
        return await self._made(frame.seq, partial(_view_of, frame))

    async def _made(self, key: int | str, make: Callable[[], bytes | None]) -> bytes | None:
        while key in self._pending:
            await self._pending[key].wait()
        if key in self._kept:
            self._kept.move_to_end(key)
            return self._kept[key]
        done = self._pending[key] = trio.Event()
        try:
            view = await trio.to_thread.run_sync(make, limiter=self._limiter)
            self._keep(key, view)
        finally:
            del self._pending[key]
            done.set()
        return view

    def _keep(self, key: int | str, view: bytes | None) -> None:
        self._kept[key] = view
        self._bytes += _cost(key, view)
        while self._bytes > self._max_bytes:
            self._bytes -= _cost(*self._kept.popitem(last=False))


def _cost(key: int | str, view: bytes | None) -> int:
    return 200 + len(view or b"") + (len(key) if isinstance(key, str) else 0)


def _view_of(frame: Frame) -> bytes | None:
    return _view_of_text(_words_of(frame))


def _view_of_text(text: str) -> bytes | None:
    html = _html_of(text, True)
    return None if html is None else orjson.dumps({"html": html})


def _html_of_event(frame: Frame) -> str | None:
    return _html_of(_words_of(frame), False)


def _words_of(frame: Frame) -> str:
    """What is said in it; empty where nothing is."""
    body: dict[str, Any] = orjson.loads(frame.data)["body"]
    content: Any = (body.get("record") or body).get("content")
    return content if isinstance(content, str) else ""


def _html_of(text: str, short_only: bool) -> str | None:
    # Loaded on the worker thread: a room that nobody looks at does without.
    from groupx.render.markdown import is_too_long, render_markdown  # noqa: PLC0415

    if not text or (short_only and is_too_long(text)):
        return None
    return render_markdown(text)
