"""A message and the turns it makes: the part that every command which wakes agents shares."""

from collections.abc import Mapping
from typing import Any, Literal

import attrs

from groupx.domain.commands import QueuedTurnAnswer, TriggerKind
from groupx.domain.envelope import Envelope, EventDraft, Provenance
from groupx.domain.errors import ErrorCode, GroupXError
from groupx.domain.ids import SYSTEM, ActorId, RoomId
from groupx.domain.limits import Limits
from groupx.domain.roster import RosterEntry
from groupx.domain.turns import TurnStatus
from groupx.store.lane_rows import active_turn, queued_count
from groupx.store.transaction import Transaction
from groupx.store.turn_rows import TurnRow

_INSERT_TURN = """
INSERT INTO turns (turn_id, source_event_id, target_actor_id, adapter_id, transport,
  parent_turn_id, root_correlation_id, hop_count, queued_event_id, enqueue_seq, status, queued_at,
  trigger_kind, caused_by_turn_id)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
"""


@attrs.frozen(kw_only=True)
class Lineage:
    """Where a message stands in the chains of who caused what."""

    correlation_id: str
    root_correlation_id: str
    parent_turn_id: str | None = None
    hop_count: int = 0
    causation_id: str | None = None


@attrs.frozen(kw_only=True)
class Message:
    """One thing that is said."""

    type: Literal["message.created", "operator.dispatch"] = "message.created"
    room_id: RoomId
    actor_id: ActorId
    instance_id: str | None = None
    body: Mapping[str, Any]
    to: tuple[ActorId, ...] = ()
    provenance: Provenance
    lineage: Lineage
    reply_to_event_id: str | None = None
    forwarded_event_id: str | None = None
    idempotency_key: str | None = None


@attrs.frozen(kw_only=True)
class Source:
    """An event that turns are made of."""

    event_id: str
    room_id: RoomId
    correlation_id: str
    author: ActorId


def source_of(event: Envelope) -> Source:
    """The event that was just written."""
    return Source(
        event_id=event.event_id,
        room_id=event.room_id,
        correlation_id=event.correlation_id,
        author=event.actor.actor_id,
    )


@attrs.frozen(kw_only=True)
class Wake:
    """Whom a message wakes, and why."""

    targets: tuple[RosterEntry, ...]
    transport: str
    trigger_kind: TriggerKind
    limits: Limits
    caused_by_turn_id: str | None = None


def new_root(tx: Transaction) -> Lineage:
    """A person's word: a chain of its own."""
    correlation_id = tx.ids.new("corr")
    return Lineage(correlation_id=correlation_id, root_correlation_id=correlation_id)


def called_from(parent: TurnRow, *, causation_id: str | None = None) -> Lineage:
    """What is said out of the turn `parent`; it is the cause, if nothing nearer is."""
    return Lineage(
        correlation_id=parent.correlation_id,
        root_correlation_id=parent.root_correlation_id,
        parent_turn_id=parent.turn_id,
        hop_count=parent.hop_count + 1,
        causation_id=causation_id or parent.turn_id,
    )


def check_content(content: str, limits: Limits) -> None:
    """MESSAGE_TOO_LARGE when it has more code points than the limit."""
    if len(content) > limits.message_characters:
        raise GroupXError(
            ErrorCode.MESSAGE_TOO_LARGE,
            f"The message has {len(content)} characters, {limits.message_characters} are "
            "allowed; nothing was sent. Shorten it, or put the text in a file and name the file.",
            limit=limits.message_characters,
        )


def store_message(tx: Transaction, message: Message, *, event_id: str | None = None) -> Envelope:
    """Write its event."""
    lineage = message.lineage
    return tx.emit(
        EventDraft(
            type=message.type,
            room_id=message.room_id,
            actor_id=message.actor_id,
            correlation_id=lineage.correlation_id,
            body=message.body,
            to=message.to,
            instance_id=message.instance_id,
            reply_to_event_id=message.reply_to_event_id,
            forwarded_event_id=message.forwarded_event_id,
            causation_id=lineage.causation_id,
            root_correlation_id=lineage.root_correlation_id,
            parent_turn_id=lineage.parent_turn_id,
            hop_count=lineage.hop_count,
            idempotency_key=message.idempotency_key,
            provenance=message.provenance,
        ),
        event_id=event_id,
    )


