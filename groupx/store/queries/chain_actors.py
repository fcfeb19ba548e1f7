"""Who stands above a turn."""

import sqlite3

from groupx.domain.ids import ActorId
from groupx.store.turn_rows import find_turn, get_turn

MAX_CHAIN = 64


def chain_actors(conn: sqlite3.Connection, turn_id: str) -> frozenset[ActorId]:
    """The agents of the turns above this one, and its own: what they are sent now waits for it."""
    turn = get_turn(conn, turn_id)
    actors = {turn.target_actor_id}
    for _ in range(MAX_CHAIN):
        above = None if turn.parent_turn_id is None else find_turn(conn, turn.parent_turn_id)
        if above is None:
            break
        actors.add(above.target_actor_id)
        turn = above
    return frozenset(actors)
