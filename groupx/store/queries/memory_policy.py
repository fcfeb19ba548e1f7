"""One agent's memory policy, as it holds now."""

import sqlite3

from groupx.domain.memory_policy import MemoryPolicy, PolicyQuery
from groupx.store.policy_rows import find_policy
from groupx.store.queries.rooms import active_room


def read_policy(conn: sqlite3.Connection, query: PolicyQuery) -> MemoryPolicy:
    """The stored one, else exactly the caller's default at revision 0; writes nothing."""
    room_id = query.room_id or active_room(conn)
    return find_policy(conn, room_id, query.actor_id) or query.default
