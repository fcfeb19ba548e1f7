"""What one turn's context packet begins with, and from where on its transcript is to be read."""

import sqlite3

from groupx.domain.errors import ErrorCode, GroupXError
from groupx.domain.event_types import TRANSCRIPT
from groupx.domain.ids import ActorId
from groupx.domain.packet_inputs import PacketInputs, PacketQuery, WatchedPair
from groupx.domain.supervision import WATCH_BRIEF
from groupx.store.context_floor import reset_floor
from groupx.store.last_delivery import last_delivery
from groupx.store.queries.packet_memories import packet_memories
from groupx.store.summary_rows import active_summary
from groupx.store.supervision_rows import members, place_of, task_of
from groupx.store.transcript import entry
from groupx.store.turn_rows import TurnRow, get_turn

_CURSOR = "SELECT last_delivered_seq FROM delivery_cursors WHERE actor_id = ? AND room_id = ?"
_SAID_BETWEEN = f"""
SELECT 1 FROM events WHERE room_id = ? AND seq > ? AND seq < ?
  AND event_type IN {tuple(sorted(TRANSCRIPT))}
  AND coalesce(json_extract(body_json, '$.kind'), '') <> '{WATCH_BRIEF}' LIMIT 1
"""
_NAMES = "SELECT actor_id, display_name FROM actors"


def packet_head(conn: sqlite3.Connection, query: PacketQuery) -> PacketInputs:
    """One snapshot for one turn, with nothing of its transcript and reply chain; NOT_FOUND."""
    turn = get_turn(conn, query.turn_id)
    source = entry(conn, turn.source_event_id, turn.target_actor_id)
    if source is None:
        raise GroupXError(ErrorCode.NOT_FOUND, f"Turn '{turn.turn_id}' has no source event.")
    forwarded = source.forwarded_event_id
    cursor = conn.execute(_CURSOR, (turn.target_actor_id, turn.room_id)).fetchone()
    last_delivered_seq = 0 if cursor is None else cursor[0]
    knows = _knows_cursor(conn, turn, query.native_session_id)
    floor = reset_floor(conn, turn.room_id)
    queued_seq = _queued_later(conn, turn)
    through_seq = max(source.seq, queued_seq)
    active = active_summary(conn, turn.room_id, above=floor)
    summary = active if active is not None and active.through_seq < through_seq else None
    covered = last_delivered_seq if knows else (summary.through_seq if summary else 0)
    lower_seq = max(floor, covered)
    names = {ActorId(actor_id): name for actor_id, name in conn.execute(_NAMES)}
    return PacketInputs(
        turn_id=turn.turn_id,
        room_id=turn.room_id,
        target_actor_id=turn.target_actor_id,
        target_name=names[turn.target_actor_id],
        trigger_kind=turn.trigger_kind,
        hop_count=turn.hop_count,
        parent_turn_id=turn.parent_turn_id,
        root_correlation_id=turn.root_correlation_id,
        source=source,
        forwarded=entry(conn, forwarded, turn.target_actor_id) if forwarded else None,
        queued_seq=queued_seq,
        last_delivered_seq=last_delivered_seq,
        session_knows_cursor=knows,
        reset_through_seq=floor,
        summary=summary,
        later_summary=active if summary is None else None,
        lower_seq=lower_seq,
        complete_after_seq=max(lower_seq, queued_seq or source.seq - 1),
        watched=_watched(conn, turn),
        memories=packet_memories(conn, turn),
        names=names,
    )


def _watched(conn: sqlite3.Connection, turn: TurnRow) -> WatchedPair | None:
    place = place_of(conn, turn.turn_id)
    if place is None or place.role != "observer":
        return None
    task = entry(conn, task_of(conn, place.pair_id), turn.target_actor_id)
    forwarded = task and task.forwarded_event_id
    original = entry(conn, forwarded, turn.target_actor_id) if forwarded else None
    return WatchedPair(
        pair_id=place.pair_id,
        workers=tuple(it.turn for it in members(conn, place.pair_id, "worker")),
        observers=tuple(it.turn for it in members(conn, place.pair_id, "observer")),
        task=tuple(it for it in (original, task) if it is not None),
    )


def _knows_cursor(conn: sqlite3.Connection, turn: TurnRow, native_session_id: str | None) -> bool:
    """Whether the last delivery, the one that the cursor stands for, was into this session.

    A session that was left for another one and is opened again has missed what came between.
    """
    last = last_delivery(conn, turn.target_actor_id)
    return (
        native_session_id is not None
        and last is not None
        and last.native_session_id == native_session_id
    )


def _queued_later(conn: sqlite3.Connection, turn: TurnRow) -> int:
    """The seq of a turn that was queued long after its source was said, which others followed."""
    between = (turn.room_id, turn.source_seq, turn.enqueue_seq)
    return turn.enqueue_seq if conn.execute(_SAID_BETWEEN, between).fetchone() else 0
