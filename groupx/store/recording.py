"""What every write of a memory or an identity has in common: who may, and what is told of it."""

import sqlite3
from collections.abc import Mapping
from typing import Any, Literal

import attrs

from groupx.domain.envelope import EventDraft, Provenance
from groupx.domain.errors import ErrorCode, GroupXError
from groupx.domain.ids import RoomId
from groupx.domain.memory import (
    ANY_AUTHOR,
    MAX_RECORD_CHARACTERS,
    MAY_WRITE,
    AnyRecord,
    Family,
    Layer,
    MemoryRecord,
    family_of,
    hidden_from,
    may_change,
    writer,
)
from groupx.domain.memory_commands import (
    RecordCommand,
    Recorded,
    RetractRecord,
    SupersedeRecord,
)
from groupx.domain.wire import to_wire
from groupx.store.ancestry import ancestry
from groupx.store.command_rows import sender_instance
from groupx.store.enqueue import Lineage, new_root
from groupx.store.policy_rows import find_policy
from groupx.store.queries.rooms import active_room
from groupx.store.record_rows import SHELVES, find_record, record_from_wire
from groupx.store.transaction import Transaction
from groupx.store.turn_rows import TurnRow

_IN_ROOM = "SELECT 1 FROM events WHERE event_id = ? AND room_id = ?"
_CORRELATION = "SELECT 1 FROM events WHERE correlation_id = ? AND room_id = ? LIMIT 1"


@attrs.frozen(kw_only=True)
class Pen:
    """Who writes, as the ledger knows it, and where."""

    room_id: RoomId
    instance_id: str
    turn: TurnRow | None
    """What an agent writes out of; None for a person."""


def take_pen(tx: Transaction, command: RecordCommand) -> Pen:
    """SESSION_NOT_AVAILABLE, MCP_BINDING_MISMATCH when the writer is not who its binding says, or
    its turn does not run; so too for an agent that names no turn."""
    instance_id = sender_instance(tx, command.key, command.by)
    turn = None
    if command.source == "mcp":
        turn = ancestry(tx.conn, command.parent_turn_id or "", command.by).parent
    return Pen(room_id=active_room(tx.conn), instance_id=instance_id, turn=turn)


# --- what may be written ----------------------------------------------------------------------


def check_writer(tx: Transaction, pen: Pen, command: RecordCommand, layer: Layer, own: str) -> None:
    """MCP_BINDING_MISMATCH when this layer is not the writer's, POLICY_EXCLUDED for an agent that
    makes no memories in this room."""
    role = writer(command.by, own)
    if role not in MAY_WRITE[layer]:
        raise not_yours(f"{layer} records of {own} are not written by {command.by}")
    if role in ANY_AUTHOR:
        return
    policy = find_policy(tx.conn, pen.room_id, command.by)
    if policy is not None and policy.generation == "excluded":
        raise GroupXError(
            ErrorCode.POLICY_EXCLUDED,
            f"{command.by} is excluded from making memories in this room, as the user decided; "
            "nothing was kept.",
        )


def check_words(content: str) -> None:
    """MESSAGE_TOO_LARGE: a record is a short thing, it stands in every packet."""
    if len(content) > MAX_RECORD_CHARACTERS:
        raise GroupXError(
            ErrorCode.MESSAGE_TOO_LARGE,
            f"This is {len(content)} characters, a memory may have {MAX_RECORD_CHARACTERS}; "
            "nothing was kept. Keep what matters, and name the file or message that has the rest.",
            limit=MAX_RECORD_CHARACTERS,
        )


def source_event(tx: Transaction, pen: Pen, given: str | None) -> str | None:
    """What the record comes from: the event that was named, else what the agent's turn answers.

    NOT_FOUND when there is no such event in this room.
    """
    if given is None:
        return None if pen.turn is None else pen.turn.source_event_id
    if tx.conn.execute(_IN_ROOM, (given, pen.room_id)).fetchone() is None:
        raise GroupXError(
            ErrorCode.NOT_FOUND,
            f"There is no event '{given}' in this room that this could come from; nothing was "
            "kept.",
            eventId=given,
        )
    return given


