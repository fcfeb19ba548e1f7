"""Supersede: the same thing said anew. The old record stays in the history."""

import attrs

from groupx.domain.memory import MemoryRecord, owner
from groupx.domain.memory_commands import Recorded, SupersedeRecord
from groupx.store.command_rows import first_result, remember
from groupx.store.record_rows import insert_record
from groupx.store.recording import (
    announce,
    changeable,
    check_words,
    check_writer,
    close_record,
    recorded_from,
    source_event,
    take_pen,
)
from groupx.store.transaction import Transaction


def supersede_record(tx: Transaction, command: SupersedeRecord) -> Recorded:
    """The new record, of the same layer and about the same; its author is who writes now.

    Refusals as `remember_record`'s, and NOT_FOUND, STORE_CONFLICT of the record that is named.
    """
    known = first_result(tx, command.key)
    if known is not None:
        return recorded_from(command.family, known)
    pen = take_pen(tx, command)
    check_words(command.content)
    old = changeable(tx, pen, command)
    check_writer(tx, pen, command, old.layer, owner(old))
    written = {
        "kind": command.kind or old.kind,
        "author_actor_id": command.by,
        "content": command.content,
        "source_event_id": source_event(tx, pen, command.source_event_id),
        "source_kind": command.source,
        "created_at": tx.now,
    }
    if isinstance(old, MemoryRecord):
        new = attrs.evolve(
            old, memory_id=tx.ids.new("mem"), supersedes_memory_id=old.memory_id, **written
        )
    else:
        new = attrs.evolve(
            old,
            identity_id=tx.ids.new("identity"),
            supersedes_identity_id=old.identity_id,
            **written,
        )
    close_record(tx, command.family, command.record_id, "superseded")
    insert_record(tx.conn, command.family, new)
    answer = announce(tx, pen, command, "superseded", new)
    remember(tx, command.key, answer)
    return answer
