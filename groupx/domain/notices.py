"""Transient events: they stream, and are never stored."""

from collections.abc import Mapping
from typing import Any

import attrs

from groupx.domain.envelope import Envelope, EventActor
from groupx.domain.event_types import TRANSIENT
from groupx.domain.ids import SYSTEM, RoomId
from groupx.domain.views import AgentView
from groupx.domain.wire import to_wire

SYSTEM_ACTOR = EventActor(actor_id=SYSTEM, kind="system", display_name="GroupX")


@attrs.frozen(kw_only=True)
class Notice:
    """What one of them says."""

    type: str
    body: Mapping[str, Any]
    actor: EventActor = SYSTEM_ACTOR
    correlation_id: str | None = None
    """None = it is an interaction of its own."""
    root_correlation_id: str | None = None
    """None = it was not brought about by an earlier one."""
    causation_id: str | None = None

    def envelope(self, room_id: RoomId, *, event_id: str, occurred_at: str) -> Envelope:
        """As everyone in the room sees it."""
        if self.type not in TRANSIENT:
            raise ValueError(f"{self.type} is not a transient event")
        correlation_id = self.correlation_id or event_id
        return Envelope(
            event_id=event_id,
            seq=None,
            room_id=room_id,
            type=self.type,
            actor=self.actor,
            causation_id=self.causation_id,
            correlation_id=correlation_id,
            root_correlation_id=self.root_correlation_id or correlation_id,
            occurred_at=occurred_at,
            durability="transient",
            body=self.body,
        )


def room_changed() -> Notice:
    """Another room is active, or the list of rooms is not what it was."""
    return Notice(type="room.changed", body={})


def assistant_changed() -> Notice:
    """The room's assistant stands otherwise than before; what is said to it is not told here."""
    return Notice(type="assistant.changed", body={})


def agent_changed(view: AgentView) -> Notice:
    """How an agent stands, by that agent."""
    actor = EventActor(
        actor_id=view.actor_id,
        kind="agent",
        instance_id=view.instance_id,
        display_name=view.name,
    )
    return Notice(type="agent.changed", body={"agent": to_wire(view)}, actor=actor)
