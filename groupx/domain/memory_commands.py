"""What people and agents ask of memories and identities, and what they are answered."""

from typing import Literal

import attrs

from groupx.domain.commands import CommandKey
from groupx.domain.ids import ActorId, RoomId
from groupx.domain.memory import (
    AgentMemoryType,
    AnyRecord,
    Family,
    GivenKind,
    IdentityRecord,
    Layer,
    MemoryRecord,
    RecordSource,
    ScopeType,
)
from groupx.domain.wire import optional


@attrs.frozen(kw_only=True)
class MemoryDraft:
    """A memory that is to be kept."""

    layer: Literal["room", "correlation", "core"]
    owner: str | None = None
    """Of core, which agent; of a correlation, which one (None: that of the calling turn). The
    room is always the active one."""
    kind: GivenKind
    content: str
    subject_actor_id: ActorId | None = None
    source_event_id: str | None = None


@attrs.frozen(kw_only=True)
class IdentityDraft:
    """What an agent is said to be."""

    subject_actor_id: ActorId
    kind: GivenKind
    content: str
    source_event_id: str | None = None


Draft = MemoryDraft | IdentityDraft


@attrs.frozen(kw_only=True)
class RecordCommand:
    """Who writes, and through what; `parent_turn_id` is the turn that an agent writes out of."""

    key: CommandKey
    by: ActorId
    source: RecordSource
    parent_turn_id: str | None = None


@attrs.frozen(kw_only=True)
class RememberRecord(RecordCommand):
    """Keep something new."""

    draft: Draft


@attrs.frozen(kw_only=True)
class SupersedeRecord(RecordCommand):
    """Say it anew: the old record stays in the history, the new one takes its place."""

    family: Family
    record_id: str
    layer: Layer | None = None
    """The layer that the caller means it to be in; None: whichever it is in."""
    kind: GivenKind | None = None
    """None: as before."""
    content: str
    source_event_id: str | None = None


@attrs.frozen(kw_only=True)
class RetractRecord(RecordCommand):
    """Take it back; it stays in the history."""

    family: Family
    record_id: str


@attrs.frozen(kw_only=True)
class Recorded:
    """The record as it was written (of a retraction: as it is now), and the event that says so."""

    record: AnyRecord
    event_id: str


# --- reading ----------------------------------------------------------------------------------


@attrs.frozen(kw_only=True)
class MemoryQuery:
    """Which memories; every filter that is None lets all through."""

    room_id: RoomId | None = None
    """Whose room and correlation memories; None = the active room's."""
    reader: ActorId | None = None
    """An agent, who never sees another agent's own memories; None = the user."""
    words: str | None = None
    """All of them must be in the content, whatever their case."""
    scope_type: ScopeType | None = None
    scope_id: str | None = None
    agent_memory_type: AgentMemoryType | None = None
    kind: str | None = None
    author: ActorId | None = None
    subject: ActorId | None = None
    history: bool = False
    """Also those that were superseded or retracted."""
    before: str | None = None
    """Only what is older than this record: how the next page is asked for."""
    limit: int = 50


@attrs.frozen(kw_only=True)
class IdentityQuery:
    """Which identity records, as a MemoryQuery."""

    subject: ActorId | None = None
    author: ActorId | None = None
    kind: str | None = None
    history: bool = False
    before: str | None = None
    limit: int = 50


@attrs.frozen(kw_only=True)
class RecordQuery:
    """One record, whatever its status."""

    family: Family
    record_id: str


@attrs.frozen(kw_only=True)
class PlacedRecord:
    """A record, and the room whose it is; an agent's is of no room."""

    record: AnyRecord
    room_id: RoomId | None = optional()


@attrs.frozen(kw_only=True)
class MemoryPage:
    """The newest first."""

    records: tuple[MemoryRecord, ...]
    next_before: str | None = optional()


@attrs.frozen(kw_only=True)
class IdentityPage:
    """The newest first."""

    records: tuple[IdentityRecord, ...]
    next_before: str | None = optional()
