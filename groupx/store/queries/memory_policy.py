"""One agent's memory policy, as it holds now."""

import sqlite3

from groupx.domain.ids import SYSTEM
from groupx.domain.memory_policy import MemoryPolicy, PolicyQuery
from groupx.store.agent_rows import must_be_agent
from groupx.store.policy_rows import find_policy
from groupx.store.queries.rooms import asked_room


def read_policy(conn: sqlite3.Connection, query: PolicyQuery) -> MemoryPolicy:
    """The stored one, else exactly the caller's default at revision 0; writes nothing.

    UNKNOWN_ACTOR, NOT_FOUND for no such room.
    """
    if query.actor_id != SYSTEM:
        must_be_agent(conn, query.actor_id)
    room_id = asked_room(conn, query.room_id)
    return find_policy(conn, room_id, query.actor_id) or query.default
