"""Events that stream and are never stored."""

from collections.abc import Callable, Mapping
from typing import Any

import attrs

from groupx.actors.event_hub import EventHub
from groupx.domain.envelope import Envelope, EventActor, actor_kind
from groupx.domain.event_types import TRANSIENT
from groupx.domain.ids import ActorId, IdSource, RoomId
from groupx.domain.times import iso_from_ms


@attrs.frozen(kw_only=True)
class Transients:
    """Makes transient envelopes of one room and hands them to the hub; never blocks."""

    hub: EventHub
    ids: IdSource
    now_ms: Callable[[], int]
    room_id: RoomId

    def say(
        self,
        event_type: str,
        body: Mapping[str, Any],
        *,
        actor_id: ActorId,
        name: str,
        correlation_id: str | None = None,
        causation_id: str | None = None,
    ) -> None:
        """Publish one; without a correlation it is an interaction of its own."""
        if event_type not in TRANSIENT:
            raise ValueError(f"{event_type} is not a transient event")
        event_id = self.ids.new("evt")
        correlation = correlation_id or event_id
        self.hub.publish(
            Envelope(
                event_id=event_id,
                seq=None,
                room_id=self.room_id,
                type=event_type,
                actor=EventActor(actor_id=actor_id, kind=actor_kind(actor_id), display_name=name),
                causation_id=causation_id,
                correlation_id=correlation,
                root_correlation_id=correlation,
                occurred_at=iso_from_ms(self.now_ms()),
                durability="transient",
                body=body,
            )
        )
