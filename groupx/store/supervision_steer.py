"""What a steer writes: the guidance, the worker's next turn in the same pair, and that it was."""

import attrs

from groupx.domain.commands import QueuedTurnAnswer
from groupx.domain.envelope import Envelope, EventDraft, Provenance
from groupx.domain.errors import ErrorCode, GroupXError, RecordedRefusal
from groupx.domain.ids import SYSTEM
from groupx.domain.steering import SteerAction
from groupx.domain.supervision import STEER, PairedTurn
from groupx.store.enqueue import Message, Wake, called_from, enqueue
from groupx.store.supervision_rows import add_turn, count_steer
from groupx.store.transaction import Transaction
from groupx.store.turn_rows import TurnRow

_TOLD = "SELECT 1 FROM events WHERE room_id = ? AND idempotency_key = ?"


@attrs.frozen(kw_only=True)
class Guidance:
    """What an observer tells a worker out of its watch turn."""

    watch: TurnRow
    pair_id: str
    subject: TurnRow
    action: SteerAction
    reason: str
    content: str
    instance_id: str | None = None
    source_event_id: str | None = None
    """The stop that it was kept in, when the user let it go on."""


@attrs.frozen(kw_only=True)
class Guided:
    """What became of it."""

    message: Envelope
    steered: Envelope
    next_turn: QueuedTurnAnswer


def guide(tx: Transaction, guidance: Guidance, wake: Wake) -> Guided:
    """Count it and write it. `wake` has the subject's agent as its only target.

    STEER_LIMIT_REACHED, which the room is shown once for each subject; QUEUE_CAPACITY_REACHED.
    """
    limit = wake.limits.steers_per_subject_turn
    if not count_steer(tx, guidance.subject.turn_id, limit):
        raise _over_limit(tx, guidance, limit)
    watch, subject = guidance.watch, guidance.subject
    message, (next_turn,) = enqueue(
        tx,
        Message(
            room_id=watch.room_id,
            actor_id=watch.target_actor_id,
            instance_id=guidance.instance_id,
            body={"kind": STEER, "content": guidance.content},
            provenance=Provenance(
                source_kind="mcp",
                author_actor_id=watch.target_actor_id,
                source_event_id=guidance.source_event_id,
            ),
            lineage=called_from(watch),
            reply_to_event_id=subject.source_event_id,
        ),
        attrs.evolve(wake, caused_by_turn_id=watch.turn_id),
    )
    worker = PairedTurn(turn_id=next_turn.turn_id, actor_id=next_turn.target, role="worker")
    add_turn(tx, guidance.pair_id, worker)
    return Guided(
        message=message, steered=_announce(tx, guidance, message, next_turn), next_turn=next_turn
    )


def _announce(
    tx: Transaction, guidance: Guidance, message: Envelope, next_turn: QueuedTurnAnswer
) -> Envelope:
    watch, worker = guidance.watch, guidance.subject.target_actor_id
    lineage = called_from(watch)
    return tx.emit(
        EventDraft(
            type="supervision.steered",
            room_id=watch.room_id,
            actor_id=watch.target_actor_id,
            correlation_id=lineage.correlation_id,
            body={
                "action": guidance.action,
                "reason": guidance.reason,
                "subjectTurnId": guidance.subject.turn_id,
                "nextTurnId": next_turn.turn_id,
                "pairId": guidance.pair_id,
            },
            to=(worker,),
            instance_id=guidance.instance_id,
            causation_id=watch.turn_id,
            root_correlation_id=lineage.root_correlation_id,
            parent_turn_id=lineage.parent_turn_id,
            hop_count=lineage.hop_count,
            provenance=Provenance(
                source_kind="supervision",
                author_actor_id=watch.target_actor_id,
                subject_actor_id=worker,
                source_event_id=message.event_id,
            ),
        )
    )


def _over_limit(tx: Transaction, guidance: Guidance, limit: int) -> GroupXError:
    watch, subject = guidance.watch, guidance.subject
    key = f"steer:{subject.turn_id}:limit"
    told = tx.conn.execute(_TOLD, (watch.room_id, key)).fetchone() is not None
    message = (
        f"{subject.target_actor_id}'s turn was steered {limit} times already, which is its limit; "
        "nothing was sent. Watch a later turn of the pair, or tell the user in your answer."
    )
    details = {"subjectTurnId": subject.turn_id, "limit": limit}
    if told:
        return GroupXError(ErrorCode.STEER_LIMIT_REACHED, message, **details)
    tx.emit(
        EventDraft(
            type="system.error",
            room_id=watch.room_id,
            actor_id=SYSTEM,
            correlation_id=watch.correlation_id,
            body={
                "code": ErrorCode.STEER_LIMIT_REACHED,
                "message": f"{watch.target_actor_id} wanted to steer {subject.target_actor_id}'s "
                f"turn once more, but {limit} steers of one turn are the limit; it was not sent. "
                "Tell the agents yourself, or raise limits.steersPerSubjectTurn.",
            },
            causation_id=watch.turn_id,
            root_correlation_id=watch.root_correlation_id,
            parent_turn_id=watch.turn_id,
            hop_count=watch.hop_count,
            idempotency_key=key,
            provenance=Provenance(source_kind="system", author_actor_id=SYSTEM),
        )
    )
    return RecordedRefusal(ErrorCode.STEER_LIMIT_REACHED, message, **details)
