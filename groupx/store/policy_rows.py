"""Rows of memory policies: one for an agent in a room, one that its room gives to new agents."""

import sqlite3
from collections.abc import Iterable, Mapping
from types import MappingProxyType

from groupx.domain.ids import SYSTEM, ActorId, RoomId
from groupx.domain.memory_policy import DEFAULT_POLICY, Generation, MemoryPolicy
from groupx.store.transaction import Transaction

_FIND = """
SELECT use_memories, generation, reason, source, revision, updated_at
FROM memory_policies WHERE room_id = ? AND actor_id = ?
"""
_HAS_COME = """
SELECT 1 FROM session_bindings WHERE actor_id = ?
  AND created_at >= (SELECT created_at FROM rooms WHERE room_id = ?) LIMIT 1
"""
_INHERIT = """
INSERT INTO memory_policies
  (room_id, actor_id, use_memories, generation, reason, source, revision, updated_at)
SELECT room_id, ?, use_memories, generation, reason, 'room_default', 1, ?
FROM memory_policies WHERE room_id = ? AND actor_id = ?
ON CONFLICT (room_id, actor_id) DO NOTHING
"""

SKIPPED: Mapping[Generation, str] = MappingProxyType(
    {"disabled": "policy_disabled", "excluded": "policy_excluded"}
)
"""Generation → the `skipped_reason` of dated work that it forbids."""


def find_policy(conn: sqlite3.Connection, room_id: str, actor_id: str) -> MemoryPolicy | None:
    """The stored policy; None when nobody has set one."""
    row = conn.execute(_FIND, (room_id, actor_id)).fetchone()
    if row is None:
        return None
    return MemoryPolicy(
        use_memories=bool(row[0]),
        generation=row[1],
        reason=row[2],
        source=row[3],
        revision=row[4],
        updated_at=row[5],
    )


def forbids_dated(conn: sqlite3.Connection, room_id: str, actor_id: str) -> str | None:
    """Why no dated memory is made of this agent's work now; None when it is made."""
    policy = find_policy(conn, room_id, actor_id) or DEFAULT_POLICY
    return SKIPPED.get(policy.generation)


def join(tx: Transaction, room_id: RoomId, actors: Iterable[ActorId]) -> None:
    """Give the room's default to those who never had a session while this room was there.

    A room without a default gives nothing, and nobody who is there already is changed.
    """
    if find_policy(tx.conn, room_id, SYSTEM) is None:
        return
    for actor_id in actors:
        if not tx.conn.execute(_HAS_COME, (actor_id, room_id)).fetchone():
            tx.conn.execute(_INHERIT, (actor_id, tx.now, room_id, SYSTEM))
