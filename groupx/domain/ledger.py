"""What a lane and the ledger tell each other about one turn, from claim to end."""

from collections.abc import Mapping
from typing import Any

import attrs

from groupx.domain.attempts import DeliveryCertainty, Reconciliation
from groupx.domain.context_reset import SessionEra
from groupx.domain.context_usage import Usage
from groupx.domain.ids import ActorId, RoomId
from groupx.domain.outcomes import Cause
from groupx.domain.recovery import NativeEnd
from groupx.domain.turns import TurnStatus


@attrs.frozen(kw_only=True)
class InstanceOpened:
    """One start of an agent's program, and the binding of its native session."""

    instance_id: str
    binding_id: str
    actor_id: ActorId
    adapter_id: str
    transport: str = "structured"
    protocol: str
    protocol_version: str | None = None
    native_session_id: str | None = None
    continuity: str
    """`new`, `resumed` or `rebuilt`."""
    capabilities: Mapping[str, Any]


@attrs.frozen(kw_only=True)
class LaneHead:
    """The next turn of a lane, if it may run now."""

    turn_id: str
    source_event_id: str
    room_id: RoomId
    era: SessionEra
    """Of the session that it is to run in; another room's turns are of older programs only."""
    transport: str
    attempts: int
    """Attempts already made of this turn."""
    correlation_id: str
    """The interaction that its source event belongs to."""
    root_correlation_id: str
    """The one that all of it goes back to; of a retry, that of the turn that is done again."""


@attrs.frozen(kw_only=True)
class ClaimCommand:
    """Take the head of a lane for one attempt. With `invoke`, mark the prompt as leaving too."""

    turn_id: str
    expected_transport: str
    binding_id: str
    instance_id: str
    era: SessionEra
    """The session's; another by now makes the claim stale: such a session knows too much."""
    context_through_seq: int
    summary_through_seq: int | None = None
    reset_through_seq: int = 0
    """The reset floor that the packet was built above; a moved floor makes the claim stale."""
    packet_json: str | None = None
    """At most 8 KiB: the packet's sections and what was left out."""
    packet_characters: int | None = None
    invoke: bool = True


@attrs.frozen(kw_only=True)
class Claimed:
    """A won claim. `invoked` says that this caller, and nobody else, may write the prompt once."""

    attempt_id: str
    invoked: bool


@attrs.frozen(kw_only=True)
class StartedCommand:
    """Proof that the native turn of an attempt has begun."""

    attempt_id: str
    native_turn_id: str | None = None


@attrs.frozen(kw_only=True)
class Progress:
    """What a running turn has said so far; kept for the case that it never ends."""

    turn_id: str
    text: str


@attrs.frozen(kw_only=True)
class ToolRecord:
    """One observed tool event, bounded; `native_type` is tool.started or tool.completed."""

    native_type: str
    tool_call_id: str | None
    details: Mapping[str, Any]


@attrs.frozen(kw_only=True)
class TerminalCommand:
    """How a turn ended; committed all or nothing, once."""

    turn_id: str
    attempt_id: str | None
    """None when no attempt was made (a queued turn that is rejected)."""
    cause: Cause
    error_code: str | None = None
    """Overrides the cause's own code (NATIVE_LOGIN_REQUIRED and the like)."""
    message: str | None = None
    """One bounded sentence for the user."""
    reason: str | None = None
    evidence: bool = False
    """Whether the native turn is known to have begun."""
    native_turn_id: str | None = None
    instance_id: str | None = None
    response: str | None = None
    """Only with Cause.COMPLETED; already bounded."""
    final_offset: int | None = None
    truncated: bool = False
    stop_reason: str | None = None
    reasoning: str | None = None
    reasoning_truncated: bool = False
    tools: tuple[ToolRecord, ...] = ()
    partial_text: str | None = None
    interaction: Mapping[str, str] | None = None
    """`{kind, reason}` of an unexpected native interaction."""
    reconciliation: Reconciliation = Reconciliation.NONE
    usage: Usage | None = None
    """What the program reported of the attempt's tokens; None when it said nothing."""
    local_date: str = ""
    """The day, in the daemon's local time, that dated memory files this turn under; needed with
    Cause.COMPLETED only."""


@attrs.frozen(kw_only=True)
class Terminated:
    """The one terminal state of a turn; `fresh` is False when it had been written before."""

    turn_id: str
    status: TurnStatus
    error_code: str | None
    terminal_event_id: str
    response_event_id: str | None
    fresh: bool


@attrs.frozen(kw_only=True)
class OpenAttempt:
    """An attempt that a crash left open, with what reconciliation needs."""

    turn_id: str
    attempt_id: str
    target_actor_id: ActorId
    status: TurnStatus
    phase: str
    certainty: DeliveryCertainty
    binding_id: str
    native_session_id: str | None
    native_turn_id: str | None
    partial_text: str | None


@attrs.frozen(kw_only=True)
class Settlement:
    """What reconciliation found of an undecided attempt; how it ends is decided as it is written,
    by whether its turn is being cancelled."""

    proven: NativeEnd | None
    end: TerminalCommand
    """Its cause is that of a turn that was stopped, but not by the user; what is proven otherwise
    replaces it."""


@attrs.frozen(kw_only=True)
class TurnOf:
    """A turn, and whose it is."""

    turn_id: str
    target_actor_id: ActorId


@attrs.frozen(kw_only=True)
class Recovered:
    """What recovery phase 1 did, by count, and the lanes it left something to do in."""

    requeued: int = 0
    interrupted: int = 0
    delivery_unknown: int = 0
    cancelled: int = 0
    failed: int = 0
    undecided: tuple[OpenAttempt, ...] = ()
    cut_short: tuple[TurnOf, ...] = ()
    """Those that are interrupted by this, or undecided: at most one of each lane."""
    through_seq: int = 0
    """The newest event when it was done."""
