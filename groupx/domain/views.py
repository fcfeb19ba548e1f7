"""What the room shows of agents and turns (docs/http.md); `to_wire` gives the JSON."""

from collections.abc import Mapping
from typing import Any, Literal

import attrs

from groupx.domain.attempts import DeliveryCertainty
from groupx.domain.commands import TriggerKind
from groupx.domain.ids import ActorId, RoomId
from groupx.domain.roster import AgentState
from groupx.domain.turns import TurnStatus
from groupx.domain.wire import optional

Continuity = Literal["new", "resumed", "rebuilt"]


@attrs.frozen(kw_only=True)
class ErrorView:
    """A bounded last error."""

    code: str
    message: str


@attrs.frozen(kw_only=True)
class ProgramView:
    """The native program as it named itself."""

    name: str
    version: str


@attrs.frozen(kw_only=True)
class LaneView:
    """An agent's queue: who runs and how many wait."""

    active_turn_id: str | None = optional()
    queued: int = 0


@attrs.frozen(kw_only=True)
class ContextView:
    """How large the agent's latest packet is, of what one may be at most."""

    characters: int
    max: int


@attrs.frozen(kw_only=True)
class AgentView:
    """One agent as everybody sees it. `since` is when it entered its state."""

    actor_id: ActorId
    id: str
    name: str
    driver: str
    enabled: bool
    state: AgentState
    paused: bool = False
    since: str
    last_error: ErrorView | None = optional()
    instance_id: str | None = optional()
    cwd: str
    program: ProgramView | None = optional()
    continuity: Continuity | None = None
    transport: str = "structured"
    mcp: Literal["ready", "unavailable"] = "unavailable"
    capabilities: Mapping[str, str] = attrs.field(factory=dict[str, str])
    lane: LaneView = attrs.field(factory=LaneView)
    context: ContextView | None = optional()
    """None while nothing is known of its context."""


@attrs.frozen(kw_only=True)
class TurnView:
    """One turn as everybody sees it."""

    turn_id: str
    room_id: RoomId
    target_actor_id: ActorId
    source_event_id: str
    status: TurnStatus
    transport: str
    trigger_kind: TriggerKind
    role: Literal["worker", "observer"] | None = optional()
    parent_turn_id: str | None = optional()
    root_correlation_id: str
    hop_count: int
    queue_position: int | None = optional()
    queued_at: str
    started_at: str | None = optional()
    terminal_at: str | None = optional()
    error_code: str | None = optional()
    delivery_certainty: DeliveryCertainty | None = optional()
    response_event_id: str | None = optional()
    terminal_event_id: str | None = optional()


@attrs.frozen(kw_only=True)
class LiveTurn:
    """What a running turn has shown so far; bounded, and gone when it ends."""

    text: str = ""
    chunk_index: int = 0
    """How many content deltas made `text`; the next one carries this index."""
    reasoning_characters: int = 0
    tools: tuple[Mapping[str, Any], ...] = ()
