"""A message whose work is watched: what a pair adds to it and to its workers' turns."""

from typing import Any

import attrs

from groupx.domain.commands import AcceptedMessage, QueuedTurnAnswer
from groupx.domain.envelope import Envelope, EventDraft, Provenance
from groupx.domain.ids import SYSTEM, ActorId
from groupx.domain.roster import RosterEntry, Skipped
from groupx.domain.supervision import MODE, WATCH_BRIEF, PairedTurn, Role, watch_brief
from groupx.store.enqueue import Lineage, Message, Source, Wake, enqueue, source_of
from groupx.store.supervision_rows import PairRow, add_turn, insert_pair
from groupx.store.transaction import Transaction


def enqueue_watched(
    tx: Transaction,
    message: Message,
    wake: Wake,
    observers: tuple[RosterEntry, ...],
    *,
    skipped: tuple[Skipped, ...] = (),
    event_id: str | None = None,
) -> AcceptedMessage:
    """`enqueue`, and with `observers` their pair. QUEUE_CAPACITY_REACHED, as `enqueue`."""
    event, turns = enqueue(tx, message, wake, event_id=event_id)
    source = source_of(event)
    accepted = AcceptedMessage(
        message_event_id=source.event_id,
        correlation_id=source.correlation_id,
        turns=turns,
        skipped=skipped or None,
    )
    return with_observers(tx, source, message.lineage, accepted, wake, observers=observers)


def with_observers(
    tx: Transaction,
    source: Source,
    lineage: Lineage,
    accepted: AcceptedMessage,
    wake: Wake,
    *,
    observers: tuple[RosterEntry, ...],
) -> AcceptedMessage:
    """The pair of the turns that `wake` made of `source`; `accepted` as it is without observers.
    QUEUE_CAPACITY_REACHED."""
    if not observers:
        return accepted
    watch = attrs.evolve(wake, targets=observers, caused_by_turn_id=None)
    return start_pair(tx, source, lineage, accepted, watch)


def start_pair(
    tx: Transaction, source: Source, lineage: Lineage, accepted: AcceptedMessage, wake: Wake
) -> AcceptedMessage:
    """Watch brief, observers' turns (`wake`'s targets), `supervision.paired` and rows, for the
    turns that `source` has just made; `accepted` with the observers' part. QUEUE_CAPACITY_REACHED.

    The observers stand beside the workers: same root, same hop.
    """
    paired = _as("worker", accepted.turns)
    beside = attrs.evolve(lineage, causation_id=source.event_id)
    brief, watch_turns = enqueue(tx, _brief(source, beside, paired, wake), wake)
    watching = _as("observer", watch_turns)
    pair_id = tx.ids.new("pair")
    body = {
        "pairId": pair_id,
        "mode": MODE,
        "sourceEventId": source.event_id,
        "watchEventId": brief.event_id,
        "workers": [_named(turn) for turn in paired],
        "observers": [_named(turn) for turn in watching],
    }
    together = tuple(turn.actor_id for turn in (*paired, *watching))
    event = _announce(tx, source, beside, body, together)
    insert_pair(
        tx,
        PairRow(
            pair_id=pair_id,
            room_id=source.room_id,
            correlation_id=source.correlation_id,
            source_event_id=source.event_id,
            watch_event_id=brief.event_id,
            pair_event_id=event.event_id,
            mode=MODE,
        ),
    )
    for turn in (*paired, *watching):
        add_turn(tx, pair_id, turn)
    return attrs.evolve(
        accepted,
        watch_turns=watch_turns,
        watch_event_id=brief.event_id,
        pair_event_id=event.event_id,
    )


def _as(role: Role, turns: tuple[QueuedTurnAnswer, ...]) -> tuple[PairedTurn, ...]:
    return tuple(
        PairedTurn(turn_id=turn.turn_id, actor_id=turn.target, role=role) for turn in turns
    )


def _brief(
    source: Source, lineage: Lineage, workers: tuple[PairedTurn, ...], wake: Wake
) -> Message:
    author = source.author
    return Message(
        room_id=source.room_id,
        actor_id=SYSTEM,
        body={"kind": WATCH_BRIEF, "content": watch_brief(workers, wake.targets)},
        provenance=_provenance(author, source.event_id, labels=(WATCH_BRIEF,)),
        lineage=lineage,
        reply_to_event_id=source.event_id,
    )


def _announce(
    tx: Transaction,
    source: Source,
    lineage: Lineage,
    body: dict[str, Any],
    to: tuple[ActorId, ...],
) -> Envelope:
    return tx.emit(
        EventDraft(
            type="supervision.paired",
            room_id=source.room_id,
            actor_id=SYSTEM,
            correlation_id=lineage.correlation_id,
            body=body,
            to=to,
            reply_to_event_id=source.event_id,
            causation_id=source.event_id,
            root_correlation_id=lineage.root_correlation_id,
            parent_turn_id=lineage.parent_turn_id,
            hop_count=lineage.hop_count,
            provenance=_provenance(source.author, source.event_id),
        )
    )


def _named(turn: PairedTurn) -> dict[str, str]:
    return {"actorId": turn.actor_id, "turnId": turn.turn_id}


def _provenance(
    author: ActorId, source_event_id: str, *, labels: tuple[str, ...] | None = None
) -> Provenance:
    return Provenance(
        source_kind="supervision",
        author_actor_id=author,
        source_event_id=source_event_id,
        labels=labels,
    )
