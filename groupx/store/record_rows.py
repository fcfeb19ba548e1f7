"""Rows of memories and identities ↔ their records; both families are written the same way."""

import sqlite3
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import attrs

from groupx.domain.ids import Prefix
from groupx.domain.memory import AnyRecord, Family, IdentityRecord, MemoryRecord
from groupx.domain.wire import camel

MEMORY_COLUMNS = """m.memory_id, m.scope_type, m.scope_id, m.agent_memory_type, m.kind,
  m.author_actor_id, m.subject_actor_id, m.content, m.source_event_id, m.source_kind, m.status,
  m.supersedes_memory_id, m.created_at, m.retracted_at"""
"""What `memory_from` takes, of `memory_records m`."""
IDENTITY_COLUMNS = """i.identity_id, i.subject_actor_id, i.author_actor_id, i.kind, i.content,
  i.source_event_id, i.source_kind, i.status, i.supersedes_identity_id, i.created_at,
  i.retracted_at"""
"""What `identity_from` takes, of `identity_records i`."""


@attrs.frozen(kw_only=True)
class Shelf:
    """Where the records of one family are, and how they are named."""

    family: Family
    prefix: Prefix
    record: type[AnyRecord]
    find: str
    insert: str
    mark: str
    """Takes status, retracted_at, id: only an active record is changed."""


SHELVES: Mapping[Family, Shelf] = MappingProxyType(
    {
        "memory": Shelf(
            family="memory",
            prefix="mem",
            record=MemoryRecord,
            find=f"SELECT {MEMORY_COLUMNS} FROM memory_records m WHERE m.memory_id = ?",
            insert="""
            INSERT INTO memory_records (memory_id, scope_type, scope_id, agent_memory_type, kind,
              author_actor_id, subject_actor_id, content, source_event_id, source_kind, status,
              supersedes_memory_id, created_at, retracted_at)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """,
            mark="""UPDATE memory_records SET status = ?, retracted_at = ?
            WHERE memory_id = ? AND status = 'active'""",
        ),
        "identity": Shelf(
            family="identity",
            prefix="identity",
            record=IdentityRecord,
            find=f"SELECT {IDENTITY_COLUMNS} FROM identity_records i WHERE i.identity_id = ?",
            insert="""
            INSERT INTO identity_records (identity_id, subject_actor_id, author_actor_id, kind,
              content, source_event_id, source_kind, status, supersedes_identity_id, created_at,
              retracted_at)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """,
            mark="""UPDATE identity_records SET status = ?, retracted_at = ?
            WHERE identity_id = ? AND status = 'active'""",
        ),
    }
)


def memory_from(row: tuple[Any, ...]) -> MemoryRecord:
    """The record of one row of MEMORY_COLUMNS."""
    return MemoryRecord(**_named(MemoryRecord, row))


def identity_from(row: tuple[Any, ...]) -> IdentityRecord:
    """The record of one row of IDENTITY_COLUMNS."""
    return IdentityRecord(**_named(IdentityRecord, row))


def find_record(conn: sqlite3.Connection, family: Family, record_id: str) -> AnyRecord | None:
    """One record, whatever its status."""
    row = conn.execute(SHELVES[family].find, (record_id,)).fetchone()
    if row is None:
        return None
    return memory_from(row) if family == "memory" else identity_from(row)


def insert_record(conn: sqlite3.Connection, family: Family, record: AnyRecord) -> None:
    """Write a new one."""
    conn.execute(SHELVES[family].insert, attrs.astuple(record, recurse=False))


def record_from_wire(family: Family, wire: Mapping[str, Any]) -> AnyRecord:
    """The record whose wire form was remembered."""
    cls = SHELVES[family].record
    fields: dict[str, Any] = {name: wire.get(camel(name)) for name in _names(cls)}
    return cls(**fields)


def _named(cls: type[AnyRecord], row: tuple[Any, ...]) -> dict[str, Any]:
    return dict(zip(_names(cls), row, strict=True))


def _names(cls: type[AnyRecord]) -> list[str]:
    return [field.name for field in attrs.fields(cls)]
