"""The active memories and identities that one agent's packet may hold."""

import sqlite3
from typing import Any

from groupx.domain.memory import AUTOMATIC
from groupx.domain.memory_policy import DEFAULT_POLICY
from groupx.domain.packet_memories import Kept, PacketMemories, Sort
from groupx.store.policy_rows import find_policy
from groupx.store.turn_rows import TurnRow

MOST = 64
"""Of each sort, the newest; a packet says how many it does not show."""
_TOTAL = 8
_AT = f"""
CASE WHEN m.source_kind IN {tuple(sorted(AUTOMATIC))} THEN coalesce(
  (SELECT e.occurred_at FROM events e WHERE e.event_id = m.source_event_id), m.created_at)
ELSE m.created_at END
"""
_MEMORY = f"""
SELECT m.memory_id, (SELECT e.seq FROM events e WHERE e.event_id = m.source_event_id), m.kind,
  m.author_actor_id, m.subject_actor_id, m.source_kind, m.content,
  {_AT}, count(*) OVER ()
FROM memory_records m
"""
ONE_MEMORY = _MEMORY + "WHERE m.memory_id = ?"
_NEWEST = " ORDER BY m.created_at DESC, m.memory_id DESC LIMIT ?"
_OWN = (
    _MEMORY
    + """WHERE m.scope_type = 'agent' AND m.scope_id = ? AND m.agent_memory_type = ?
  AND m.status = 'active'"""
    + _NEWEST
)
_SHARED = (
    _MEMORY
    + """WHERE (m.scope_type = 'room' AND m.scope_id = ? AND m.status = 'active')
  OR (m.scope_type = 'correlation' AND m.scope_id IN (?, ?) AND m.status = 'active')"""
    + _NEWEST
)
_IDENTITY = """
SELECT i.identity_id, (SELECT e.seq FROM events e WHERE e.event_id = i.source_event_id), i.kind,
  i.author_actor_id, i.subject_actor_id, i.source_kind, i.content,
  i.created_at, count(*) OVER ()
FROM identity_records i
"""
ONE_IDENTITY = _IDENTITY + "WHERE i.identity_id = ?"
_ABOUT = (
    _IDENTITY
    + """WHERE i.subject_actor_id = ? AND i.status = 'active'
ORDER BY i.created_at DESC, i.identity_id DESC LIMIT ?"""
)


def packet_memories(conn: sqlite3.Connection, turn: TurnRow) -> PacketMemories:
    """For the target of `turn`; without memories where its policy says so."""
    target = turn.target_actor_id
    older: dict[Sort, int] = {}

    def newest(sort: Sort, sql: str, *values: str) -> tuple[Kept, ...]:
        rows = conn.execute(sql, (*values, MOST)).fetchall()
        if len(rows) == MOST:
            older[sort] = rows[0][_TOTAL] - MOST
        return tuple(kept_from(row) for row in rows)

    identity = newest("identity", _ABOUT, target)
    policy = find_policy(conn, turn.room_id, target) or DEFAULT_POLICY
    if not policy.use_memories:
        return PacketMemories(identity=identity, older=older)
    shared = (turn.room_id, turn.correlation_id, turn.root_correlation_id)
    return PacketMemories(
        core=newest("core", _OWN, target, "core"),
        dated=newest("dated", _OWN, target, "dated"),
        room=newest("room", _SHARED, *shared),
        identity=identity,
        older=older,
    )


def kept_from(row: tuple[Any, ...]) -> Kept:
    """Of a row of `ONE_MEMORY` or `ONE_IDENTITY`."""
    return Kept(
        record_id=row[0],
        seq=row[1],
        kind=row[2],
        author=row[3],
        subject=row[4],
        source_kind=row[5],
        content=row[6],
        at=row[7],
    )
