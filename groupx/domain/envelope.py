"""One event of a room, as everyone sees it, and the draft from which the ledger makes it."""

from collections.abc import Mapping
from typing import Any, Literal

import attrs

from groupx.domain.ids import ActorId, RoomId
from groupx.domain.wire import optional

SCHEMA = "groupx.event/0.1"

ActorKind = Literal["user", "agent", "system"]
SourceKind = Literal[
    "web", "adapter", "mcp", "system", "generated_summary", "supervision", "operator"
]


def actor_kind(actor_id: str) -> ActorKind:
    """The kind that an actor id's prefix says; ValueError for any other prefix."""
    prefix = actor_id.partition(":")[0]
    if prefix == "user" or prefix == "agent" or prefix == "system":
        return prefix
    raise ValueError(f"not an actor id: {actor_id!r}")


@attrs.frozen(kw_only=True)
class EventActor:
    """Who an event is by; the display name is as it was when the event was written."""

    actor_id: ActorId
    kind: ActorKind
    instance_id: str | None = optional()
    display_name: str


ASKED = "ask"
"""The label of a message whose author stayed for the answers."""


@attrs.frozen(kw_only=True)
class Provenance:
    """How an event came to be; never a native session, binding or process id."""

    source_kind: SourceKind
    author_actor_id: str | None = optional()
    subject_actor_id: str | None = optional()
    source_event_id: str | None = optional()
    labels: tuple[str, ...] | None = optional()


@attrs.frozen(kw_only=True)
class EventDraft:
    """What a transaction wants written; the ledger adds id, seq, time and the actor's name."""

    type: str
    room_id: RoomId
    actor_id: ActorId
    correlation_id: str
    body: Mapping[str, Any]
    to: tuple[ActorId, ...] = ()
    instance_id: str | None = None
    reply_to_event_id: str | None = None
    forwarded_event_id: str | None = None
    causation_id: str | None = None
    root_correlation_id: str | None = None
    parent_turn_id: str | None = None
    hop_count: int | None = None
    idempotency_key: str | None = None
    provenance: Provenance | None = None


@attrs.frozen(kw_only=True)
class Envelope:
    """The wire form of an event. `seq` is None for a transient one."""

    schema: str = SCHEMA
    event_id: str
    seq: int | None
    room_id: RoomId
    type: str
    actor: EventActor
    to: tuple[str, ...] = ()
    """The agents that were woken, as `agent:<id>`; not who may read."""
    reply_to_event_id: str | None = optional()
    forwarded_event_id: str | None = optional()
    causation_id: str | None = optional()
    correlation_id: str
    root_correlation_id: str
    parent_turn_id: str | None = optional()
    hop_count: int | None = optional()
    idempotency_key: str | None = optional()
    occurred_at: str
    durability: Literal["durable", "transient"]
    body: Mapping[str, Any]
    provenance: Provenance | None = optional()
