"""Entering the proof that a native turn has begun."""

from groupx.domain.attempts import AttemptEvent, next_attempt_state
from groupx.domain.turns import TurnEvent, TurnStatus, next_status
from groupx.store.attempt_rows import AttemptRow
from groupx.store.transaction import Transaction
from groupx.store.turn_events import by_agent
from groupx.store.turn_rows import TurnRow, must_change

_ATTEMPT_STARTED = """
UPDATE turn_attempts
SET dispatch_phase = ?, delivery_certainty = ?, started_at = ?, native_turn_id = ?
WHERE attempt_id = ? AND terminal_at IS NULL
"""
_TURN_STARTED = """
UPDATE turns SET status = ?, started_at = ?, native_turn_id = ?
WHERE turn_id = ? AND status = ? AND terminal_event_id IS NULL
"""


def enter_started(
    tx: Transaction, turn: TurnRow, attempt: AttemptRow, native_turn_id: str | None
) -> TurnStatus:
    """Attempt → native_started + delivered, turn → running (or still cancelling), turn.started."""
    phase, certainty = next_attempt_state(attempt.state, AttemptEvent.STARTED)
    status = next_status(turn.status, TurnEvent.STARTED)
    must_change(
        tx.conn.execute(
            _ATTEMPT_STARTED, (phase, certainty, tx.now, native_turn_id, attempt.attempt_id)
        ),
        f"Attempt '{attempt.attempt_id}'",
    )
    must_change(
        tx.conn.execute(_TURN_STARTED, (status, tx.now, native_turn_id, turn.turn_id, turn.status)),
        f"Turn '{turn.turn_id}'",
    )
    by_agent(
        tx,
        turn,
        "turn.started",
        {"turnId": turn.turn_id, "attemptId": attempt.attempt_id},
        instance_id=attempt.instance_id,
        key="started",
    )
    return status
