"""Memories and identities as they can be read: filtered, the newest first, page by page."""

import itertools
import sqlite3
import unicodedata
from collections.abc import Iterable, Mapping
from typing import Any, TypeVar

import attrs

from groupx.domain.errors import ErrorCode, GroupXError
from groupx.domain.ids import ActorId, RoomId
from groupx.domain.memory import GENERATED_SUMMARY, AnyRecord, IdentityRecord, MemoryRecord
from groupx.domain.memory_commands import (
    IdentityPage,
    IdentityQuery,
    MemoryPage,
    MemoryQuery,
    PlacedRecord,
    RecordQuery,
)
from groupx.domain.search_query import parse_words
from groupx.domain.search_records import among_records
from groupx.store.queries.rooms import asked_room
from groupx.store.queries.search import indexing
from groupx.store.record_rows import (
    IDENTITY_COLUMNS,
    MEMORY_COLUMNS,
    find_record,
    identity_from,
    memory_from,
)
from groupx.store.summary_rows import ACTIVE_OF

R = TypeVar("R")

_SEEN = """
  AND ((m.scope_type = 'room' AND m.scope_id = :room)
    OR (m.scope_type = 'agent' AND (:reader IS NULL OR m.scope_id = :reader))
    OR (m.scope_type = 'correlation' AND EXISTS (
      SELECT 1 FROM events e WHERE e.correlation_id = m.scope_id AND e.room_id = :room)))
  AND (:history OR m.status = 'active')
  AND (:scope_type IS NULL OR m.scope_type = :scope_type)
  AND (:scope_id IS NULL OR m.scope_id = :scope_id)
  AND (:agent_memory_type IS NULL OR m.agent_memory_type = :agent_memory_type)
  AND (:kind IS NULL OR m.kind = :kind)
  AND (:author IS NULL OR m.author_actor_id = :author)
  AND (:subject IS NULL OR m.subject_actor_id = :subject)
"""
"""Whose they are, and which of them are asked for."""
_MEMORIES = f"""
SELECT {MEMORY_COLUMNS} FROM memory_records m
WHERE (:before IS NULL OR (m.created_at, m.memory_id) < (
  SELECT b.created_at, b.memory_id FROM memory_records b WHERE b.memory_id = :before)){_SEEN}
ORDER BY m.created_at DESC, m.memory_id DESC
"""
_BY_WORDS = f"""
SELECT {MEMORY_COLUMNS} FROM search_fts
CROSS JOIN search_docs d ON d.doc_id = search_fts.rowid AND d.kind = 'memory'
CROSS JOIN memory_records m ON m.memory_id = d.ref_id
WHERE search_fts MATCH :expression
  AND search_fts.rowid < iif(:before IS NULL, {2**62}, (
    SELECT b.doc_id FROM search_docs b WHERE b.kind = 'memory' AND b.ref_id = :before)){_SEEN}
ORDER BY search_fts.rowid DESC
"""
"""In the index's own order, that of their events: a page ends where it is full."""
_IDENTITIES = f"""
SELECT {IDENTITY_COLUMNS} FROM actors
CROSS JOIN identity_records i ON i.subject_actor_id = actors.actor_id {{which}}
WHERE (:subject IS NULL OR actors.actor_id = :subject)
  AND (:author IS NULL OR i.author_actor_id = :author)
  AND (:kind IS NULL OR i.kind = :kind)
  AND (:before IS NULL OR (i.created_at, i.identity_id) < (
    SELECT b.created_at, b.identity_id FROM identity_records b WHERE b.identity_id = :before))
ORDER BY i.created_at DESC, i.identity_id DESC
"""
"""Subject by subject, as the index has them."""
_ACTIVE_IDENTITIES = _IDENTITIES.format(which="AND i.status = 'active'")
_ALL_IDENTITIES = _IDENTITIES.format(which="")
_CONTENT = [field.name for field in attrs.fields(MemoryRecord)].index("content")
_ROOM_OF_CORRELATION = "SELECT room_id FROM events WHERE correlation_id = ? LIMIT 1"
_SUMMARY = f"""
SELECT s.summary_id, s.content, s.generator_actor_id, s.created_at {ACTIVE_OF} = ?
"""


