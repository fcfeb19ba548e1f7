"""Transient events by the system itself: they stream, and are never stored."""

from collections.abc import Mapping
from typing import Any

from groupx.domain.envelope import Envelope, EventActor
from groupx.domain.ids import SYSTEM, RoomId

SYSTEM_ACTOR = EventActor(actor_id=SYSTEM, kind="system", display_name="GroupX")


def notice(
    event_type: str,
    room_id: RoomId,
    body: Mapping[str, Any],
    *,
    event_id: str,
    occurred_at: str,
) -> Envelope:
    """The envelope of one such event (`agent.changed`, `stream.reset`, …)."""
    return Envelope(
        event_id=event_id,
        seq=None,
        room_id=room_id,
        type=event_type,
        actor=SYSTEM_ACTOR,
        correlation_id=event_id,
        root_correlation_id=event_id,
        occurred_at=occurred_at,
        durability="transient",
        body=body,
    )
