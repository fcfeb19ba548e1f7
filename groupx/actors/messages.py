"""Every message between actors, by the address it is sent to.

Addresses are empty classes: they make `ref.ask(...)` refuse a message that its actor does
not take, and let a test draw the graph of who asks whom from constructor signatures.
"""

import sqlite3
from collections.abc import Callable
from typing import Generic, Literal, TypeVar

import attrs

from groupx.actors.mailbox import Request
from groupx.domain.commands import (
    AcceptedMessage,
    CancelAnswer,
    DispatchOperation,
    WithdrawAnswer,
)
from groupx.domain.compaction import CompactionBegun
from groupx.domain.compaction_state import CompactionCancelled
from groupx.domain.context_reset import ContextReset
from groupx.domain.context_view import ContextView
from groupx.domain.ids import USER_WEB, WEB_BINDING, ActorId, RoomId
from groupx.domain.memory import Family, GivenKind, Layer
from groupx.domain.memory_commands import Draft, Recorded
from groupx.domain.memory_policy import Generation, MemoryPolicy
from groupx.domain.packet import Packet
from groupx.domain.pages import RoomView
from groupx.domain.rooms import IdleRooms, PrunedRooms
from groupx.domain.search_page import Indexing
from groupx.domain.side_conversation import SaidAside
from groupx.domain.steering import SteerAction, Steered
from groupx.domain.supervision import Supervision
from groupx.domain.views import AgentView
from groupx.domain.watching import Observed, Until, WatchSnapshot
from groupx.store.transaction import Transaction

C = TypeVar("C")
R = TypeVar("R")


class ToStore:
    """The store writer. It asks nobody."""


class ToContext:
    """The context engine. It asks the store."""


class ToAgents:
    """The supervisor of the agents. It asks nobody; every answer is immediate."""


class ToBroker:
    """The broker. It asks the store."""


class ToAssistant:
    """The room's assistant. It asks the store."""


# --- store ------------------------------------------------------------------------------------


@attrs.frozen
class Write(Request[ToStore, R], Generic[C, R]):
    """Run one transaction function; answered after its group's COMMIT returned.

    Raises what the function raised (its savepoint was rolled back), or STORE_UNAVAILABLE.
    """

    run: Callable[[Transaction, C], R]
    command: C


READ_DEADLINE_MS = 250
"""Of a read that fills a page or gathers a prompt; a look takes the default."""


@attrs.frozen
class Read(Request[ToStore, R], Generic[C, R]):
    """Run one query between groups; STORE_BUSY when it takes longer than `deadline_ms`."""

    run: Callable[[sqlite3.Connection, C], R]
    query: C
    deadline_ms: int = 50


# --- context ----------------------------------------------------------------------------------


@attrs.frozen(kw_only=True)
class BuildPacket(Request[ToContext, Packet]):
    """The prompt for one queued turn; CONTEXT_BUDGET_EXCEEDED when it cannot be built."""

    turn_id: str
    native_session_id: str | None
    """The session that will get it; decides what it has already seen."""


@attrs.frozen(kw_only=True)
class MeasureContext(Request[ToContext, ContextView]):
    """How full the active room's context is by now."""


@attrs.frozen(kw_only=True)
class CompactRoom(Request[ToContext, str]):
    """Begin to compact the active room as far as a person may ask for; the compaction's id, at
    once. STORE_CONFLICT when there is nothing to compact."""


@attrs.frozen(kw_only=True)
class StopCompacting(Request[ToContext, str]):
    """End the compaction of the active room, whoever began it; its id. STORE_CONFLICT when none
    runs."""


# --- agents -----------------------------------------------------------------------------------


@attrs.frozen(kw_only=True)
class ControlAgent(Request[ToAgents, AgentView]):
    """Start, stop or restart one agent; answered at once with its state now. UNKNOWN_TARGET."""

    actor_id: ActorId
    action: Literal["start", "stop", "restart"]


