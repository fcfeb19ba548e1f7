"""Where one turn stands."""

import sqlite3

from groupx.domain.turns import TurnStatus
from groupx.store.turn_rows import get_turn


def turn_status(conn: sqlite3.Connection, turn_id: str) -> TurnStatus:
    """Its status; NOT_FOUND for an unknown turn."""
    return get_turn(conn, turn_id).status
