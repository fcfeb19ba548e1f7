"""A search: the newest hits first, page by page."""

import sqlite3
from typing import Any

from groupx.domain.search_excerpt import excerpt_html
from groupx.domain.search_page import Indexing, SearchHit, SearchPage, SearchQuery
from groupx.domain.search_query import SearchTerms, parse_search
from groupx.store.event_rows import load_json
from groupx.store.queries.rooms import active_room, must_exist
from groupx.store.search_rows import text_of

_COLUMNS = "d.doc_id, d.kind, d.ref_id, d.seq, d.room_id, d.author_actor_id, d.created_at"
_BY_WORDS = f"""
SELECT {_COLUMNS} FROM search_fts CROSS JOIN search_docs d ON d.doc_id = search_fts.rowid
WHERE search_fts MATCH :expression AND search_fts.rowid < :cursor
"""
_BY_FILTERS = f"SELECT {_COLUMNS} FROM search_docs d WHERE d.doc_id < :cursor\n"
_FILTERS = """
  AND (:room IS NULL OR d.room_id = :room)
  AND (:author IS NULL OR d.author_actor_id IN (:author, 'agent:' || :author, 'user:' || :author))
  AND (:before IS NULL OR d.created_at < :before)
  AND (:after IS NULL OR d.created_at >= :after)
  AND (:target IS NULL OR EXISTS (
    SELECT 1 FROM events e CROSS JOIN json_each(e.targets_json) t
    WHERE e.seq = d.seq AND t.value IN (:target, 'agent:' || :target, 'user:' || :target)))
  AND (NOT :code OR EXISTS (
    SELECT 1 FROM events e WHERE e.seq = d.seq AND instr(e.body_json, '```')))
"""
_BODY = "SELECT body_json FROM events WHERE seq = ?"
_STATE = """
SELECT indexed_through_seq, (SELECT ifnull(max(seq), 0) FROM events) FROM search_state
"""
_TOP = 2**62


def search(conn: sqlite3.Connection, query: SearchQuery) -> SearchPage:
    """Hits of one room or of all; none for a search that names nothing. NOT_FOUND for no such
    room."""
    room_id = None if query.all_rooms else (query.room_id or active_room(conn))
    if room_id is not None:
        must_exist(conn, room_id)
    terms = parse_search(query.text)
    rows: list[tuple[Any, ...]] = []
    if not terms.is_empty:
        select, key = (
            (_BY_WORDS, "search_fts.rowid") if terms.expression else (_BY_FILTERS, "d.doc_id")
        )
        select += f"{_FILTERS}ORDER BY {key} DESC LIMIT :limit"
        rows = conn.execute(select, _values(query, terms, room_id)).fetchall()
    shown = rows[: query.limit]
    return SearchPage(
        results=tuple(_hit(conn, row, terms) for row in shown),
        next_cursor=str(shown[-1][0]) if len(rows) > query.limit else None,
        indexing=indexing(conn),
    )


def indexing(conn: sqlite3.Connection) -> Indexing | None:
    """How far the index is, while it does not know the whole history."""
    done, total = conn.execute(_STATE).fetchone()
    return Indexing(done=done, total=total) if done < total else None


def _values(query: SearchQuery, terms: SearchTerms, room_id: str | None) -> dict[str, Any]:
    return {
        "expression": terms.expression,
        "cursor": _TOP if query.cursor is None else query.cursor,
        "room": room_id,
        "author": terms.author,
        "target": terms.target,
        "before": terms.before,
        "after": terms.after,
        "code": terms.has_code,
        "limit": query.limit + 1,
    }


def _hit(conn: sqlite3.Connection, row: tuple[Any, ...], terms: SearchTerms) -> SearchHit:
    _, kind, ref_id, seq, room_id, author, at = row
    (body,) = conn.execute(_BODY, (seq,)).fetchone()
    return SearchHit(
        kind=kind,
        id=ref_id,
        seq=seq,
        room_id=room_id,
        actor_id=author,
        excerpt_html=excerpt_html(text_of(load_json(body)), terms.needles),
        at=at,
    )
