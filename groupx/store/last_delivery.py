"""Into which native session an agent was last sent something for certain."""

import sqlite3

import attrs

from groupx.domain.ids import ActorId, RoomId
from groupx.domain.turns import TERMINAL
from groupx.store.session_era import IN_ERA

_LAST_DELIVERED = f"""
SELECT t.enqueue_seq, b.native_session_id, e.room_id, {IN_ERA}
FROM turns t
JOIN turn_attempts a ON a.turn_id = t.turn_id AND a.delivery_certainty = 'delivered'
JOIN session_bindings b ON b.binding_id = a.binding_id
JOIN events e ON e.event_id = t.source_event_id
WHERE t.target_actor_id = ? AND t.status = ?
ORDER BY t.enqueue_seq DESC LIMIT 1
"""


@attrs.frozen(kw_only=True)
class LastDelivery:
    """The delivery of the newest ended turn for which it is proven."""

    native_session_id: str | None
    room_id: RoomId
    in_era: bool
    """Whether sessions were not reset since."""


def last_delivery(conn: sqlite3.Connection, actor_id: ActorId) -> LastDelivery | None:
    """None when nothing was ever delivered for certain."""
    found = [
        row
        for status in TERMINAL
        if (row := conn.execute(_LAST_DELIVERED, (actor_id, status)).fetchone())
    ]
    if not found:
        return None
    _, session_id, room_id, in_era = max(found)
    return LastDelivery(native_session_id=session_id, room_id=RoomId(room_id), in_era=bool(in_era))
