"""Retract: a memory or identity record that no longer holds. It stays in the history."""

import attrs

from groupx.domain.memory_commands import Recorded, RetractRecord
from groupx.store.command_rows import first_result, remember
from groupx.store.recording import announce, changeable, close_record, recorded_from, take_pen
from groupx.store.transaction import Transaction


def retract_record(tx: Transaction, command: RetractRecord) -> Recorded:
    """The record as it is now. NOT_FOUND, MCP_BINDING_MISMATCH, STORE_CONFLICT when it is not
    active any more or of another room. Also who makes no memories may take back its own."""
    known = first_result(tx, command.key)
    if known is not None:
        return recorded_from(command.family, known)
    pen = take_pen(tx, command)
    record = changeable(tx, pen, command)
    close_record(tx, command.family, command.record_id, "retracted")
    record = attrs.evolve(record, status="retracted", retracted_at=tx.now)
    answer = announce(tx, pen, command, "retracted", record)
    remember(tx, command.key, answer)
    return answer
