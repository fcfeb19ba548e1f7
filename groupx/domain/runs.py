"""What the ledger is told when a daemon or an agent's program starts, ends or has crashed."""

from collections.abc import Mapping
from typing import Literal

import attrs

from groupx.domain.ids import ActorId, RoomId
from groupx.domain.views import Continuity


@attrs.frozen(kw_only=True)
class OpenRun:
    """A daemon starts with this roster; names are what its events will show."""

    agents: Mapping[ActorId, str]
    """Configured agents → display name."""
    assistant_name: str | None = None


@attrs.frozen(kw_only=True)
class OpenedRun:
    """The room that this run works in."""

    room_id: RoomId


@attrs.frozen(kw_only=True)
class CloseInstance:
    """An agent's program is gone, and with it every session it held."""

    instance_id: str
    status: Literal["stopped", "interrupted", "failed"] = "stopped"


@attrs.frozen(kw_only=True)
class SessionEvent:
    """One step in the life of an agent's session, for the room's history."""

    type: Literal[
        "session.starting", "session.ready", "session.resumed", "session.stopped", "session.failed"
    ]
    actor_id: ActorId
    driver: str
    instance_id: str | None = None
    continuity: Continuity | None = None
    error_code: str | None = None
    attempt: int | None = None


@attrs.frozen(kw_only=True)
class RecoverQuery:
    """What recovery phase 1 must know of this run: its roster, transport, and who can ask back."""

    roster: frozenset[ActorId]
    transport: str = "structured"
    reconcilable: frozenset[str] = frozenset()
    """Adapter ids that can find out what became of a native turn."""


@attrs.frozen(kw_only=True)
class RecoverLane:
    """Close what one agent's actor left open: a crashed one, or one whose claim got no answer."""

    actor_id: ActorId
    transport: str = "structured"
    reconcilable: frozenset[str] = frozenset()
    alive: str | None = None
    """The instance whose program still runs: its session stays open."""
