"""GET /api/events: the room as Server-Sent Events."""

from collections.abc import Sequence

import trio

from groupx.domain.commits import Frame
from groupx.domain.ids import RoomId
from groupx.web.errors import invalid
from groupx.web.requests import MAX_SEQ
from groupx.web.services import Services
from groupx.web.streams.announcer import Announcer
from groupx.web.streams.cursor import CursorLoop
from groupx.web.streams.opening import open_stream

HEADERS = {"content-type": "text/event-stream", "cache-control": "no-store"}
HEARTBEAT_SECONDS = 15
HEARTBEAT = b": heartbeat\n\n"
_RETRY = b"retry: 1000\n\n"


def sse_bytes(frames: Sequence[Frame]) -> bytes:
    """Durable events with their seq as id, deltas without one; all of the default type."""
    return b"".join(
        b"data: %b\n\n" % frame.data
        if frame.seq is None
        else b"id: %d\ndata: %b\n\n" % (frame.seq, frame.data)
        for frame in frames
    )


def cursor_of(last_event_id: str | None, after_seq: int | None) -> int | None:
    """Where to go on: a reconnecting browser's `Last-Event-ID` is newer than its URL.

    Raises INVALID_ENVELOPE when it is not a number.
    """
    if last_event_id is None:
        return after_seq
    digits = last_event_id.isascii() and last_event_id.isdigit() and len(last_event_id) <= 19
    if not digits or int(last_event_id) > MAX_SEQ:
        raise invalid("'Last-Event-ID' must be the number of an event.", field="Last-Event-ID")
    return int(last_event_id)


class EventStream:
    """The body of the response: an iterator of chunks that ends when the hub is released."""

    def __init__(self, first: bytes, events: CursorLoop[bytes]) -> None:
        self._first = first
        self._events = events

    def __aiter__(self) -> "EventStream":
        return self

    async def __anext__(self) -> bytes:
        if self._first:
            first, self._first = self._first, b""
            return first
        with trio.move_on_after(HEARTBEAT_SECONDS):
            chunk = await self._events.next()
            if chunk is None:
                raise StopAsyncIteration
            return chunk
        return HEARTBEAT


async def open_events(
    services: Services,
    announcer: Announcer,
    after_seq: int | None,
    room_id: RoomId | None = None,
) -> EventStream:
    """Begin a stream; what can be refused is refused here, before the first byte."""
    opening = await open_stream(
        services.hub,
        services.store,
        room_id=room_id,
        after_seq=after_seq,
        replay_deltas=after_seq is not None,
    )
    first = announcer.agents_changed(opening.room_id, services.directory.views())
    if opening.reset:
        first.insert(0, announcer.reset(opening.room_id))
    return EventStream(
        _RETRY + sse_bytes(first),
        CursorLoop(services.hub, services.store, opening.room_id, opening.subscription, sse_bytes),
    )
