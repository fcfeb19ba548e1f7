"""Into which native session an agent was last sent something for certain."""

import sqlite3

from groupx.domain.ids import ActorId
from groupx.domain.turns import TERMINAL

_LAST_DELIVERED = """
SELECT t.enqueue_seq, b.native_session_id
FROM turns t
JOIN turn_attempts a ON a.turn_id = t.turn_id AND a.delivery_certainty = 'delivered'
JOIN session_bindings b ON b.binding_id = a.binding_id
WHERE t.target_actor_id = ? AND t.status = ?
ORDER BY t.enqueue_seq DESC LIMIT 1
"""


def last_delivery_session(conn: sqlite3.Connection, actor_id: ActorId) -> str | None:
    """The native session of the newest ended turn whose delivery is proven; None when there is
    none, or it had no session id."""
    found = [
        row
        for status in TERMINAL
        if (row := conn.execute(_LAST_DELIVERED, (actor_id, status)).fetchone())
    ]
    return max(found)[1] if found else None
