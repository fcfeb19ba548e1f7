"""A lane's pause: durable, revised, and lifted only by a command."""

from typing import Any

from groupx.domain.commands import LaneCommand, LaneState
from groupx.domain.envelope import EventDraft, Provenance, actor_kind
from groupx.domain.errors import ErrorCode, GroupXError
from groupx.domain.ids import OPERATOR_BINDING
from groupx.store.command_rows import first_result, remember, sender_instance
from groupx.store.queries.rooms import active_room
from groupx.store.transaction import Transaction

_AGENT = "SELECT 1 FROM actors WHERE actor_id = ? AND kind = 'agent'"
_STATE = "SELECT state, reason, revision FROM lane_states WHERE room_id = ? AND actor_id = ?"
_SET = """
INSERT INTO lane_states (room_id, actor_id, state, reason, revision, updated_at)
VALUES (?, ?, ?, ?, ?, ?)
ON CONFLICT (room_id, actor_id) DO UPDATE SET state = excluded.state, reason = excluded.reason,
  revision = excluded.revision, updated_at = excluded.updated_at
"""
_EVENT = {"paused": "lane.paused", "runnable": "lane.resumed"}


def set_lane(tx: Transaction, command: LaneCommand) -> LaneState:
    """The lane's state afterwards; a lane that is already so is left as it is, without event.

    UNKNOWN_ACTOR when the lane is nobody's, MCP_BINDING_MISMATCH when no person asks: nothing
    else ever lifts a pause.
    """
    known = first_result(tx, command.key)
    if known is not None:
        return LaneState(
            room_id=known["roomId"],
            actor_id=known["actorId"],
            state=known["state"],
            reason=known.get("reason"),
            revision=known["revision"],
        )
    instance_id = sender_instance(tx, command.key, command.by)
    if actor_kind(command.by) != "user":
        raise GroupXError(
            ErrorCode.MCP_BINDING_MISMATCH,
            "Only the user pauses a queue or lets it go on; nothing was changed.",
        )
    if not tx.conn.execute(_AGENT, (command.actor_id,)).fetchone():
        raise GroupXError(
            ErrorCode.UNKNOWN_ACTOR,
            f"There is no agent '{command.actor_id}'; nothing was changed.",
        )
    now = _current(tx, command)
    if now.state != command.state:
        now = _change(tx, command, now.revision + 1, instance_id)
    remember(tx, command.key, now)
    tx.wake_lane(command.actor_id)
    return now


def _current(tx: Transaction, command: LaneCommand) -> LaneState:
    room_id = active_room(tx.conn)
    row = tx.conn.execute(_STATE, (room_id, command.actor_id)).fetchone()
    state, reason, revision = row or ("runnable", None, 0)
    return LaneState(
        room_id=room_id,
        actor_id=command.actor_id,
        state=state,
        reason=reason,
        revision=revision,
    )


def _change(tx: Transaction, command: LaneCommand, revision: int, instance_id: str) -> LaneState:
    lane = LaneState(
        room_id=active_room(tx.conn),
        actor_id=command.actor_id,
        state=command.state,
        reason=command.reason,
        revision=revision,
    )
    tx.conn.execute(_SET, (lane.room_id, lane.actor_id, lane.state, lane.reason, revision, tx.now))
    body: dict[str, Any] = {"actorId": lane.actor_id, "revision": revision}
    if lane.reason is not None:
        body["reason"] = lane.reason
    operator = command.key.binding_id == OPERATOR_BINDING
    tx.emit(
        EventDraft(
            type=_EVENT[lane.state],
            room_id=lane.room_id,
            actor_id=command.by,
            correlation_id=tx.ids.new("corr"),
            body=body,
            instance_id=instance_id,
            provenance=Provenance(source_kind="operator" if operator else "web"),
        )
    )
    return lane
