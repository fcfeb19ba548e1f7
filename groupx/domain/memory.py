"""Memories and identities: what is kept about a room and its agents, and who may write which.

They are never edited: a record is superseded by a new one of the same layer, or retracted.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Literal

import attrs

from groupx.domain.ids import USER_ASSISTANT, USER_WEB, ActorId
from groupx.domain.wire import optional

Family = Literal["memory", "identity"]
ScopeType = Literal["room", "agent", "correlation"]
AgentMemoryType = Literal["core", "dated"]
Kind = Literal["fact", "decision", "preference", "instruction", "constraint", "summary", "note"]
GivenKind = Literal["fact", "decision", "preference", "instruction", "constraint", "note"]
"""What a person or an agent may write; a summary is only ever generated."""
RecordStatus = Literal["active", "superseded", "retracted"]
RecordSource = Literal["web", "mcp", "operator"]
"""The sourceKind of what somebody writes; what is generated has others."""

GIVEN_KINDS: tuple[GivenKind, ...] = (
    "fact", "decision", "preference", "instruction", "constraint", "note",
)  # fmt: skip
MAX_RECORD_CHARACTERS = 8_000
"""Of one record that somebody writes."""
MAX_RECORDS = 200
"""Of one page."""
GENERATED_SUMMARY = "generated_summary"
AUTOMATIC = frozenset({"automatic_turn", "automatic_rollup"})
"""The sourceKinds of dated memories, which their agent's engine makes of its turns."""


@attrs.frozen(kw_only=True)
class MemoryRecord:
    """One thing that a room or an agent is to remember."""

    memory_id: str
    scope_type: ScopeType
    scope_id: str
    """A room, an agent's actor id, or a correlation."""
    agent_memory_type: AgentMemoryType | None = optional()
    """Only of an agent's own memories."""
    kind: str
    author_actor_id: ActorId
    subject_actor_id: ActorId | None = optional()
    content: str
    source_event_id: str | None = optional()
    source_kind: str
    status: RecordStatus
    supersedes_memory_id: str | None = optional()
    created_at: str
    retracted_at: str | None = optional()

    @property
    def layer(self) -> "Layer":
        """Which of the layers that never mix."""
        return self.agent_memory_type or ("room" if self.scope_type == "room" else "correlation")


@attrs.frozen(kw_only=True)
class IdentityRecord:
    """What somebody said an agent is; an observation where the author is another agent."""

    identity_id: str
    subject_actor_id: ActorId
    author_actor_id: ActorId
    kind: str
    content: str
    source_event_id: str | None = optional()
    source_kind: str
    status: RecordStatus
    supersedes_identity_id: str | None = optional()
    created_at: str
    retracted_at: str | None = optional()

    @property
    def layer(self) -> "Layer":
        """Always the same one."""
        return "identity"


AnyRecord = MemoryRecord | IdentityRecord


def family_of(record: AnyRecord) -> Family:
    """Which of the two it is."""
    return "memory" if isinstance(record, MemoryRecord) else "identity"


def owner(record: AnyRecord) -> str:
    """Whose it is: a room, an agent, a correlation; of an identity its subject."""
    return record.scope_id if isinstance(record, MemoryRecord) else record.subject_actor_id


# --- who may write what -----------------------------------------------------------------------

Layer = Literal["room", "correlation", "core", "dated", "identity"]
Writer = Literal["user", "operator", "self", "agent"]
"""The user, the room's assistant for the user, the agent that a record belongs to, another one."""

MAY_WRITE: Mapping[Layer, frozenset[Writer]] = MappingProxyType(
    {
        "room": frozenset({"user", "operator", "self", "agent"}),
        "correlation": frozenset({"user", "operator", "self", "agent"}),
        "core": frozenset({"user", "self"}),
        "dated": frozenset[Writer](),
        "identity": frozenset({"user", "operator", "self", "agent"}),
    }
)
"""Layer → who may add to it, and supersede and retract what he may change in it."""

MAY_RETRACT: Mapping[Layer, frozenset[Writer]] = MappingProxyType(
    {**MAY_WRITE, "dated": frozenset({"user"})}
)
"""Layer → who may take a record back: what the engine made of an agent's day, only the user."""

ANY_AUTHOR: frozenset[Writer] = frozenset({"user", "operator"})
"""Who may supersede and retract what others wrote; an agent only what it wrote itself."""


def writer(by: ActorId, owned_by: str) -> Writer:
    """What `by` is to something that belongs to `owned_by`."""
    if by == USER_WEB:
        return "user"
    if by == USER_ASSISTANT:
        return "operator"
    return "self" if by == owned_by else "agent"


def may_change(record: AnyRecord, by: ActorId) -> bool:
    """Whether `by` may retract it, and supersede it if it may also write its layer."""
    role = writer(by, owner(record))
    own = role in ANY_AUTHOR or record.author_actor_id == by
    return own and role in MAY_RETRACT[record.layer]


def hidden_from(record: AnyRecord, by: ActorId) -> bool:
    """Whether `by` must not even learn of it: an agent of another agent's own memories."""
    private = isinstance(record, MemoryRecord) and record.scope_type == "agent"
    return private and writer(by, owner(record)) == "agent"
