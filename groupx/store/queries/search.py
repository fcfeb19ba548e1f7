"""A search: the newest hits first, page by page."""

import sqlite3
from collections.abc import Mapping
from typing import Any

import orjson

from groupx.domain.ids import ActorId
from groupx.domain.memory import AnyRecord, Family, IdentityRecord
from groupx.domain.search_excerpt import excerpt_html
from groupx.domain.search_folding import folded
from groupx.domain.search_page import Indexing, SearchHit, SearchPage, SearchQuery
from groupx.domain.search_query import SearchTerms, parse_search
from groupx.store.queries.rooms import active_room, must_exist
from groupx.store.record_rows import find_record
from groupx.store.search_rows import document_text

WALKED = 3_000
"""Documents that one page looks at: then it ends, and its cursor goes on from there."""
WALKED_FOR_CODE = 400
"""When the text of each has to be read."""

_FITS = """
  (:room IS NULL OR d.room_id = :room)
  AND (:author IS NULL OR d.author_actor_id IN (SELECT value FROM json_each(:author)))
  AND (:before IS NULL OR d.created_at < :before)
  AND (:after IS NULL OR d.created_at >= :after)
  AND (:target IS NULL OR EXISTS (
    SELECT 1 FROM events e CROSS JOIN json_each(e.targets_json)
    WHERE e.seq = d.seq AND json_each.value IN (SELECT value FROM json_each(:target))))
  AND (NOT :code OR EXISTS (
    SELECT 1 FROM events e WHERE e.seq = d.seq AND instr(e.body_json, '```')))
  AND (:history OR CASE d.kind
    WHEN 'memory' THEN (SELECT status = 'active' FROM memory_records WHERE memory_id = d.ref_id)
    WHEN 'identity' THEN
      (SELECT status = 'active' FROM identity_records WHERE identity_id = d.ref_id)
    ELSE 1 END)
"""
_COLUMNS = f"""
SELECT d.doc_id, d.kind, d.ref_id, d.seq, d.room_id, d.author_actor_id, d.created_at, {_FITS}
"""
_BY_WORDS = f"""{_COLUMNS}
FROM search_fts CROSS JOIN search_docs d ON d.doc_id = search_fts.rowid
WHERE search_fts MATCH :expression AND search_fts.rowid < :cursor
ORDER BY search_fts.rowid DESC LIMIT :walked
"""
_BY_FILTERS = f"""{_COLUMNS}
FROM search_docs d WHERE d.doc_id < :cursor ORDER BY d.doc_id DESC LIMIT :walked
"""
_STATE = """
SELECT indexed_through_seq, (SELECT ifnull(max(seq), 0) FROM events) FROM search_state
"""
_ACTORS = "SELECT actor_id, display_name FROM actors"
_TOP = 2**62
_FAMILIES: Mapping[str, Family] = {"memory": "memory", "identity": "identity"}


def search(conn: sqlite3.Connection, query: SearchQuery) -> SearchPage:
    """Hits of one room or of all; none for a search that names nothing. NOT_FOUND for no such
    room. A page may be short, or empty, and still have a next one."""
    room_id = None if query.all_rooms else (query.room_id or active_room(conn))
    if room_id is not None:
        must_exist(conn, room_id)
    terms = parse_search(query.text)
    if query.whole_words:
        terms = terms.of_whole_words()
    if terms.is_empty:
        return SearchPage(results=(), indexing=indexing(conn))
    rows, next_cursor = _walk(conn, query, terms, room_id)
    return SearchPage(
        results=tuple(_hit(conn, row, terms) for row in rows),
        next_cursor=None if next_cursor is None else str(next_cursor),
        indexing=indexing(conn),
        whole_words=query.whole_words or None,
    )


def indexing(conn: sqlite3.Connection) -> Indexing | None:
    """How far the index is, while it does not know the whole history."""
    done, total = conn.execute(_STATE).fetchone()
    return Indexing(done=done, total=total) if done < total else None


def _walk(
    conn: sqlite3.Connection, query: SearchQuery, terms: SearchTerms, room_id: str | None
) -> tuple[list[tuple[Any, ...]], int | None]:
    """The rows of a page, and where the next one begins."""
    values = {
        "expression": terms.expression,
        "cursor": _TOP if query.cursor is None else query.cursor,
        "room": room_id,
        "author": _actors(conn, terms.author),
        "target": _actors(conn, terms.target),
        "before": terms.before,
        "after": terms.after,
        "code": terms.has_code,
        "history": terms.has_history,
        "walked": WALKED_FOR_CODE if terms.has_code else WALKED,
    }
    found: list[tuple[Any, ...]] = []
    walked, last = 0, None
    for *row, fits in conn.execute(_BY_WORDS if terms.expression else _BY_FILTERS, values):
        if fits and len(found) == query.limit:
            return found, last
        if fits:
            found.append(tuple(row))
        walked, last = walked + 1, row[0]
    return found, last if walked == values["walked"] else None


def _actors(conn: sqlite3.Connection, typed: str | None) -> str | None:
    """The ids of those that a filter means, as JSON: by id or by the name that is shown, in any
    case; several may have one name."""
    if typed is None:
        return None
    name = folded(typed)
    known = [
        actor_id
        for actor_id, shown in conn.execute(_ACTORS)
        if name in (folded(actor_id), folded(actor_id.partition(":")[2]), folded(shown))
    ]
    return orjson.dumps([typed, *known]).decode()


def _hit(conn: sqlite3.Connection, row: tuple[Any, ...], terms: SearchTerms) -> SearchHit:
    _, kind, ref_id, seq, room_id, author, at = row
    family = _FAMILIES.get(kind)
    record = None if family is None else find_record(conn, family, ref_id)
    text = document_text(conn, kind, ref_id, seq) if record is None else record.content
    return SearchHit(
        kind=kind,
        id=ref_id,
        seq=seq,
        room_id=room_id,
        actor_id=author,
        excerpt_html=excerpt_html(text, terms.needles),
        at=at,
        status=None if record is None else record.status,
        owner_actor_id=None if record is None else _owner(record),
    )


def _owner(record: AnyRecord) -> ActorId | None:
    if isinstance(record, IdentityRecord):
        return record.subject_actor_id
    return ActorId(record.scope_id) if record.scope_type == "agent" else None
