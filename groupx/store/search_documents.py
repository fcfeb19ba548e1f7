"""A text that the index knows, as it is looked into and shown."""

import sqlite3
from collections.abc import Mapping
from typing import Any

import attrs

from groupx.domain.ids import ActorId
from groupx.domain.memory import AnyRecord, Family, IdentityRecord
from groupx.domain.search_excerpt import excerpt_html
from groupx.domain.search_folding import folded
from groupx.domain.search_needles import Needle
from groupx.domain.search_page import SearchHit
from groupx.domain.search_text import MAX_INDEXED
from groupx.store.record_rows import find_record
from groupx.store.search_rows import document_text

_DOCUMENT = """
SELECT kind, ref_id, seq, room_id, author_actor_id, created_at FROM search_docs WHERE doc_id = ?
"""
_FAMILIES: Mapping[str, Family] = {"memory": "memory", "identity": "identity"}


@attrs.frozen
class Document:
    """One text of the index, read."""

    row: tuple[Any, ...]
    record: AnyRecord | None
    text: str

    def has(self, needles: tuple[Needle, ...]) -> bool:
        """Whether what is indexed of it has all of them."""
        if not needles:
            return True
        text = folded(self.text[:MAX_INDEXED])
        return all(needle.is_in(text) for needle in needles)

    def hit(self, needles: tuple[Needle, ...]) -> SearchHit:
        """As it is shown."""
        kind, ref_id, seq, room_id, author, at = self.row
        return SearchHit(
            kind=kind,
            id=ref_id,
            seq=seq,
            room_id=room_id,
            actor_id=author,
            excerpt_html=excerpt_html(self.text, needles),
            at=at,
            status=None if self.record is None else self.record.status,
            owner_actor_id=None if self.record is None else _owner(self.record),
        )


def read_document(conn: sqlite3.Connection, doc_id: int) -> Document:
    """It must be there."""
    row = conn.execute(_DOCUMENT, (doc_id,)).fetchone()
    kind, ref_id, seq, *_ = row
    family = _FAMILIES.get(kind)
    record = None if family is None else find_record(conn, family, ref_id)
    text = document_text(conn, kind, ref_id, seq) if record is None else record.content
    return Document(row, record, text)


def _owner(record: AnyRecord) -> ActorId | None:
    if isinstance(record, IdentityRecord):
        return record.subject_actor_id
    return ActorId(record.scope_id) if record.scope_type == "agent" else None
