"""One try at delivering a turn's prompt: the open row of a turn, and how it closes."""

import sqlite3
from typing import Any

import attrs

from groupx.domain.attempts import (
    INVOKED,
    PREPARED,
    STARTED,
    AttemptState,
    DeliveryCertainty,
    DispatchPhase,
    Reconciliation,
    closing_event,
    next_attempt_state,
)
from groupx.store.transaction import Transaction
from groupx.store.turn_rows import must_change

_COLUMNS = """
SELECT attempt_id, turn_id, binding_id, instance_id, context_through_seq, summary_through_seq,
  native_turn_id, dispatch_phase, delivery_certainty, terminal_at
FROM turn_attempts
"""
_OPEN = _COLUMNS + " WHERE turn_id = ? AND terminal_at IS NULL"
_BY_ID = _COLUMNS + " WHERE attempt_id = ?"
_CLOSE = """
UPDATE turn_attempts
SET dispatch_phase = ?, delivery_certainty = ?, terminal_at = ?, reconciliation = ?
WHERE attempt_id = ? AND terminal_at IS NULL
"""


@attrs.frozen(kw_only=True)
class AttemptRow:
    """An attempt's columns that transactions decide by."""

    attempt_id: str
    turn_id: str
    binding_id: str
    instance_id: str
    context_through_seq: int
    summary_through_seq: int | None
    native_turn_id: str | None
    state: AttemptState
    closed: bool


def open_attempt(conn: sqlite3.Connection, turn_id: str) -> AttemptRow | None:
    """The turn's one open attempt, if it has one."""
    return _attempt(conn.execute(_OPEN, (turn_id,)).fetchone())


def find_attempt(conn: sqlite3.Connection, attempt_id: str) -> AttemptRow | None:
    """The attempt, open or closed."""
    return _attempt(conn.execute(_BY_ID, (attempt_id,)).fetchone())


def open_state(phase: str, certainty: str) -> AttemptState:
    """The attempt machine's state for an open row.

    Rows of older formats can pair a phase and a certainty that the machine never makes; they
    count as sent, and as delivered only where the row says so.
    """
    for state in (PREPARED, INVOKED, STARTED):
        if state == (phase, certainty):
            return state
    return STARTED if certainty == DeliveryCertainty.DELIVERED else INVOKED


def close_attempt(
    tx: Transaction,
    attempt: AttemptRow,
    *,
    evidence: bool,
    reconciliation: Reconciliation = Reconciliation.NONE,
) -> DeliveryCertainty:
    """Close the open attempt; what is now known of its delivery."""
    event = closing_event(attempt.state, evidence)
    phase, certainty = next_attempt_state(attempt.state, event)
    cursor = tx.conn.execute(_CLOSE, (phase, certainty, tx.now, reconciliation, attempt.attempt_id))
    must_change(cursor, f"Attempt '{attempt.attempt_id}'")
    return certainty


def _attempt(row: tuple[Any, ...] | None) -> AttemptRow | None:
    if row is None:
        return None
    closed = row[9] is not None
    return AttemptRow(
        attempt_id=row[0],
        turn_id=row[1],
        binding_id=row[2],
        instance_id=row[3],
        context_through_seq=row[4],
        summary_through_seq=row[5],
        native_turn_id=row[6],
        state=(
            (DispatchPhase.TERMINAL, DeliveryCertainty(row[8]))
            if closed
            else open_state(row[7], row[8])
        ),
        closed=closed,
    )
