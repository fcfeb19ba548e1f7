"""A search: the newest hits first, slice by slice."""

import sqlite3

import orjson

from groupx.domain.search_folding import folded
from groupx.domain.search_needles import Needle
from groupx.domain.search_page import Indexing, SearchHit, SearchQuery, SearchSlice
from groupx.domain.search_query import SearchTerms, parse_search
from groupx.store.queries.rooms import active_room, must_exist
from groupx.store.search_beginnings import common_of
from groupx.store.search_documents import read_document

WALKED = 1_000
"""Documents that one slice looks at: then it ends, and its cursor goes on from there."""
WALKED_FOR_CODE = 150
"""When each has to be looked into."""
READ_TEXTS = 150
READ_CHARACTERS = 60_000
"""What a slice reads to see whether it fits, or to show it; there it ends too."""

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
_BY_WORDS = f"""
SELECT d.doc_id, {_FITS}
FROM search_fts CROSS JOIN search_docs d ON d.doc_id = search_fts.rowid
WHERE search_fts MATCH :expression AND search_fts.rowid < :cursor
ORDER BY search_fts.rowid DESC LIMIT :walked
"""
_BY_FILTERS = f"""
SELECT d.doc_id, {_FITS}
FROM search_docs d WHERE d.doc_id < :cursor ORDER BY d.doc_id DESC LIMIT :walked
"""
_STATE = """
SELECT indexed_through_seq, (SELECT ifnull(max(seq), 0) FROM events) FROM search_state
"""
_ACTORS = "SELECT actor_id, display_name FROM actors"
_TOP = 2**62


def search(conn: sqlite3.Connection, query: SearchQuery) -> SearchSlice:
    """One slice of a search, of one room or of all: some milliseconds of it. It may be short, or
    empty, and still have a next one; `actors/searching.py` makes a page of several.

    Nothing for a search that names nothing, or an author who never was here. NOT_FOUND for no such
    room.
    """
    room_id = None if query.all_rooms else (query.room_id or active_room(conn))
    if room_id is not None:
        must_exist(conn, room_id)
    terms = parse_search(query.text)
    if terms.is_empty or (terms.author is not None and not _actors(conn, terms.author)):
        return SearchSlice(results=(), indexing=indexing(conn))
    common = common_of(conn, terms.beginnings) if query.common is None else query.common
    hits, next_cursor = _walk(conn, query, room_id, *terms.without(common))
    return SearchSlice(
        results=hits,
        next_cursor=None if next_cursor is None else str(next_cursor),
        indexing=indexing(conn),
        common=common,
    )


def indexing(conn: sqlite3.Connection) -> Indexing | None:
    """How far the index is, while it does not know the whole history."""
    done, total = conn.execute(_STATE).fetchone()
    return Indexing(done=done, total=total) if done < total else None


def _walk(
    conn: sqlite3.Connection,
    query: SearchQuery,
    room_id: str | None,
    terms: SearchTerms,
    common: tuple[Needle, ...],
) -> tuple[tuple[SearchHit, ...], int | None]:
    """The hits of a slice, and where the next one begins. `common` is looked for in the texts
    themselves: one of the next has it."""
    values = {
        "expression": terms.expression,
        "cursor": _TOP if query.cursor is None else query.cursor,
        "room": room_id,
        "author": _json(conn, terms.author),
        "target": _json(conn, terms.target),
        "before": terms.before,
        "after": terms.after,
        "code": terms.has_code,
        "history": terms.has_history,
        "walked": WALKED_FOR_CODE if terms.has_code else WALKED,
    }
    found: list[SearchHit] = []
    walked, read, characters, last = 0, 0, 0, None
    for doc_id, fits in conn.execute(_BY_WORDS if terms.expression else _BY_FILTERS, values):
        if fits:
            if len(found) == query.limit or read == READ_TEXTS or characters > READ_CHARACTERS:
                return tuple(found), last
            document = read_document(conn, doc_id)
            read, characters = read + 1, characters + len(document.text)
            if document.has(common):
                found.append(document.hit(terms.needles))
        walked, last = walked + 1, doc_id
    return tuple(found), last if walked == values["walked"] else None


def _json(conn: sqlite3.Connection, typed: str | None) -> str | None:
    """The ids that a filter means, also that of an actor who is not known."""
    return None if typed is None else orjson.dumps([typed, *_actors(conn, typed)]).decode()


def _actors(conn: sqlite3.Connection, typed: str) -> list[str]:
    """The known ones that a filter means: by id or by the name that is shown, in any case; several
    may have one name."""
    name = folded(typed)
    return [
        actor_id
        for actor_id, shown in conn.execute(_ACTORS)
        if name in (folded(actor_id), folded(actor_id.partition(":")[2]), folded(shown))
    ]
