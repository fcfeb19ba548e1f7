"""Remember: a new memory or identity record, beside those that are there."""

from groupx.domain.errors import ErrorCode, GroupXError
from groupx.domain.ids import ActorId
from groupx.domain.memory import AnyRecord, IdentityRecord, MemoryRecord
from groupx.domain.memory_commands import IdentityDraft, MemoryDraft, Recorded, RememberRecord
from groupx.store.command_rows import first_result, remember
from groupx.store.record_rows import insert_record
from groupx.store.recording import (
    Pen,
    announce,
    check_words,
    check_writer,
    is_correlation_of,
    recorded_from,
    source_event,
    take_pen,
)
from groupx.store.transaction import Transaction

_ACTOR = "SELECT kind FROM actors WHERE actor_id = ?"


def remember_record(tx: Transaction, command: RememberRecord) -> Recorded:
    """The record and its event, in the active room.

    UNKNOWN_ACTOR, NOT_FOUND for a source or an interaction that is not in the room,
    MCP_BINDING_MISMATCH, SESSION_NOT_AVAILABLE, POLICY_EXCLUDED, MESSAGE_TOO_LARGE.
    """
    draft = command.draft
    family = "memory" if isinstance(draft, MemoryDraft) else "identity"
    known = first_result(tx, command.key)
    if known is not None:
        return recorded_from(family, known)
    pen = take_pen(tx, command)
    if isinstance(draft, MemoryDraft):
        record = _memory(tx, pen, command, draft)
    else:
        record = _identity(tx, pen, command, draft)
    insert_record(tx.conn, family, record)
    answer = announce(tx, pen, command, "remembered", record)
    remember(tx, command.key, answer)
    return answer


def _memory(tx: Transaction, pen: Pen, command: RememberRecord, draft: MemoryDraft) -> AnyRecord:
    check_words(draft.content)
    scope_id = _scope_id(tx, pen, command, draft)
    check_writer(tx, pen, command, draft.layer, scope_id)
    core = draft.layer == "core"
    subject = ActorId(scope_id) if core else draft.subject_actor_id
    if subject is not None:
        _must_be_known(tx, subject, agent=core)
    return MemoryRecord(
        memory_id=tx.ids.new("mem"),
        scope_type="agent" if draft.layer == "core" else draft.layer,
        scope_id=scope_id,
        agent_memory_type="core" if core else None,
        kind=draft.kind,
        author_actor_id=command.by,
        subject_actor_id=subject,
        content=draft.content,
        source_event_id=source_event(tx, pen, draft.source_event_id),
        source_kind=command.source,
        status="active",
        created_at=tx.now,
    )


def _scope_id(tx: Transaction, pen: Pen, command: RememberRecord, draft: MemoryDraft) -> str:
    if draft.layer == "room":
        if draft.owner not in (None, pen.room_id):
            raise GroupXError(
                ErrorCode.STORE_CONFLICT,
                f"'{draft.owner}' is not the active room, so it is only read; nothing was kept.",
            )
        return pen.room_id
    if draft.layer == "core":
        return draft.owner or command.by
    correlation_id = draft.owner or (pen.turn.correlation_id if pen.turn is not None else "")
    if not is_correlation_of(tx.conn, pen.room_id, correlation_id):
        raise GroupXError(
            ErrorCode.NOT_FOUND,
            f"There is no interaction '{correlation_id}' in this room to remember it for; nothing "
            "was kept.",
        )
    return correlation_id


def _identity(
    tx: Transaction, pen: Pen, command: RememberRecord, draft: IdentityDraft
) -> AnyRecord:
    check_words(draft.content)
    check_writer(tx, pen, command, "identity", draft.subject_actor_id)
    _must_be_known(tx, draft.subject_actor_id, agent=True)
    return IdentityRecord(
        identity_id=tx.ids.new("identity"),
        subject_actor_id=draft.subject_actor_id,
        author_actor_id=command.by,
        kind=draft.kind,
        content=draft.content,
        source_event_id=source_event(tx, pen, draft.source_event_id),
        source_kind=command.source,
        status="active",
        created_at=tx.now,
    )


def _must_be_known(tx: Transaction, actor_id: str, *, agent: bool) -> None:
    row = tx.conn.execute(_ACTOR, (actor_id,)).fetchone()
    if row is None or (agent and row[0] != "agent"):
        raise GroupXError(
            ErrorCode.UNKNOWN_ACTOR,
            f"There is no {'agent' if agent else 'actor'} '{actor_id}' in this room; nothing was "
            "kept.",
            actorId=actor_id,
        )