def enqueue(
    tx: Transaction, message: Message, wake: Wake, *, event_id: str | None = None
) -> tuple[Envelope, tuple[QueuedTurnAnswer, ...]]:
    """Write the message and one queued turn per target.

    QUEUE_CAPACITY_REACHED when any one lane is full: then nobody is woken.
    """
    ahead = [_room_in_lane(tx, target.actor_id, wake.limits) for target in wake.targets]
    message = attrs.evolve(message, to=tuple(target.actor_id for target in wake.targets))
    event = store_message(tx, message, event_id=event_id)
    return event, _queue_all(tx, source_of(event), message.lineage, wake, ahead)


def enqueue_stored(
    tx: Transaction, source: Source, lineage: Lineage, wake: Wake
) -> tuple[QueuedTurnAnswer, ...]:
    """One queued turn per target, of an event that is there already. QUEUE_CAPACITY_REACHED."""
    ahead = [_room_in_lane(tx, target.actor_id, wake.limits) for target in wake.targets]
    return _queue_all(tx, source, lineage, wake, ahead)


def _queue_all(
    tx: Transaction, source: Source, lineage: Lineage, wake: Wake, ahead: list[int]
) -> tuple[QueuedTurnAnswer, ...]:
    return tuple(
        _queue(tx, source, lineage, target, wake, position=position)
        for target, position in zip(wake.targets, ahead, strict=True)
    )


def _room_in_lane(tx: Transaction, actor_id: ActorId, limits: Limits) -> int:
    """How many turns wait in this lane, when one more may."""
    waiting = queued_count(tx.conn, actor_id)
    if waiting >= limits.queue_per_agent:
        raise GroupXError(
            ErrorCode.QUEUE_CAPACITY_REACHED,
            f"{actor_id} already has {limits.queue_per_agent} turns waiting; "
            "nothing was sent to anyone. Wait, or cancel some of them.",
            target=actor_id,
            limit=limits.queue_per_agent,
        )
    return waiting


def _queue(
    tx: Transaction,
    source: Source,
    lineage: Lineage,
    target: RosterEntry,
    wake: Wake,
    *,
    position: int,
) -> QueuedTurnAnswer:
    turn_id = tx.ids.new("turn")
    queued = tx.emit(
        EventDraft(
            type="turn.queued",
            room_id=source.room_id,
            actor_id=SYSTEM,
            correlation_id=lineage.correlation_id,
            body={
                "turnId": turn_id,
                "sourceEventId": source.event_id,
                "targetActorId": target.actor_id,
                "adapterId": target.adapter_id,
                "transport": wake.transport,
                "hopCount": lineage.hop_count,
                "triggerKind": wake.trigger_kind,
            },
            to=(target.actor_id,),
            causation_id=source.event_id,
            root_correlation_id=lineage.root_correlation_id,
            parent_turn_id=lineage.parent_turn_id,
            hop_count=lineage.hop_count,
            idempotency_key=f"turn:{turn_id}:queued",
        )
    )
    seq = queued.seq or 0
    tx.conn.execute(
        _INSERT_TURN,
        (
            turn_id, source.event_id, target.actor_id, target.adapter_id, wake.transport,
            lineage.parent_turn_id, lineage.root_correlation_id, lineage.hop_count,
            queued.event_id, seq, TurnStatus.QUEUED, tx.now,
            wake.trigger_kind, wake.caused_by_turn_id,
        ),
    )  # fmt: skip
    tx.wake_lane(target.actor_id)
    return QueuedTurnAnswer(
        target=target.actor_id,
        turn_id=turn_id,
        status=TurnStatus.QUEUED,
        transport=wake.transport,
        queue_position=position,
        active_turn_id=active_turn(tx.conn, target.actor_id),
    )
