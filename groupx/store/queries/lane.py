"""What runs next in a lane, and how every lane stands."""

import sqlite3

from groupx.domain.ids import ActorId, RoomId
from groupx.domain.ledger import LaneHead
from groupx.domain.pages import LaneSnapshot
from groupx.domain.views import LaneView
from groupx.store.lane_rows import active_turn, queued_count
from groupx.store.queries.rooms import active_room
from groupx.store.session_era import ERA, read_era

_HEAD = f"""
SELECT t.turn_id, t.source_event_id, e.room_id, t.transport,
  (SELECT count(*) FROM turn_attempts a WHERE a.turn_id = t.turn_id), e.correlation_id,
  t.root_correlation_id, {ERA}
FROM turns t JOIN events e ON e.event_id = t.source_event_id
WHERE t.target_actor_id = :actor AND t.status = 'queued'
  AND t.enqueue_seq = (
    SELECT min(enqueue_seq) FROM turns WHERE target_actor_id = :actor AND status = 'queued')
  AND NOT EXISTS (
    SELECT 1 FROM turns WHERE target_actor_id = :actor
      AND status IN ('dispatching', 'running', 'cancelling'))
  AND NOT EXISTS (
    SELECT 1 FROM lane_states l
    WHERE l.room_id = e.room_id AND l.actor_id = :actor AND l.state = 'paused')
"""
_LANES = """
SELECT a.actor_id, l.state, l.reason, u.characters FROM actors a
LEFT JOIN lane_states l ON l.actor_id = a.actor_id AND l.room_id = :room
LEFT JOIN context_usage u
  ON u.actor_id = a.actor_id AND u.room_id = :room AND u.source = 'turn'
WHERE a.kind = 'agent' ORDER BY a.actor_id
"""


def lane_head(conn: sqlite3.Connection, actor_id: ActorId) -> LaneHead | None:
    """The turn to run now; None while the lane is empty, busy or paused."""
    row = conn.execute(_HEAD, {"actor": actor_id}).fetchone()
    if row is None:
        return None
    return LaneHead(
        turn_id=row[0],
        source_event_id=row[1],
        room_id=RoomId(row[2]),
        transport=row[3],
        attempts=row[4],
        correlation_id=row[5],
        root_correlation_id=row[6],
        era=read_era(row[7:]),
    )


def lane_views(conn: sqlite3.Connection, room_id: RoomId | None) -> tuple[LaneSnapshot, ...]:
    """Every agent's lane in one room (None = the active one)."""
    room_id = room_id or active_room(conn)
    return tuple(
        LaneSnapshot(
            actor_id=ActorId(actor_id),
            lane=LaneView(
                active_turn_id=active_turn(conn, actor_id), queued=queued_count(conn, actor_id)
            ),
            paused=state == "paused",
            reason=reason if state == "paused" else None,
            packet_characters=characters,
        )
        for actor_id, state, reason, characters in conn.execute(
            _LANES, {"room": room_id}
        ).fetchall()
    )
