"""One turn with its attempts, cause and effects (docs/http.md)."""

from collections.abc import Mapping
from typing import Any, Literal

import attrs

from groupx.domain.attempts import DeliveryCertainty, DispatchPhase, Reconciliation
from groupx.domain.context_usage import Usage
from groupx.domain.ids import ActorId
from groupx.domain.views import TurnView
from groupx.domain.wire import optional

Via = Literal["message", "send", "ask", "steer", "dispatch", "retry", "continue", "callback"]


@attrs.frozen(kw_only=True)
class AttemptView:
    """The public side of one attempt: no native ids, no binding."""

    attempt_id: str
    dispatch_phase: DispatchPhase
    delivery_certainty: DeliveryCertainty
    reconciliation: Reconciliation | None = optional()
    context_through_seq: int
    summary_through_seq: int | None = optional()
    claimed_at: str
    prompt_invoked_at: str | None = optional()
    started_at: str | None = optional()
    terminal_at: str | None = optional()
    instance_id: str


@attrs.frozen(kw_only=True)
class ReceiptView:
    """How far the input came."""

    received_at: str
    recorded_at: str
    applied_at: str | None = optional()
    completed_at: str | None = optional()


@attrs.frozen(kw_only=True)
class ChainLink:
    """One step of the cause chain: what was said, by whom, out of which turn."""

    turn_id: str | None = optional()
    event_id: str
    actor_id: ActorId
    via: Via
    excerpt: str
    """How what was said begins: at most 200 characters of its first line."""


@attrs.frozen(kw_only=True)
class TurnDetail:
    """Everything public about one turn."""

    turn: TurnView
    attempts: tuple[AttemptView, ...]
    receipt: ReceiptView
    packet: Mapping[str, Any] | None = optional()
    """Of the newest attempt that recorded one."""
    chain: tuple[ChainLink, ...]
    """From the first cause to this turn's own message."""
    children: tuple[TurnView, ...]
    usage: Usage | None = optional()
    """As the program reported it with the attempt whose packet is shown."""
    message: str | None = optional()
    """Why it failed or was interrupted, as it was said then."""
    reason: str | None = optional()
    """Why it was cancelled: as in `turn.cancelled`."""
    stop_reason: str | None = optional()
    """Why its answer is not whole: as in its `message.created`."""
    partial_text: str | None = optional()
