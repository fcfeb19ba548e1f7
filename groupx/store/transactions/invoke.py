"""Invoke: the prompt may leave. Whoever gets True, and nobody else, may write it once."""

from groupx.domain.attempts import PREPARED, AttemptEvent, next_attempt_state
from groupx.domain.turns import TurnStatus
from groupx.store.transaction import Transaction

_INVOKE = """
UPDATE turn_attempts SET dispatch_phase = ?, delivery_certainty = ?, prompt_invoked_at = ?
WHERE attempt_id = ? AND dispatch_phase = ? AND delivery_certainty = ? AND terminal_at IS NULL
  AND EXISTS (SELECT 1 FROM turns WHERE turns.turn_id = turn_attempts.turn_id
    AND status = ? AND terminal_event_id IS NULL)
"""


def invoke(tx: Transaction, attempt_id: str) -> bool:
    """prepared → prompt_invoked + unknown; False when a cancel or anything else came first."""
    phase, certainty = next_attempt_state(PREPARED, AttemptEvent.INVOKE)
    cursor = tx.conn.execute(
        _INVOKE, (phase, certainty, tx.now, attempt_id, *PREPARED, TurnStatus.DISPATCHING)
    )
    return cursor.rowcount == 1
