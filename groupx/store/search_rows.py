"""The index of what can be searched: one document for each text, keyed by the seq that brought it.

The same function indexes an event in its own transaction and from the history, in any order.
"""

import sqlite3
from collections.abc import Mapping
from typing import Any, cast

import attrs

from groupx.domain.search_records import marked
from groupx.domain.search_text import MAX_INDEXED, index_tokens
from groupx.store.event_rows import content_of, load_json
from groupx.store.record_rows import SHELVES, find_record
from groupx.store.search_index import keep_in_step

_ADD = """
INSERT OR IGNORE INTO search_docs (
  doc_id, kind, ref_id, room_id, author_actor_id, seq, created_at
) VALUES (?,?,?,?,?,?,?)
"""
_INDEX = "INSERT INTO search_fts (rowid, content) VALUES (?, ?)"
_FORGET = "INSERT INTO search_fts (search_fts, rowid, content) VALUES ('delete', ?, ?)"
_FIND = "SELECT doc_id, seq FROM search_docs WHERE kind = ? AND ref_id = ?"
_OF_ROOM = "SELECT kind, ref_id FROM search_docs WHERE room_id = ?"
_REMOVE = "DELETE FROM search_docs WHERE doc_id = ?"
_CONTENT = "SELECT body_json FROM events WHERE seq = ?"
_ADVANCE = """
UPDATE search_state SET indexed_through_seq = :seq
WHERE singleton = 1
  AND indexed_through_seq >= (SELECT ifnull(max(seq), 0) FROM events WHERE seq < :seq)
"""

KINDS: Mapping[str, str] = {
    "message.created": "message",
    "operator.dispatch": "dispatch",
    "memory.remembered": "memory",
    "memory.superseded": "memory",
    "identity.remembered": "identity",
    "identity.superseded": "identity",
}
"""Event type → the kind of document that it brings."""
WITHDRAWN = "message.withdrawn"
WATCH_BRIEF = "supervision.watch"


@attrs.frozen(kw_only=True)
class Indexable:
    """One event, as far as the index needs it."""

    seq: int
    type: str
    event_id: str
    room_id: str
    actor_id: str
    at: str
    body: Mapping[str, Any]


def index_new(conn: sqlite3.Connection, event: Indexable) -> None:
    """Index what was just written; the watermark follows where nothing before it is missing."""
    index_event(conn, event)
    conn.execute(_ADVANCE, {"seq": event.seq})


def index_event(conn: sqlite3.Connection, event: Indexable) -> None:
    """Index the text that an event brings, once, or forget the one that it takes back."""
    if event.type == WITHDRAWN:
        _forget(conn, "message", event.body["messageEventId"])
        return
    kind = KINDS.get(event.type)
    if kind is None or event.body.get("kind") == WATCH_BRIEF:
        return
    ref_id = event.event_id
    if kind in SHELVES:
        ref_id = _record(event.body).get(f"{kind}Id")
        if not isinstance(ref_id, str):
            return
    values = (event.seq, kind, ref_id, event.room_id, event.actor_id, event.seq, event.at)
    index_document(conn, values, text_of(event.body))


def index_document(conn: sqlite3.Connection, values: tuple[Any, ...], text: str) -> None:
    """Index one text, unless it is indexed; `values` are its row of `search_docs`."""
    if conn.execute(_ADD, values).rowcount:
        conn.execute(_INDEX, (values[0], _tokens(values[1], text)))


def forget_room(conn: sqlite3.Connection, room_id: str) -> None:
    """Take a room's documents out of the index, while their events are still there."""
    for kind, ref_id in conn.execute(_OF_ROOM, (room_id,)).fetchall():
        _forget(conn, kind, ref_id)


def text_of(body: Mapping[str, Any]) -> str:
    """The words of an event that brings a document."""
    return content_of(_record(body) if "record" in body else body)


def document_text(conn: sqlite3.Connection, kind: str, ref_id: str, seq: int | None) -> str:
    """What was indexed of a document, whole: what its event says, or else its record."""
    if seq is not None:
        return text_of(load_json(conn.execute(_CONTENT, (seq,)).fetchone()[0]))
    record = find_record(conn, "memory" if kind == "memory" else "identity", ref_id)
    return "" if record is None else record.content


def _record(body: Mapping[str, Any]) -> Mapping[str, Any]:
    record = body.get("record")
    return cast("dict[str, Any]", record) if isinstance(record, dict) else {}


def _forget(conn: sqlite3.Connection, kind: str, ref_id: str) -> None:
    keep_in_step(conn)
    row = conn.execute(_FIND, (kind, ref_id)).fetchone()
    if row is None:
        return
    doc_id, seq = row
    conn.execute(_FORGET, (doc_id, _tokens(kind, document_text(conn, kind, ref_id, seq))))
    conn.execute(_REMOVE, (doc_id,))


def _tokens(kind: str, text: str) -> str:
    """What is indexed of a document, and so what the index is told to forget."""
    tokens = index_tokens(text[:MAX_INDEXED])
    return marked(tokens) if kind in SHELVES else tokens