# --- broker -----------------------------------------------------------------------------------


@attrs.frozen(kw_only=True)
class _Command:
    client_command_id: str
    binding_id: str = WEB_BINDING
    actor_id: ActorId = USER_WEB


@attrs.frozen(kw_only=True)
class SendMessage(_Command, Request[ToBroker, AcceptedMessage]):
    """Say something and wake `to`."""

    to: tuple[str, ...]
    content: str
    reply_to_event_id: str | None = None
    forwarded_event_id: str | None = None
    supervision: Supervision | None = None
    """Who is to watch the targets' turns."""


@attrs.frozen(kw_only=True)
class RunAgain(_Command, Request[ToBroker, AcceptedMessage]):
    """Retry or continue an ended turn as a new one."""

    kind: Literal["retry", "continue"]
    turn_id: str


@attrs.frozen(kw_only=True)
class ContinueRoot(_Command, Request[ToBroker, AcceptedMessage]):
    """Make the call that a loop limit stopped; without `stop_event_id` the oldest of the chain."""

    root_correlation_id: str
    stop_event_id: str | None = None


@attrs.frozen(kw_only=True)
class WithdrawMessage(_Command, Request[ToBroker, WithdrawAnswer]):
    """Take a message back while all its turns are queued."""

    message_event_id: str


@attrs.frozen(kw_only=True)
class ReplaceMessage(_Command, Request[ToBroker, AcceptedMessage]):
    """Say something else instead, while all its turns are queued."""

    message_event_id: str
    content: str


@attrs.frozen(kw_only=True)
class CancelTurn(_Command, Request[ToBroker, CancelAnswer]):
    """Stop a turn; `force` kills the program's tree without waiting."""

    turn_id: str
    force: bool = False


@attrs.frozen(kw_only=True)
class SetLane(_Command, Request[ToBroker, AgentView]):
    """Pause or resume one agent's queue."""

    lane: ActorId
    state: Literal["runnable", "paused"]
    reason: str | None = None


@attrs.frozen(kw_only=True)
class _MemberCommand:
    """What an agent does out of its running turn, by its own binding."""

    binding_id: str
    actor_id: ActorId
    parent_turn_id: str
    client_command_id: str | None = None


@attrs.frozen(kw_only=True)
class MemberSend(_MemberCommand, Request[ToBroker, AcceptedMessage]):
    """An agent says something and wakes `to`; `waits`: its call stays for the answers."""

    to: tuple[str, ...]
    content: str
    reply_to_event_id: str
    wake_me: bool = False
    waits: bool = False
    supervision: Supervision | None = None
    """Who is to watch the targets' turns."""


@attrs.frozen(kw_only=True)
class MemberPublish(_MemberCommand, Request[ToBroker, AcceptedMessage]):
    """An agent says something and wakes nobody."""

    content: str
    reply_to_event_id: str


@attrs.frozen(kw_only=True)
class SteerTurn(_MemberCommand, Request[ToBroker, Steered]):
    """An observer guides a worker out of its watch turn; `interrupt` also stops the turn."""

    subject_turn_id: str | None = None
    """None: the pair's one open worker."""
    action: SteerAction
    reason: str
    content: str


@attrs.frozen(kw_only=True)
class Observe(_MemberCommand, Request[ToBroker, Observed]):
    """Keep the snapshot that a watch was answered with."""

    until: Until
    timed_out: bool
    snapshot: WatchSnapshot


@attrs.frozen(kw_only=True)
class _OperatorCommand:
    """What the assistant does for the user, by the operator's binding."""

    binding_id: str
    actor_id: ActorId
    client_command_id: str | None = None
    to: tuple[str, ...]
    supervision: Supervision | None = None
    """Who is to watch the targets' turns."""


@attrs.frozen(kw_only=True)
class DispatchWork(_OperatorCommand, Request[ToBroker, AcceptedMessage]):
    """Give work to agents without a message of the room."""

    kind: DispatchOperation
    content: str


