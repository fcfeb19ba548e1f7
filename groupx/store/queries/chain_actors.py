"""Who stands above a turn."""

import sqlite3

from groupx.domain.ids import ActorId
from groupx.store.chain import chain_of
from groupx.store.turn_rows import get_turn


def chain_actors(conn: sqlite3.Connection, turn_id: str) -> frozenset[ActorId]:
    """The agents of the turns above this one, and its own: what they are sent now waits for it."""
    return frozenset(link.target_actor_id for link in chain_of(conn, get_turn(conn, turn_id)))
