"""read: what was said in the room, and how turns went."""

from collections.abc import Sequence
from typing import Any

import orjson
from pydantic import Field

from groupx.actors.messages import Read
from groupx.domain.ids import RoomId
from groupx.mcp.bounds import CONTENT_BYTES, cut
from groupx.mcp.calling import turn_of
from groupx.mcp.tool import Answer, Arguments, Call, Tool
from groupx.store.queries.public_events import (
    ContentQuery,
    PublicEvent,
    PublicQuery,
    public_content,
    public_events,
)

DEFAULT_EVENTS = 50
MAX_EVENTS = 200
LEAST_BYTES = 256
"""Of each message, however many there are."""


class ReadRoom(Arguments):
    """Which part of the room's history."""

    correlation_id: str | None = Field(None, description="Only what belongs to this interaction.")
    after_seq: int | None = Field(
        None, ge=0, description="Only what came after this seq; if left out, the newest events."
    )
    limit: int = Field(DEFAULT_EVENTS, ge=1, le=MAX_EVENTS, description="How many at most.")
    event_id: str | None = Field(
        None, description="Read one long message to its end instead, from `offset` on."
    )
    offset: int = Field(0, ge=0, description="With eventId: how many characters to leave out.")


async def _read(call: Call, given: ReadRoom) -> Answer:
    turn = await turn_of(call)
    return await read_room(call, turn.room_id, given, CONTENT_BYTES)


async def read_room(call: Call, room_id: RoomId, given: ReadRoom, characters: int) -> Answer:
    """A page of what was said, each message cut to `characters`; or one message, on from there."""
    if given.event_id is not None:
        return await _read_content(call, room_id, given.event_id, given.offset)
    query = PublicQuery(
        room_id=room_id,
        limit=given.limit,
        characters=characters,
        after_seq=given.after_seq,
        correlation_id=given.correlation_id,
    )
    return _page_told(await call.room.store.ask(Read(public_events, query)), query)


def _page_told(found: Sequence[PublicEvent], query: PublicQuery) -> Answer:
    """As many of the events as fit, and how to go on."""
    newest = query.after_seq is None
    events = _fitting(found[::-1] if newest else found)
    seqs = [event["seq"] for event in events]
    return {
        "events": sorted(events, key=lambda event: event["seq"]),
        "nextAfterSeq": max(seqs, default=query.after_seq or 0),
        "more": not newest and (len(found) == query.limit or len(events) < len(found)),
    }


def _fitting(found: Sequence[PublicEvent]) -> list[dict[str, Any]]:
    """As many as fit, from the first one."""
    each = max(LEAST_BYTES, CONTENT_BYTES // max(1, len(found)))
    events: list[dict[str, Any]] = []
    size = 0
    for event in found:
        told = _told(event, each)
        size += len(orjson.dumps(told))
        if events and size > CONTENT_BYTES:
            break
        events.append(told)
    return events


async def _read_content(call: Call, room_id: RoomId, event_id: str, offset: int) -> Answer:
    """One message, a piece at a time."""
    query = ContentQuery(
        room_id=room_id, event_id=event_id, offset=offset, characters=CONTENT_BYTES
    )
    piece = await call.room.store.ask(Read(public_content, query))
    return {"eventId": event_id, **cut(piece.text, piece.characters, CONTENT_BYTES, offset)}


def _told(event: PublicEvent, max_bytes: int) -> dict[str, Any]:
    told: dict[str, Any] = {
        "seq": event.seq,
        "eventId": event.event_id,
        "type": event.type,
        "actorId": event.actor_id,
        "at": event.at,
        "correlationId": event.correlation_id,
    }
    if event.to:
        told["to"] = list(event.to)
    if event.reply_to_event_id is not None:
        told["replyToEventId"] = event.reply_to_event_id
    told |= event.facts
    if event.content is not None:
        told |= cut(event.content.text, event.content.characters, max_bytes)
    return told


READ = Tool(
    name="read",
    description="Read what was said in this room and how turns went: messages, and turns that "
    "were queued, started or ended. Reasoning and tool use are not in it. Long messages are cut; "
    "with eventId and offset the rest can be read.",
    arguments=ReadRoom,
    run=_read,
)