def memories(conn: sqlite3.Connection, query: MemoryQuery) -> MemoryPage:
    """Those of a room and of its interactions, and agents' own; a `before` that does not exist
    gives none. NOT_FOUND for no such room."""
    values = {
        "room": asked_room(conn, query.room_id),
        "reader": query.reader,
        "history": query.history,
        "scope_type": query.scope_type,
        "scope_id": query.scope_id,
        "agent_memory_type": query.agent_memory_type,
        "kind": query.kind,
        "author": query.author,
        "subject": query.subject,
        "before": query.before,
    }
    records, more = _page(map(memory_from, _rows(conn, query.words or "", values)), query.limit)
    return MemoryPage(records=records, next_before=records[-1].memory_id if more else None)


def memories_and_summary(conn: sqlite3.Connection, query: MemoryQuery) -> MemoryPage:
    """`memories`, and before their first page the room's active checkpoint where it fits the
    filters; no row of it is among the memories."""
    page = memories(conn, query)
    filtered = (query.words, query.author, query.subject, query.agent_memory_type, query.scope_id)
    fits = query.scope_type in (None, "room") and query.kind in (None, "summary")
    if query.before is not None or any(it is not None for it in filtered) or not fits:
        return page
    summary = summary_as_memory(conn, query.room_id)
    return page if summary is None else attrs.evolve(page, records=(summary, *page.records))


def identities(conn: sqlite3.Connection, query: IdentityQuery) -> IdentityPage:
    """Identity records; the same rules."""
    values = {
        "subject": query.subject,
        "author": query.author,
        "kind": query.kind,
        "before": query.before,
    }
    rows = conn.execute(_ALL_IDENTITIES if query.history else _ACTIVE_IDENTITIES, values)
    found = (identity_from(row) for row in rows)
    records, more = _page(found, query.limit)
    return IdentityPage(records=records, next_before=records[-1].identity_id if more else None)


def placed_record(conn: sqlite3.Connection, query: RecordQuery) -> PlacedRecord:
    """NOT_FOUND."""
    record = find_record(conn, query.family, query.record_id)
    if record is None:
        raise GroupXError(
            ErrorCode.NOT_FOUND,
            f"There is no {query.family} '{query.record_id}' in this ledger. The room that it was "
            "of may have been deleted.",
        )
    return PlacedRecord(record=record, room_id=_room_of(conn, record))


def _room_of(conn: sqlite3.Connection, record: AnyRecord) -> RoomId | None:
    if isinstance(record, IdentityRecord) or record.scope_type == "agent":
        return None
    if record.scope_type == "room":
        return RoomId(record.scope_id)
    row = conn.execute(_ROOM_OF_CORRELATION, (record.scope_id,)).fetchone()
    return row and RoomId(row[0])


def summary_as_memory(conn: sqlite3.Connection, room_id: str | None) -> MemoryRecord | None:
    """The room's active checkpoint (of the active room for None), to be read only."""
    room_id = asked_room(conn, room_id)
    row = conn.execute(_SUMMARY, (room_id,)).fetchone()
    if row is None:
        return None
    return MemoryRecord(
        memory_id=row[0],
        scope_type="room",
        scope_id=room_id,
        kind="summary",
        author_actor_id=ActorId(row[2]),
        content=row[1],
        source_kind=GENERATED_SUMMARY,
        status="active",
        created_at=row[3],
    )


def _rows(
    conn: sqlite3.Connection, words: str, values: Mapping[str, Any]
) -> Iterable[tuple[Any, ...]]:
    """By the index, once it knows all that was written before; until then by looking at each."""
    wanted = _folded(words).split()
    if not wanted:
        return conn.execute(_MEMORIES, values)
    if indexing(conn) is not None:
        rows = conn.execute(_MEMORIES, values)
        return (row for row in rows if _has(wanted, row[_CONTENT]))
    expression = among_records(parse_words(words).expression)
    return conn.execute(_BY_WORDS, {**values, "expression": expression}) if expression else ()


def _page(found: Iterable[R], limit: int) -> tuple[tuple[R, ...], bool]:
    records = tuple(itertools.islice(found, limit + 1))
    return records[:limit], len(records) > limit


def _has(wanted: list[str], content: str) -> bool:
    folded = _folded(content)
    return all(word in folded for word in wanted)


def _folded(text: str) -> str:
    if text.isascii():
        return text.lower()
    return unicodedata.normalize("NFKC", text).casefold()
