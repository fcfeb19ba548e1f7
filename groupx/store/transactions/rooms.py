"""Rooms as sessions: a new one takes the place of the active one; old ones are hidden or shown."""

from groupx.domain.errors import ErrorCode, GroupXError
from groupx.domain.ids import ActorId, RoomId
from groupx.domain.pages import RoomView
from groupx.domain.rooms import NewRoom, SetArchived
from groupx.store.command_rows import first_result, remember
from groupx.store.policy_rows import join
from groupx.store.queries.rooms import active_room, room
from groupx.store.transaction import Transaction

_OPEN_TURNS = """
SELECT count(*) FROM turns WHERE status IN ('queued', 'dispatching', 'running', 'cancelling')
"""
_LEAVE = "UPDATE rooms SET active = 0, archived_at = ? WHERE room_id = ?"
_ENTER = "INSERT INTO rooms (room_id, title, active, created_at) VALUES (?, ?, 1, ?)"
_KEEP_PAUSES = """
INSERT INTO lane_states (room_id, actor_id, state, reason, revision, updated_at)
SELECT ?, actor_id, state, reason, revision, updated_at FROM lane_states
WHERE room_id = ? AND state = 'paused'
"""
_KEEP_POLICIES = """
INSERT INTO memory_policies
  (room_id, actor_id, use_memories, generation, reason, source, revision, updated_at)
SELECT ?, actor_id, use_memories, generation, reason, source, revision, updated_at
FROM memory_policies WHERE room_id = ?
"""
_AGENTS = "SELECT actor_id FROM actors WHERE kind = 'agent' AND enabled = 1"
_ARCHIVE = "UPDATE rooms SET archived_at = ? WHERE room_id = ? AND archived_at IS NULL"
_UNARCHIVE = "UPDATE rooms SET archived_at = NULL WHERE room_id = ?"


def new_room(tx: Transaction, command: NewRoom) -> RoomView:
    """Archive the active room and open another; its id and title are the answer.

    STORE_CONFLICT while a turn is open anywhere. What only the user may change stays as it was:
    paused queues, and what was decided about the agents' memories. The lanes are woken, so that
    each agent leaves the old room's session.
    """
    known = first_result(tx, command.key)
    if known is not None:
        return room(tx.conn, known["roomId"])
    (open_turns,) = tx.conn.execute(_OPEN_TURNS).fetchone()
    if open_turns:
        raise GroupXError(
            ErrorCode.STORE_CONFLICT,
            f"{open_turns} turn(s) still wait or run in this room, so no new one was opened. "
            "Stop or remove them, or wait for their end.",
            openTurns=open_turns,
        )
    old, new = active_room(tx.conn), RoomId(tx.ids.new("room"))
    tx.conn.execute(_LEAVE, (tx.now, old))
    tx.conn.execute(_ENTER, (new, command.title or new, tx.now))
    tx.conn.execute(_KEEP_PAUSES, (new, old))
    tx.conn.execute(_KEEP_POLICIES, (new, old))
    agents = [ActorId(row[0]) for row in tx.conn.execute(_AGENTS)]
    join(tx, new, agents)
    for actor_id in agents:
        tx.wake_lane(actor_id)
    opened = room(tx.conn, new)
    remember(tx, command.key, opened)
    return opened


def set_archived(tx: Transaction, command: SetArchived) -> RoomView:
    """Archive or unarchive; NOT_FOUND, STORE_CONFLICT for the active room."""
    known = first_result(tx, command.key)
    found = room(tx.conn, command.room_id)
    if known is not None:
        return found
    if found.active and command.archived:
        raise GroupXError(
            ErrorCode.STORE_CONFLICT,
            "The active room cannot be archived; nothing was changed. Open a new room: that "
            "archives this one.",
        )
    if command.archived:
        tx.conn.execute(_ARCHIVE, (tx.now, command.room_id))
    else:
        tx.conn.execute(_UNARCHIVE, (command.room_id,))
    changed = room(tx.conn, command.room_id)
    remember(tx, command.key, changed)
    return changed
