"""Whom the daemon that runs serves: the agents that its config has enabled."""

import sqlite3
from collections.abc import Set as AbstractSet

from groupx.domain.ids import ActorId
from groupx.store.transaction import Transaction

_SERVE = """
UPDATE actors SET enabled = :served, updated_at = :now
WHERE actor_id = :actor AND enabled <> :served
"""
_AGENTS = "SELECT actor_id FROM actors WHERE kind = 'agent'"
_IS_SERVED = "SELECT enabled FROM actors WHERE actor_id = ?"


def serve(tx: Transaction, roster: AbstractSet[ActorId]) -> None:
    """From now on these, and no other agent."""
    for (actor_id,) in tx.conn.execute(_AGENTS).fetchall():
        values = {"served": int(actor_id in roster), "now": tx.now, "actor": actor_id}
        tx.conn.execute(_SERVE, values)


def is_served(conn: sqlite3.Connection, actor_id: ActorId) -> bool:
    """Whether somebody takes this agent's turns."""
    return bool(conn.execute(_IS_SERVED, (actor_id,)).fetchone()[0])
