"""Observe: keep a snapshot that an observer was returned, up to a bound for each watch turn."""

from groupx.domain.envelope import EventDraft, Provenance
from groupx.domain.watching import MAX_OBSERVED, ObserveCommand, Observed
from groupx.domain.wire import to_wire
from groupx.store.command_rows import sender_instance
from groupx.store.event_keys import observations_of, observed_key
from groupx.store.supervision_watch import subject_of, watching
from groupx.store.transaction import Transaction

_COUNT = """
SELECT count(*) FROM events WHERE room_id = ? AND idempotency_key >= ? AND idempotency_key < ?
"""


def observe(tx: Transaction, command: ObserveCommand) -> Observed:
    """Write `supervision.observed`, or say that the limit is reached and store nothing.

    SUPERVISION_WATCH_REQUIRED, SUPERVISION_PAIR_INVALID, SESSION_NOT_AVAILABLE.
    """
    instance_id = sender_instance(tx, command.key, command.actor_id)
    watch = watching(tx.conn, command.watch_turn_id, command.actor_id)
    snapshot = command.snapshot
    subject = subject_of(watch, snapshot.turn_id, ended_too=True).turn
    values = (watch.turn.room_id, *observations_of(watch.turn.turn_id))
    (before,) = tx.conn.execute(_COUNT, values).fetchone()
    if before >= MAX_OBSERVED:
        return Observed(limit_reached=True)
    event = tx.emit(
        EventDraft(
            type="supervision.observed",
            room_id=watch.turn.room_id,
            actor_id=command.actor_id,
            correlation_id=watch.turn.correlation_id,
            body={
                "watchTurnId": watch.turn.turn_id,
                "subjectTurnId": subject.turn_id,
                "until": command.until,
                "timedOut": command.timed_out,
                "snapshot": to_wire(snapshot),
            },
            instance_id=instance_id,
            causation_id=watch.turn.turn_id,
            root_correlation_id=watch.turn.root_correlation_id,
            parent_turn_id=watch.turn.turn_id,
            hop_count=watch.turn.hop_count,
            idempotency_key=observed_key(watch.turn.turn_id, before + 1),
            provenance=Provenance(
                source_kind="supervision",
                author_actor_id=command.actor_id,
                subject_actor_id=subject.actor_id,
                source_event_id=snapshot.task.event_id,
            ),
        )
    )
    return Observed(observed_event_id=event.event_id)
