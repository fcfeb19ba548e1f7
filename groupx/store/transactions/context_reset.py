"""Resetting a room's context: a floor that nothing later reaches under. No event is removed."""

from groupx.domain.context_reset import ContextReset, ResetContext
from groupx.domain.envelope import EventDraft, Provenance
from groupx.domain.event_types import TRANSCRIPT
from groupx.domain.ids import OPERATOR_BINDING, ActorId, RoomId
from groupx.store.command_rows import first_result, remember, sender_instance
from groupx.store.context_floor import reset_floor
from groupx.store.dated_sources import skip_all
from groupx.store.queries.rooms import active_room
from groupx.store.transaction import Transaction
from groupx.store.usage_rows import context_renewed

_SAID_SINCE = f"""
SELECT 1 FROM events WHERE room_id = ? AND seq > ? AND event_type IN {tuple(sorted(TRANSCRIPT))}
LIMIT 1
"""
_LAST = """
SELECT reset_native_sessions FROM context_resets WHERE room_id = ? ORDER BY rowid DESC LIMIT 1
"""
_NEWEST = "SELECT max(seq) FROM events WHERE room_id = ?"
_INSERT = """
INSERT INTO context_resets (reset_id, room_id, through_seq, reset_native_sessions, created_at)
VALUES (?, ?, ?, ?, ?)
"""
_SUPERSEDE = """
UPDATE summaries SET status = 'superseded'
WHERE room_id = ? AND status = 'active' AND through_seq <= ?
"""
SKIPPED = "reset"
"""The `skipped_reason` of turns that no memory of their day was made of when the line was drawn."""
_AGENTS = "SELECT actor_id FROM actors WHERE kind = 'agent' AND enabled = 1"


def reset_context(tx: Transaction, command: ResetContext) -> ContextReset:
    """Move the active room's floor to its newest event; a checkpoint at or under it ends, and of
    turns under it no memory is made any more.

    Where nothing was said since the last reset, nothing changes and nothing is written, unless
    sessions are to be renewed and it left them. With `reset_native_sessions` the lanes are woken,
    so that each agent leaves its session when idle.
    """
    known = first_result(tx, command.key)
    if known is not None:
        return ContextReset(through_seq=known["throughSeq"], changed=known["changed"])
    instance_id = sender_instance(tx, command.key, command.by)
    room_id = active_room(tx.conn)
    floor = reset_floor(tx.conn, room_id)
    answer = ContextReset(through_seq=floor, changed=False)
    sessions_left = command.reset_native_sessions and _left_sessions(tx, room_id)
    if sessions_left or tx.conn.execute(_SAID_SINCE, (room_id, floor)).fetchone():
        (newest,) = tx.conn.execute(_NEWEST, (room_id,)).fetchone()
        answer = ContextReset(through_seq=newest, changed=True)
        _write(tx, room_id, command, newest, instance_id)
    remember(tx, command.key, answer)
    return answer


def _left_sessions(tx: Transaction, room_id: RoomId) -> bool:
    """Whether the room's last reset let the agents keep their sessions."""
    return tx.conn.execute(_LAST, (room_id,)).fetchone() == (0,)


def _write(
    tx: Transaction, room_id: RoomId, command: ResetContext, through_seq: int, instance_id: str
) -> None:
    renewed = command.reset_native_sessions
    tx.conn.execute(_INSERT, (tx.ids.new("reset"), room_id, through_seq, renewed, tx.now))
    tx.conn.execute(_SUPERSEDE, (room_id, through_seq))
    skip_all(tx, room_id, SKIPPED)
    context_renewed(tx, room_id)
    operator = command.key.binding_id == OPERATOR_BINDING
    tx.emit(
        EventDraft(
            type="context.reset",
            room_id=room_id,
            actor_id=command.by,
            instance_id=instance_id,
            correlation_id=tx.ids.new("corr"),
            body={"throughSeq": through_seq, "resetNativeSessions": renewed},
            provenance=Provenance(
                source_kind="operator" if operator else "web", author_actor_id=command.by
            ),
        )
    )
    if renewed:
        for (actor_id,) in tx.conn.execute(_AGENTS).fetchall():
            tx.wake_lane(ActorId(actor_id))
