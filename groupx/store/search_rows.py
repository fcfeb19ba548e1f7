"""The index of what can be searched: one document for each text, keyed by the seq that brought it.

The same function indexes an event in its own transaction and from the history, in any order.
"""

import sqlite3
from collections.abc import Mapping
from typing import Any

import attrs

from groupx.domain.search_text import MAX_INDEXED, index_tokens
from groupx.store.event_rows import content_of, load_json

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
    if kind in ("memory", "identity"):
        ref_id = event.body["record"][f"{kind}Id"]
    values = (event.seq, kind, ref_id, event.room_id, event.actor_id, event.seq, event.at)
    if conn.execute(_ADD, values).rowcount:
        conn.execute(_INDEX, (event.seq, _tokens(event.body)))


def forget_room(conn: sqlite3.Connection, room_id: str) -> None:
    """Take a room's documents out of the index, while their events are still there."""
    for kind, ref_id in conn.execute(_OF_ROOM, (room_id,)).fetchall():
        _forget(conn, kind, ref_id)


def text_of(body: Mapping[str, Any]) -> str:
    """The words of an event that brings a document."""
    return content_of(body.get("record", body))


def _forget(conn: sqlite3.Connection, kind: str, ref_id: str) -> None:
    row = conn.execute(_FIND, (kind, ref_id)).fetchone()
    if row is None:
        return
    doc_id, seq = row
    (body,) = conn.execute(_CONTENT, (seq,)).fetchone()
    conn.execute(_FORGET, (doc_id, _tokens(load_json(body))))
    conn.execute(_REMOVE, (doc_id,))


def _tokens(body: Mapping[str, Any]) -> str:
    return index_tokens(text_of(body)[:MAX_INDEXED])
