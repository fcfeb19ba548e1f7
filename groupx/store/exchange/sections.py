"""What an export holds, as data: its sections in order, and what each line says of a row.

What is not named here is not exported: native sessions, bindings, commands, delivery cursors,
lanes, rollups, usage, and the side conversation with the assistant.
"""

from collections.abc import Callable, Mapping
from typing import Any, get_args

import attrs

from groupx.domain.attempts import DeliveryCertainty, DispatchPhase, Reconciliation
from groupx.domain.commands import TriggerKind
from groupx.domain.envelope import SCHEMA
from groupx.domain.turns import TERMINAL, TurnStatus
from groupx.store.exchange.kinds import (
    BODY,
    COUNT,
    EVENT_TYPE,
    FLAG,
    MOMENT,
    NAME,
    NAMES,
    PROVENANCE,
    RECORD,
    TEXT,
    Kind,
    one_of,
)

Rule = Callable[[Mapping[str, Any]], str | None]
"""What is wrong with a row's columns together, if anything is."""


@attrs.frozen
class Field:
    """One value of a line and the column that it is."""

    key: str
    """In the line; `group.key` is inside an object."""
    column: str
    kind: Kind = NAME
    optional: bool = False
    """Left out of the line when the column is null."""
    source: str = ""
    """How it is read, when not as the column itself."""


@attrs.frozen(kw_only=True)
class Section:
    """One kind of line, and the table that it is about."""

    line: str
    table: str
    fields: tuple[Field, ...]
    in_rooms: bool = False
    """Its `room_id` must be a room that was named before."""
    made_up: tuple[tuple[str, str], ...] = ()
    """Columns that no export holds, and the SQL that an import gives them."""
    also: tuple[str, ...] = ()
    """What an import writes besides; may name every column and `:active_room`."""
    rule: Rule | None = None

    @property
    def read(self) -> str:
        """The rows after one and up to another, in the order they were written."""
        columns = ", ".join(field.source or field.column for field in self.fields)
        return (
            f"SELECT rowid, {columns} FROM {self.table} "
            "WHERE rowid > ? AND rowid <= ? ORDER BY rowid LIMIT ?"
        )

    @property
    def write(self) -> str:
        """One row, by the names of its columns."""
        names = [field.column for field in self.fields]
        values = [f":{name}" for name in names] + [sql for _, sql in self.made_up]
        names += [name for name, _ in self.made_up]
        return f"INSERT INTO {self.table} ({', '.join(names)}) VALUES ({', '.join(values)})"


def _ends_as_it_says(turn: Mapping[str, Any]) -> str | None:
    ended = turn["status"] in TERMINAL
    if ended is (turn["terminal_event_id"] is not None):
        return None
    wanted = "needs" if ended else "cannot have"
    return f"a turn that is '{turn['status']}' {wanted} a terminalEventId"


def _optional(key: str, column: str, kind: Kind = NAME) -> Field:
    return Field(key, column, kind, optional=True)


_BINDING = "'binding:imported:' || :instance_id"
"""Channels are never exported; each imported instance gets a closed one of its own."""
_ADD_BINDING = f"""
INSERT INTO session_bindings (binding_id, instance_id, actor_id, transport, protocol, status,
  capabilities_json, created_at, closed_at)
VALUES ({_BINDING}, :instance_id, :actor_id, :transport, 'imported', 'closed', '{{}}',
  :process_started_at, :process_started_at)
"""
_TRANSPORT = one_of(("direct", "structured"))
_TRIGGER = one_of(get_args(TriggerKind))
_RECORD_STATUS = one_of(("active", "superseded", "retracted"))

