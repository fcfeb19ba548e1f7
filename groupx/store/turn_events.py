"""How the events of a turn are written: who they are by, and what they hang on."""

from collections.abc import Mapping
from typing import Any

import attrs

from groupx.domain.envelope import Envelope, EventDraft, Provenance, SourceKind
from groupx.domain.ids import SYSTEM, ActorId
from groupx.store.transaction import Transaction
from groupx.store.turn_rows import TurnRow


def by_agent(
    tx: Transaction,
    turn: TurnRow,
    event_type: str,
    body: Mapping[str, Any],
    *,
    instance_id: str | None,
    key: str | None = None,
    caused_by: str | None = None,
) -> Envelope:
    """An event that the turn's agent brought about."""
    draft = _draft(turn, turn.target_actor_id, "adapter", event_type, body, key=key)
    return tx.emit(
        attrs.evolve(draft, instance_id=instance_id, causation_id=caused_by or draft.causation_id)
    )


def by_system(
    tx: Transaction,
    turn: TurnRow,
    event_type: str,
    body: Mapping[str, Any],
    *,
    key: str | None = None,
    to: tuple[ActorId, ...] = (),
) -> Envelope:
    """An event that GroupX itself brought about."""
    return tx.emit(_draft(turn, SYSTEM, "system", event_type, body, key=key, to=to))


def _draft(
    turn: TurnRow,
    actor_id: ActorId,
    source_kind: SourceKind,
    event_type: str,
    body: Mapping[str, Any],
    *,
    key: str | None,
    to: tuple[ActorId, ...] = (),
) -> EventDraft:
    return EventDraft(
        type=event_type,
        room_id=turn.room_id,
        actor_id=actor_id,
        correlation_id=turn.correlation_id,
        body=body,
        to=to,
        reply_to_event_id=turn.source_event_id,
        causation_id=turn.turn_id,
        root_correlation_id=turn.root_correlation_id,
        parent_turn_id=turn.parent_turn_id,
        hop_count=turn.hop_count,
        idempotency_key=key and f"turn:{turn.turn_id}:{key}",
        provenance=Provenance(
            source_kind=source_kind,
            author_actor_id=actor_id,
            source_event_id=turn.source_event_id,
        ),
    )
