"""Commands of people and agents, as the ledger takes them, and what it answers."""

from collections.abc import Mapping
from typing import Any, Literal

import attrs

from groupx.domain.envelope import Provenance
from groupx.domain.ids import ActorId, RoomId
from groupx.domain.limits import Limits
from groupx.domain.roster import RosterEntry, Skipped
from groupx.domain.supervision import Supervision
from groupx.domain.turns import TurnStatus
from groupx.domain.wire import INTERNAL, optional

TriggerKind = Literal["user", "control", "automatic", "recovery", "legacy"]

DispatchOperation = Literal["worker_dispatch", "worker_ask"]

SENDER_FIELDS = frozenset(
    {"from", "actor", "actorId", "sender", "author", "authorActorId", "provenance", "bindingId"}
)
"""Who speaks is read from the binding; a request or a call that says it itself is refused."""


@attrs.frozen(kw_only=True)
class CommandKey:
    """What makes a repeated command the same one.

    `request` is the parsed request in wire names (null = absent), hashed with the type.
    """

    binding_id: str
    client_command_id: str | None
    command_type: str
    """`message.send`, `turn.cancel`, `turn.retry`, `turn.continue`, `message.withdraw`,
    `message.replace`, `lane.pause`, `lane.resume`, `root.continue`, `agent.start`, …"""
    request: Mapping[str, Any]


@attrs.frozen(kw_only=True)
class AcceptCommand:
    """A message that wakes one or more agents."""

    key: CommandKey
    actor_id: ActorId
    to: tuple[str, ...]
    """As the caller wrote it; resolved against `roster` inside the transaction."""
    content: str
    roster: tuple[RosterEntry, ...]
    limits: Limits
    transport: str = "structured"
    provenance: Provenance
    trigger_kind: TriggerKind = "user"
    reply_to_event_id: str | None = None
    forwarded_event_id: str | None = None
    parent_turn_id: str | None = None
    waits: bool = False
    """Whether the calling turn stays until the targets' turns have ended."""
    wake_me: bool = False
    """Whether the calling turn's agent is to be woken when a target's turn has ended."""
    supervision: Supervision | None = None
    """Who is to watch the targets' turns."""


@attrs.frozen(kw_only=True)
class DispatchCommand:
    """Work that the operator gives to agents, without a message of the room."""

    key: CommandKey
    actor_id: ActorId
    operation: DispatchOperation
    to: tuple[str, ...]
    content: str
    roster: tuple[RosterEntry, ...]
    limits: Limits
    transport: str = "structured"
    supervision: Supervision | None = None


@attrs.frozen(kw_only=True)
class DispatchEventCommand:
    """A message that was said before is given to agents as their work; its author stays."""

    key: CommandKey
    actor_id: ActorId
    event_id: str
    to: tuple[str, ...]
    roster: tuple[RosterEntry, ...]
    limits: Limits
    transport: str = "structured"
    supervision: Supervision | None = None


@attrs.frozen(kw_only=True)
class AgainCommand:
    """Retry or continue of an ended turn: a new message and a new turn that point to it."""

    key: CommandKey
    kind: Literal["retry", "continue"]
    turn_id: str
    actor_id: ActorId
    roster: tuple[RosterEntry, ...]
    limits: Limits
    transport: str = "structured"


@attrs.frozen(kw_only=True)
class ContinueRootCommand:
    """Let a call go on that a limit stopped: in its author's name, its chain's bound raised."""

    key: CommandKey
    root_correlation_id: str
    stop_event_id: str | None = None
    """Which one; None: the oldest of the chain that still waits."""
    by: ActorId
    roster: tuple[RosterEntry, ...]
    limits: Limits
    transport: str = "structured"


@attrs.frozen(kw_only=True)
class WithdrawCommand:
    """Take back a message whose turns are all queued; with `replacement`, say this instead."""

    key: CommandKey
    message_event_id: str
    actor_id: ActorId
    replacement: str | None = None
    roster: tuple[RosterEntry, ...] = ()
    limits: Limits = attrs.field(factory=Limits)
    transport: str = "structured"


@attrs.frozen(kw_only=True)
class PublishCommand:
    """A message that wakes nobody."""

    key: CommandKey
    actor_id: ActorId
    content: str
    provenance: Provenance
    limits: Limits
    reply_to_event_id: str | None = None
    parent_turn_id: str | None = None


@attrs.frozen(kw_only=True)
class CancelCommand:
    """Stop a turn; in every state it is answered, the outcome is the terminal event."""

    key: CommandKey
    turn_id: str
    actor_id: ActorId
    force: bool = False


@attrs.frozen(kw_only=True)
class LaneCommand:
    """Pause or resume one agent's queue, durably."""

    key: CommandKey
    actor_id: ActorId
    """The lane's agent."""
    state: Literal["runnable", "paused"]
    by: ActorId
    reason: str | None = None


@attrs.frozen(kw_only=True)
class QueuedTurnAnswer:
    """One target's place, as answered to the sender."""

    target: ActorId
    turn_id: str
    status: TurnStatus
    transport: str
    queue_position: int | None = optional()
    """0 = next to run; only while queued."""
    active_turn_id: str | None = optional()


@attrs.frozen(kw_only=True)
class AcceptedMessage:
    """The answer of every command that makes turns. The same object for a repeated command."""

    message_event_id: str
    correlation_id: str
    turns: tuple[QueuedTurnAnswer, ...] = ()
    skipped: tuple[Skipped, ...] | None = optional()
    watch_turns: tuple[QueuedTurnAnswer, ...] | None = optional()
    watch_event_id: str | None = optional()
    pair_event_id: str | None = optional()


@attrs.frozen(kw_only=True)
class CancelAnswer:
    """Where the turn stands after the cancel was written."""

    turn_id: str
    status: TurnStatus
    target_actor_id: ActorId = attrs.field(metadata=INTERNAL)


@attrs.frozen(kw_only=True)
class WithdrawAnswer:
    """The withdrawn message and its cancelled turns."""

    message_event_id: str
    turns: tuple[CancelAnswer, ...]


@attrs.frozen(kw_only=True)
class LaneState:
    """One agent's queue: whether it may run, since which revision, and why not."""

    room_id: RoomId
    actor_id: ActorId
    state: Literal["runnable", "paused"]
    reason: str | None = optional()
    revision: int


@attrs.frozen(kw_only=True)
class RememberCommand:
    """A command whose effect is outside the ledger, with what it is to be answered."""

    key: CommandKey
    result: Mapping[str, Any]


@attrs.frozen(kw_only=True)
class Remembered:
    """The first answer of this command; `fresh` says that this was the first time."""

    result: Mapping[str, Any]
    fresh: bool