ROOM = Section(
    line="room",
    table="rooms",
    fields=(
        Field("roomId", "room_id"),
        Field("title", "title", TEXT),
        Field("createdAt", "created_at", MOMENT),
        _optional("archivedAt", "archived_at", MOMENT),
    ),
    made_up=(("active", ":room_id = :active_room"),),
)
ACTOR = Section(
    line="actor",
    table="actors",
    fields=(
        Field("actorId", "actor_id"),
        Field("kind", "kind", one_of(("user", "agent", "system"))),
        Field("displayName", "display_name", TEXT),
        Field("enabled", "enabled", FLAG),
        Field("createdAt", "created_at", MOMENT),
        Field("updatedAt", "updated_at", MOMENT),
    ),
)
INSTANCE = Section(
    line="instance",
    table="agent_instances",
    fields=(
        Field("instanceId", "instance_id"),
        Field("actorId", "actor_id"),
        Field("adapterId", "adapter_id"),
        _optional("transport", "transport", _TRANSPORT),
        Field("startedAt", "process_started_at", MOMENT),
        _optional("endedAt", "process_ended_at", MOMENT),
        Field("status", "status"),
    ),
    also=(_ADD_BINDING,),
)
EVENT = Section(
    line="event",
    table="events",
    fields=(
        Field("schema", "schema_version", one_of((SCHEMA,))),
        Field("eventId", "event_id"),
        Field("seq", "seq", COUNT),
        Field("roomId", "room_id"),
        Field("type", "event_type", EVENT_TYPE),
        Field("actor.actorId", "actor_id"),
        Field("actor.kind", "actor_kind", one_of(("user", "agent", "system"))),
        _optional("actor.instanceId", "instance_id"),
        Field("actor.displayName", "actor_display_name", TEXT),
        Field("to", "targets_json", NAMES),
        _optional("replyToEventId", "reply_to_event_id"),
        _optional("forwardedEventId", "forwarded_event_id"),
        _optional("causationId", "causation_id"),
        Field("correlationId", "correlation_id"),
        Field(
            "rootCorrelationId",
            "root_correlation_id",
            source="coalesce(root_correlation_id, correlation_id)",
        ),
        _optional("parentTurnId", "parent_turn_id"),
        _optional("hopCount", "hop_count", COUNT),
        _optional("idempotencyKey", "idempotency_key"),
        Field("occurredAt", "occurred_at", MOMENT),
        Field("body", "body_json", BODY),
        _optional("provenance", "provenance_json", PROVENANCE),
    ),
    in_rooms=True,
)
TURN = Section(
    line="turn",
    table="turns",
    fields=(
        Field("turnId", "turn_id"),
        Field("sourceEventId", "source_event_id"),
        Field("targetActorId", "target_actor_id"),
        Field("adapterId", "adapter_id"),
        Field("transport", "transport", _TRANSPORT),
        Field("triggerKind", "trigger_kind", _TRIGGER),
        _optional("parentTurnId", "parent_turn_id"),
        _optional("causedByTurnId", "caused_by_turn_id"),
        Field("rootCorrelationId", "root_correlation_id"),
        Field("hopCount", "hop_count", COUNT),
        Field("queuedEventId", "queued_event_id"),
        Field("enqueueSeq", "enqueue_seq", COUNT),
        Field("status", "status", one_of(TurnStatus)),
        _optional("partialText", "partial_text", TEXT),
        _optional("responseEventId", "response_event_id"),
        _optional("terminalEventId", "terminal_event_id"),
        _optional("errorCode", "error_code"),
        Field("queuedAt", "queued_at", MOMENT),
        _optional("startedAt", "started_at", MOMENT),
        _optional("terminalAt", "terminal_at", MOMENT),
    ),
    rule=_ends_as_it_says,
)
ATTEMPT = Section(
    line="attempt",
    table="turn_attempts",
    fields=(
        Field("attemptId", "attempt_id"),
        Field("turnId", "turn_id"),
        Field("instanceId", "instance_id"),
        Field("dispatchPhase", "dispatch_phase", one_of(DispatchPhase)),
        Field("deliveryCertainty", "delivery_certainty", one_of(DeliveryCertainty)),
        Field("reconciliation", "reconciliation", one_of(Reconciliation)),
        Field("contextThroughSeq", "context_through_seq", COUNT),
        _optional("summaryThroughSeq", "summary_through_seq", COUNT),
        Field("claimedAt", "claimed_at", MOMENT),
        _optional("promptInvokedAt", "prompt_invoked_at", MOMENT),
        _optional("startedAt", "started_at", MOMENT),
        _optional("terminalAt", "terminal_at", MOMENT),
        _optional("packet", "packet_json", RECORD),
    ),
    made_up=(("binding_id", _BINDING),),
)
PAIR = Section(
    line="pair",
    table="supervision_pairs",
    fields=(
        Field("pairId", "pair_id"),
        Field("roomId", "room_id"),
        Field("correlationId", "correlation_id"),
        Field("sourceEventId", "source_event_id"),
        Field("watchEventId", "watch_event_id"),
        Field("pairEventId", "pair_event_id"),
        Field("mode", "mode", one_of(("live_steer",))),
        Field("createdAt", "created_at", MOMENT),
    ),
    in_rooms=True,
)
PAIR_TURN = Section(
    line="pairTurn",
    table="supervision_pair_turns",
    fields=(
        Field("turnId", "turn_id"),
        Field("pairId", "pair_id"),
        Field("role", "role", one_of(("worker", "observer"))),
        Field("actorId", "actor_id"),
        Field("createdAt", "created_at", MOMENT),
    ),
)
MEMORY = Section(
    line="memory",
    table="memory_records",
    fields=(
        Field("memoryId", "memory_id"),
        Field("scopeType", "scope_type", one_of(("room", "agent", "correlation"))),
        Field("scopeId", "scope_id"),
        _optional("agentMemoryType", "agent_memory_type", one_of(("core", "dated"))),
        Field("kind", "kind"),
        Field("authorActorId", "author_actor_id"),
        _optional("subjectActorId", "subject_actor_id"),
        Field("content", "content", TEXT),
        _optional("sourceEventId", "source_event_id"),
        Field("sourceKind", "source_kind"),
        Field("status", "status", _RECORD_STATUS),
        _optional("supersedesMemoryId", "supersedes_memory_id"),
        Field("createdAt", "created_at", MOMENT),
        _optional("retractedAt", "retracted_at", MOMENT),
    ),
)
IDENTITY = Section(
    line="identity",
    table="identity_records",
    fields=(
        Field("identityId", "identity_id"),
        Field("subjectActorId", "subject_actor_id"),
        Field("authorActorId", "author_actor_id"),
        Field("kind", "kind"),
        Field("content", "content", TEXT),
        _optional("sourceEventId", "source_event_id"),
        Field("sourceKind", "source_kind"),
        Field("status", "status", _RECORD_STATUS),
        _optional("supersedesIdentityId", "supersedes_identity_id"),
        Field("createdAt", "created_at", MOMENT),
        _optional("retractedAt", "retracted_at", MOMENT),
    ),
)
SUMMARY = Section(
    line="summary",
    table="summaries",
    fields=(
        Field("summaryId", "summary_id"),
        Field("roomId", "room_id"),
        Field("fromSeq", "from_seq", COUNT),
        Field("throughSeq", "through_seq", COUNT),
        Field("content", "content", TEXT),
        Field("generatorActorId", "generator_actor_id"),
        Field("status", "status"),
        Field("createdAt", "created_at", MOMENT),
    ),
    in_rooms=True,
)
POLICY = Section(
    line="memoryPolicy",
    table="memory_policies",
    fields=(
        Field("roomId", "room_id"),
        Field("actorId", "actor_id"),
        Field("useMemories", "use_memories", FLAG),
        Field("generation", "generation", one_of(("enabled", "disabled", "excluded"))),
        _optional("reason", "reason", TEXT),
        Field("source", "source"),
        Field("revision", "revision", COUNT),
        Field("updatedAt", "updated_at", MOMENT),
    ),
)
RESET = Section(
    line="contextReset",
    table="context_resets",
    fields=(
        Field("resetId", "reset_id"),
        Field("roomId", "room_id"),
        Field("throughSeq", "through_seq", COUNT),
        Field("resetNativeSessions", "reset_native_sessions", FLAG),
        Field("createdAt", "created_at", MOMENT),
    ),
    in_rooms=True,
)

SECTIONS = (
    ROOM, ACTOR, INSTANCE, EVENT, TURN, ATTEMPT, PAIR, PAIR_TURN,
    MEMORY, IDENTITY, SUMMARY, POLICY, RESET,
)  # fmt: skip
"""In the order of the file: what a line refers to comes before it."""
