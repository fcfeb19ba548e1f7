"""The turn that a program is working on: what its calls come out of."""

import sqlite3

import attrs

from groupx.domain.ids import ActorId, RoomId
from groupx.domain.turns import TurnStatus

_CALLING = """
SELECT t.turn_id, t.source_event_id, t.root_correlation_id, e.room_id, e.correlation_id, t.status
FROM turns t
JOIN turn_attempts a ON a.turn_id = t.turn_id
  AND a.terminal_at IS NULL AND a.dispatch_phase <> 'prepared'
JOIN events e ON e.event_id = t.source_event_id
WHERE t.target_actor_id = ? AND t.status IN ('dispatching', 'running', 'cancelling')
  AND a.instance_id = ?
"""


@attrs.frozen(kw_only=True)
class Calling:
    """Whose program, and which run of it."""

    actor_id: ActorId
    instance_id: str


@attrs.frozen(kw_only=True)
class CallingTurn:
    """A running turn as its own calls see it."""

    turn_id: str
    source_event_id: str
    root_correlation_id: str
    room_id: RoomId
    correlation_id: str
    status: TurnStatus


def calling_turn(conn: sqlite3.Connection, calling: Calling) -> CallingTurn | None:
    """The turn whose prompt this program was sent and has not ended; None when there is none."""
    row = conn.execute(_CALLING, (calling.actor_id, calling.instance_id)).fetchone()
    if row is None:
        return None
    return CallingTurn(
        turn_id=row[0],
        source_event_id=row[1],
        root_correlation_id=row[2],
        room_id=row[3],
        correlation_id=row[4],
        status=TurnStatus(row[5]),
    )
