"""What everybody in the room may read: messages and how turns went, never how they were worked."""

import sqlite3
from collections.abc import Iterable, Mapping
from typing import Any

import attrs

from groupx.domain.errors import ErrorCode, GroupXError
from groupx.domain.ids import RoomId
from groupx.domain.supervision import WATCH_BRIEF
from groupx.store.event_rows import load_json, readable

PUBLIC = (
    "message.created", "message.withdrawn", "operator.dispatch",
    "turn.queued", "turn.started", "turn.completed", "turn.failed", "turn.cancelled",
    "turn.interrupted", "routing.loop_stopped", "routing.loop_continued",
)  # fmt: skip
_TYPES = ", ".join(f"'{name}'" for name in PUBLIC)
FACTS = (
    "turnId", "status", "errorCode", "message", "reason", "limit", "bound", "responseEventId",
)  # fmt: skip
"""What is told of a body besides its content."""
_PATHS = ", ".join(f"'$.{name}'" for name in FACTS)
_SAID = f"json_extract({readable('e.body_json')}, '$.content')"
_EVENTS = f"""
SELECT e.seq, e.event_id, e.event_type, e.actor_id, e.targets_json, e.occurred_at,
  e.reply_to_event_id, e.correlation_id, json_extract(e.body_json, {_PATHS}),
  substr({_SAID}, 1, :characters), length({_SAID})
FROM events e WHERE e.room_id = :room AND e.event_type IN ({_TYPES})
  AND coalesce(json_extract(e.body_json, '$.kind'), '') <> '{WATCH_BRIEF}'
"""
_AFTER = _EVENTS + " AND e.seq > :after ORDER BY e.seq LIMIT :limit"
_NEWEST = _EVENTS + " ORDER BY e.seq DESC LIMIT :limit"
_OF_ONE = _EVENTS + " AND e.correlation_id = :correlation"
_OF_ONE_AFTER = _OF_ONE + " AND e.seq > :after ORDER BY e.seq LIMIT :limit"
_OF_ONE_NEWEST = _OF_ONE + " ORDER BY e.seq DESC LIMIT :limit"
_CONTENT = f"""
SELECT substr({_SAID}, :start, :characters), length({_SAID})
FROM events e
WHERE e.event_id = :event AND e.room_id = :room AND e.event_type IN ({_TYPES})
  AND coalesce(json_extract(e.body_json, '$.kind'), '') <> '{WATCH_BRIEF}'
"""


@attrs.frozen(kw_only=True)
class PublicQuery:
    """At most `limit` events after a seq, or the newest ones; of one interaction or of all;
    `characters`: how much of each content is wanted."""

    room_id: RoomId
    limit: int
    characters: int
    after_seq: int | None = None
    correlation_id: str | None = None


@attrs.frozen(kw_only=True)
class Content:
    """A piece of a content, and how long the whole is."""

    text: str
    characters: int


@attrs.frozen(kw_only=True)
class PublicEvent:
    """One event as it may be read."""

    seq: int
    event_id: str
    type: str
    actor_id: str
    to: tuple[str, ...]
    at: str
    reply_to_event_id: str | None
    correlation_id: str
    facts: Mapping[str, Any]
    """Those of FACTS that it has."""
    content: Content | None


@attrs.frozen(kw_only=True)
class ContentQuery:
    """`characters` of one event's content from the code point `offset` on."""

    room_id: RoomId
    event_id: str
    offset: int
    characters: int


def public_events(conn: sqlite3.Connection, query: PublicQuery) -> tuple[PublicEvent, ...]:
    """Ascending by seq."""
    values = {
        "room": query.room_id,
        "limit": query.limit,
        "characters": query.characters,
        "after": query.after_seq,
        "correlation": query.correlation_id,
    }
    newest = query.after_seq is None
    if query.correlation_id is None:
        sql = _NEWEST if newest else _AFTER
    else:
        sql = _OF_ONE_NEWEST if newest else _OF_ONE_AFTER
    events = [_event(row) for row in conn.execute(sql, values)]
    return tuple(_ascending(events) if newest else events)


def public_content(conn: sqlite3.Connection, query: ContentQuery) -> Content:
    """A piece of what was said; NOT_FOUND when no such message is in the room."""
    row = conn.execute(
        _CONTENT,
        {
            "room": query.room_id,
            "event": query.event_id,
            "start": query.offset + 1,
            "characters": query.characters,
        },
    ).fetchone()
    if row is None or row[1] is None:
        raise GroupXError(
            ErrorCode.NOT_FOUND, f"Nothing was said in this room under '{query.event_id}'."
        )
    return Content(text=row[0], characters=row[1])


def _ascending(events: Iterable[PublicEvent]) -> list[PublicEvent]:
    return sorted(events, key=lambda event: event.seq)


def _event(row: tuple[Any, ...]) -> PublicEvent:
    facts = zip(FACTS, load_json(row[8]), strict=True)
    return PublicEvent(
        seq=row[0],
        event_id=row[1],
        type=row[2],
        actor_id=row[3],
        to=tuple(load_json(row[4])),
        at=row[5],
        reply_to_event_id=row[6],
        correlation_id=row[7],
        facts={name: fact for name, fact in facts if fact is not None},
        content=None if row[10] is None else Content(text=row[9], characters=row[10]),
    )
