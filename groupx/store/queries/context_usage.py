"""How full every agent's contexts are, by kind of request."""

import sqlite3

from groupx.domain.context_usage import ContextUsage
from groupx.domain.ids import ActorId, RoomId
from groupx.store.queries.rooms import active_room

_USAGE = """
SELECT actor_id, source, tracker, characters, tokens, epoch, revision, updated_at
FROM context_usage WHERE room_id = ? ORDER BY actor_id, source
"""


def usage_by_source(conn: sqlite3.Connection, room_id: RoomId | None) -> tuple[ContextUsage, ...]:
    """What is known of one room (None = the active one); unknown numbers are None."""
    return tuple(
        ContextUsage(
            actor_id=ActorId(row[0]),
            source=row[1],
            tracker=row[2],
            characters=row[3],
            tokens=row[4],
            epoch=row[5],
            revision=row[6],
            updated_at=row[7],
        )
        for row in conn.execute(_USAGE, (room_id or active_room(conn),))
    )
