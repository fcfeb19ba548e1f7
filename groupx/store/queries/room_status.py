"""The active room in brief: which one it is, and its open turns."""

import sqlite3

import attrs

from groupx.domain.ids import ActorId
from groupx.domain.pages import RoomView
from groupx.domain.turns import TurnStatus
from groupx.domain.wire import optional
from groupx.store.event_rows import readable
from groupx.store.queries.rooms import active_room, room
from groupx.store.turn_views import open_turns

MAX_TURNS = 40
TASK_CHARACTERS = 160
_AGENTS = "SELECT actor_id FROM actors WHERE kind = 'agent' ORDER BY actor_id"
_SOURCE = f"""
SELECT actor_id, substr(json_extract({readable("body_json")}, '$.content'), 1, ?)
FROM events WHERE event_id = ?
"""


@attrs.frozen(kw_only=True)
class OpenTurn:
    """A turn that runs or waits."""

    turn_id: str
    target: ActorId
    status: TurnStatus
    queue_position: int | None = optional()
    queued_at: str
    started_at: str | None = optional()
    source_event_id: str
    author: ActorId
    task: str
    """The beginning of what it is about."""


@attrs.frozen(kw_only=True)
class RoomStatus:
    """`more`: there are further open turns."""

    room: RoomView
    turns: tuple[OpenTurn, ...]
    more: bool


def room_status(conn: sqlite3.Connection, _query: None) -> RoomStatus:
    """Each lane's active turn, then its queue from the front."""
    about = room(conn, active_room(conn))
    agents = [row[0] for row in conn.execute(_AGENTS)]
    found = [
        turn for turn in open_turns(conn, agents, MAX_TURNS + 1) if turn.room_id == about.room_id
    ]
    turns: list[OpenTurn] = []
    for turn in found[:MAX_TURNS]:
        author, task = conn.execute(_SOURCE, (TASK_CHARACTERS, turn.source_event_id)).fetchone()
        turns.append(
            OpenTurn(
                turn_id=turn.turn_id,
                target=turn.target_actor_id,
                status=turn.status,
                queue_position=turn.queue_position,
                queued_at=turn.queued_at,
                started_at=turn.started_at,
                source_event_id=turn.source_event_id,
                author=author,
                task=task or "",
            )
        )
    return RoomStatus(room=about, turns=tuple(turns), more=len(found) > MAX_TURNS)
