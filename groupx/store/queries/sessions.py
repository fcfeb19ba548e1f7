"""The native session that an agent may go on with, and whether one ever knew anything."""

import sqlite3

import attrs

from groupx.domain.ids import ActorId
from groupx.domain.turns import TERMINAL
from groupx.store.last_delivery import last_delivery
from groupx.store.queries.rooms import active_room
from groupx.store.session_era import IN_ERA

_LAST = """
SELECT b.binding_id, b.native_session_id, b.protocol, i.adapter_id
FROM session_bindings b JOIN agent_instances i ON i.instance_id = b.instance_id
WHERE b.actor_id = :actor AND b.transport = 'structured' AND b.native_session_id IS NOT NULL
ORDER BY b.rowid DESC LIMIT 1
"""
_LAST_PROMPTED = f"""
SELECT t.enqueue_seq, e.room_id, {IN_ERA}
FROM turns t
JOIN turn_attempts a ON a.turn_id = t.turn_id AND a.prompt_invoked_at IS NOT NULL
JOIN events e ON e.event_id = t.source_event_id
WHERE t.target_actor_id = ? AND t.status = ?
ORDER BY t.enqueue_seq DESC LIMIT 1
"""


@attrs.frozen(kw_only=True)
class LastSession:
    """A session that was open once; whether it can be resumed, only its program can tell."""

    binding_id: str
    native_session_id: str
    protocol: str
    adapter_id: str


def last_session(conn: sqlite3.Connection, actor_id: ActorId) -> LastSession | None:
    """The agent's newest native session since sessions were last reset; None = start anew.

    Only one that a prompt provably reached: a program may keep nothing of a session before that.
    And only one of the active room: what was said in another is not to be remembered in this.
    """
    row = conn.execute(_LAST, {"actor": actor_id}).fetchone()
    last = last_delivery(conn, actor_id)
    if row is None or last is None or last.native_session_id != row[1]:
        return None
    if not last.in_era or last.room_id != active_room(conn):
        return None
    return LastSession(
        binding_id=row[0], native_session_id=row[1], protocol=row[2], adapter_id=row[3]
    )


def was_prompted(conn: sqlite3.Connection, actor_id: ActorId) -> bool:
    """Whether a session of the agent was sent anything in the active room since sessions were
    last reset. One that begins now is then told again what that one knew."""
    found = [
        row
        for status in TERMINAL
        if (row := conn.execute(_LAST_PROMPTED, (actor_id, status)).fetchone())
    ]
    if not found:
        return False
    _, room_id, in_era = max(found)
    return bool(in_era) and room_id == active_room(conn)