def is_correlation_of(conn: sqlite3.Connection, room_id: str, correlation_id: str) -> bool:
    """Whether anything of this interaction was said in the room."""
    return conn.execute(_CORRELATION, (correlation_id, room_id)).fetchone() is not None


def changeable(tx: Transaction, pen: Pen, command: SupersedeRecord | RetractRecord) -> AnyRecord:
    """The active record that is to be changed.

    NOT_FOUND, MCP_BINDING_MISMATCH for one that is not the writer's to change, STORE_CONFLICT for
    one of another room and for one that is not active any more.
    """
    record = find_record(tx.conn, command.family, command.record_id)
    if record is None or hidden_from(record, command.by) or not _meant(record, command):
        raise GroupXError(
            ErrorCode.NOT_FOUND,
            f"There is no such {command.family} record '{command.record_id}'; nothing was changed.",
        )
    if not may_change(record, command.by):
        raise not_yours(f"this {record.layer} record was written by {record.author_actor_id}")
    if isinstance(record, MemoryRecord) and not _here(tx, pen, record):
        raise GroupXError(
            ErrorCode.STORE_CONFLICT,
            "This memory belongs to another room, which can only be read; nothing was changed. "
            "Add it to this room instead.",
        )
    if record.status != "active":
        raise GroupXError(
            ErrorCode.STORE_CONFLICT,
            f"This record was {record.status} already; nothing was changed. Look at what is active "
            "now.",
            status=record.status,
        )
    return record


def _meant(record: AnyRecord, command: SupersedeRecord | RetractRecord) -> bool:
    if not isinstance(command, SupersedeRecord) or command.layer is None:
        return True
    return record.layer == command.layer


def _here(tx: Transaction, pen: Pen, record: MemoryRecord) -> bool:
    if record.scope_type == "room":
        return record.scope_id == pen.room_id
    if record.scope_type == "correlation":
        return is_correlation_of(tx.conn, pen.room_id, record.scope_id)
    return True


def not_yours(what: str) -> GroupXError:
    """MCP_BINDING_MISMATCH: the writer's binding does not carry this."""
    return GroupXError(
        ErrorCode.MCP_BINDING_MISMATCH,
        f"That is not yours to write: {what}. Nothing was kept; tell the user if it should be.",
    )


# --- what is told of it -----------------------------------------------------------------------


def close_record(
    tx: Transaction, family: Family, record_id: str, status: Literal["superseded", "retracted"]
) -> None:
    """An active record is active no more."""
    retracted_at = tx.now if status == "retracted" else None
    changed = tx.conn.execute(SHELVES[family].mark, (status, retracted_at, record_id)).rowcount
    assert changed == 1, "an active record was found in this transaction"


def announce(
    tx: Transaction,
    pen: Pen,
    command: RecordCommand,
    verb: Literal["remembered", "superseded", "retracted"],
    record: AnyRecord,
) -> Recorded:
    """Write the event that says it, with the record whole."""
    lineage = _lineage(tx, pen)
    event = tx.emit(
        EventDraft(
            type=f"{family_of(record)}.{verb}",
            room_id=pen.room_id,
            actor_id=command.by,
            instance_id=pen.instance_id,
            correlation_id=lineage.correlation_id,
            root_correlation_id=lineage.root_correlation_id,
            causation_id=lineage.causation_id,
            parent_turn_id=lineage.parent_turn_id,
            hop_count=None if pen.turn is None else lineage.hop_count,
            body={"record": to_wire(record)},
            provenance=Provenance(
                source_kind=command.source,
                author_actor_id=command.by,
                subject_actor_id=record.subject_actor_id,
                source_event_id=record.source_event_id,
            ),
        )
    )
    return Recorded(record=record, event_id=event.event_id)


def recorded_from(family: Family, result: Mapping[str, Any]) -> Recorded:
    """The answer whose wire form was remembered."""
    return Recorded(record=record_from_wire(family, result["record"]), event_id=result["eventId"])


def _lineage(tx: Transaction, pen: Pen) -> Lineage:
    turn = pen.turn
    if turn is None:
        return new_root(tx)
    return Lineage(
        correlation_id=turn.correlation_id,
        root_correlation_id=turn.root_correlation_id,
        parent_turn_id=turn.turn_id,
        hop_count=turn.hop_count,
        causation_id=turn.turn_id,
    )