@attrs.frozen(kw_only=True)
class DispatchEvent(_OperatorCommand, Request[ToBroker, AcceptedMessage]):
    """Give agents a message that was said before."""

    event_id: str


@attrs.frozen(kw_only=True)
class _RecordCommand:
    """Somebody writes a memory or an identity, by its own binding; an agent out of its turn."""

    client_command_id: str | None
    binding_id: str = WEB_BINDING
    actor_id: ActorId = USER_WEB
    parent_turn_id: str | None = None


@attrs.frozen(kw_only=True)
class Remember(_RecordCommand, Request[ToBroker, Recorded]):
    """Keep something new."""

    draft: Draft


@attrs.frozen(kw_only=True)
class Supersede(_RecordCommand, Request[ToBroker, Recorded]):
    """Put a new record in the place of an active one, in the same layer."""

    family: Family
    record_id: str
    layer: Layer | None = None
    """The layer that the caller means it to be in; None: whichever it is in."""
    new_kind: GivenKind | None = None
    """None: as before."""
    content: str
    source_event_id: str | None = None


@attrs.frozen(kw_only=True)
class Retract(_RecordCommand, Request[ToBroker, Recorded]):
    """Take a record back."""

    family: Family
    record_id: str


@attrs.frozen(kw_only=True)
class SetMemoryPolicy(_Command, Request[ToBroker, MemoryPolicy]):
    """Whether an agent (or who joins later: `system:groupx`) has memories and makes them."""

    agent: ActorId
    use_memories: bool
    generation: Generation
    expected_revision: int
    reason: str | None = None


@attrs.frozen(kw_only=True)
class CompactContext(_Command, Request[ToBroker, CompactionBegun]):
    """Have the room's older messages put into a checkpoint; answered once that has begun."""


@attrs.frozen(kw_only=True)
class CancelCompaction(_Command, Request[ToBroker, CompactionCancelled]):
    """End the compaction that runs, whoever began it; the passes that are stored stay."""


@attrs.frozen(kw_only=True)
class ResetRoom(_Command, Request[ToBroker, ContextReset]):
    """Begin the room's context anew; never waits for a turn, nor for a session to end."""

    reset_native_sessions: bool = False


@attrs.frozen(kw_only=True)
class ReindexSearch(_Command, Request[ToBroker, Indexing]):
    """Build the search index anew; answered once that has begun."""


@attrs.frozen(kw_only=True)
class OpenRoom(_Command, Request[ToBroker, RoomView]):
    """Archive the active room and open another; every agent gets a new session."""

    title: str | None = None


@attrs.frozen(kw_only=True)
class ArchiveRoom(_Command, Request[ToBroker, RoomView]):
    """Hide a room from the default list, or show it there again."""

    room_id: RoomId
    archived: bool


@attrs.frozen(kw_only=True)
class PruneIdleRooms(_Command, Request[ToBroker, PrunedRooms]):
    """Archive or delete these rooms, as far as they are still idle."""

    action: Literal["archive", "delete"]
    older_than_days: int
    found: IdleRooms
    """What that meant when it was looked up."""


@attrs.frozen(kw_only=True)
class ControlAgentCommand(_Command, Request[ToBroker, AgentView]):
    """Start, stop or restart one agent, once per client command."""

    agent: ActorId
    action: Literal["start", "stop", "restart"]


# --- assistant --------------------------------------------------------------------------------


@attrs.frozen(kw_only=True)
class SayAside(_Command, Request[ToAssistant, SaidAside]):
    """Say something to the assistant; answered once it is stored, with its reply if it had one.

    The same command joins the reply that is being given; one without a reply is given again.
    """

    content: str


@attrs.frozen(kw_only=True)
class CancelAside(_Command, Request[ToAssistant, None]):
    """Stop the running reply, and forget the messages that wait for it."""
