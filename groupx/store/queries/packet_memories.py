"""The active memories and identities that one agent's packet may hold."""

import sqlite3

from groupx.domain.memory_policy import DEFAULT_POLICY
from groupx.domain.packet_memories import Kept, PacketMemories
from groupx.store.policy_rows import find_policy
from groupx.store.turn_rows import TurnRow

MOST = 64
"""Of each sort, the newest: more than a packet shows."""
_MEMORY = """
SELECT m.memory_id, (SELECT e.seq FROM events e WHERE e.event_id = m.source_event_id), m.kind,
  m.author_actor_id, m.subject_actor_id, m.source_kind, m.content
FROM memory_records m
"""
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
  i.author_actor_id, i.subject_actor_id, i.source_kind, i.content
FROM identity_records i WHERE i.subject_actor_id = ? AND i.status = 'active'
ORDER BY i.created_at DESC, i.identity_id DESC LIMIT ?
"""


def packet_memories(conn: sqlite3.Connection, turn: TurnRow) -> PacketMemories:
    """For the target of `turn`; without memories where its policy says so."""
    target = turn.target_actor_id
    identity = _kept(conn, _IDENTITY, target)
    policy = find_policy(conn, turn.room_id, target) or DEFAULT_POLICY
    if not policy.use_memories:
        return PacketMemories(identity=identity)
    shared = (turn.room_id, turn.correlation_id, turn.root_correlation_id)
    return PacketMemories(
        core=_kept(conn, _OWN, target, "core"),
        dated=_kept(conn, _OWN, target, "dated"),
        room=_kept(conn, _SHARED, *shared),
        identity=identity,
    )


def _kept(conn: sqlite3.Connection, sql: str, *values: str) -> tuple[Kept, ...]:
    return tuple(
        Kept(
            record_id=row[0],
            seq=row[1],
            kind=row[2],
            author=row[3],
            subject=row[4],
            source_kind=row[5],
            content=row[6],
        )
        for row in conn.execute(sql, (*values, MOST))
    )
