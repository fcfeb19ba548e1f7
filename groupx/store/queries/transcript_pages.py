"""What was said, in pages so small that no writer waits long for one."""

import sqlite3

import attrs

from groupx.domain.event_types import TRANSCRIPT
from groupx.domain.limits import MAX_PAGE_EVENTS
from groupx.domain.packet_inputs import (
    ChainPage,
    ChainQuery,
    SaidPage,
    SaidQuery,
    TranscriptEntry,
    chain_above,
)
from groupx.store.transcript import ENTRY, WATCH, entry, read_entry

PAGE_SEQS = 2_000
"""How many events one page looks through: of a room that works, most were not said."""
PAGE_CHARACTERS = 1_000_000
"""The content after which a page ends; its last entry may go over."""

_BACKWARDS = (
    ENTRY + " WHERE e.room_id = :room AND e.seq > :lower AND e.seq < :upper"
    f" AND e.event_type IN {tuple(sorted(TRANSCRIPT))} ORDER BY e.seq DESC LIMIT :limit"
)
_IN_SESSION = """
SELECT 1 FROM turns t CROSS JOIN turn_attempts a ON a.turn_id = t.turn_id
JOIN session_bindings b ON b.binding_id = a.binding_id
WHERE t.target_actor_id = :target AND (t.source_event_id = :event OR t.turn_id = :turn)
  AND a.delivery_certainty = 'delivered' AND b.native_session_id = :session
"""
"""Whether a message was sent into a session as a turn's own, or a response said there."""
_ANSWERED = """
SELECT e.event_id, e.seq, e.room_id
FROM turns t CROSS JOIN events e ON e.event_id = t.response_event_id
WHERE t.target_actor_id = ? AND t.status = 'completed' ORDER BY t.enqueue_seq DESC
"""
"""The newest first: a lane answers in its order."""


def said_page(conn: sqlite3.Connection, query: SaidQuery) -> SaidPage:
    """Without what no packet shows: what is withdrawn or empty, watch briefs, and retry copies
    that are meant for others."""
    target = query.target_actor_id
    lower = max(query.lower_seq, query.upper_seq - 1 - PAGE_SEQS)
    values = {
        "room": query.room_id, "target": target, "lower": lower, "upper": query.upper_seq,
        "limit": MAX_PAGE_EVENTS,
    }  # fmt: skip
    rows = characters = 0
    newest_first: list[TranscriptEntry] = []
    for row in conn.execute(_BACKWARDS, values):
        item = read_entry(row, target)
        if _shown_to(item, target):
            newest_first.append(item)
        rows, characters = rows + 1, characters + len(item.content)
        if rows == MAX_PAGE_EVENTS or characters >= PAGE_CHARACTERS:
            lower = max(lower, item.seq - 1)
            break
    return SaidPage(entries=tuple(reversed(newest_first)), complete_after_seq=lower)


def answers_page(conn: sqlite3.Connection, query: SaidQuery) -> SaidPage:
    """Of that the target's responses alone, however much was said between them."""
    target, lower, characters = query.target_actor_id, query.lower_seq, 0
    newest_first: list[TranscriptEntry] = []
    for event_id, seq, room_id in conn.execute(_ANSWERED, (target,)):
        if seq <= query.lower_seq:
            break
        if seq >= query.upper_seq or room_id != query.room_id:
            continue
        item = entry(conn, event_id, target)
        if item is not None and _shown_to(item, target):
            newest_first.append(item)
            characters += len(item.content)
        if len(newest_first) == MAX_PAGE_EVENTS or characters >= PAGE_CHARACTERS:
            lower = seq - 1
            break
    return SaidPage(entries=tuple(reversed(newest_first)), complete_after_seq=lower)


def chain_page(conn: sqlite3.Connection, query: ChainQuery) -> ChainPage:
    """Some of what was said on the way from answer to answered, whatever lies between."""
    target = query.target_actor_id
    links: list[TranscriptEntry] = []
    onward: ChainQuery | None = query
    characters = 0
    for _ in range(MAX_PAGE_EVENTS):
        item = entry(conn, onward.event_id, target)
        if item is None or item.seq >= onward.before_seq:
            onward = None
            break
        if item.type in TRANSCRIPT and item.kind != WATCH:
            links.append(attrs.evolve(item, in_session=_in_session(conn, item, query)))
        onward = chain_above(item, target, query.native_session_id)
        characters += len(item.content)
        if onward is None or characters >= PAGE_CHARACTERS:
            break
    return ChainPage(entries=tuple(reversed(links)), onward=onward)


def _in_session(conn: sqlite3.Connection, item: TranscriptEntry, query: ChainQuery) -> bool:
    values = {
        "target": query.target_actor_id, "session": query.native_session_id,
        "event": item.event_id, "turn": item.turn_id,
    }  # fmt: skip
    return conn.execute(_IN_SESSION, values).fetchone() is not None


def _shown_to(item: TranscriptEntry, target: str) -> bool:
    if not item.content or item.kind == WATCH:
        return False
    return item.kind != "retry" or target in item.to
