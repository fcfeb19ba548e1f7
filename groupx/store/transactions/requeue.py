"""Requeue: a turn whose prompt provably never left goes back to its place in the lane."""

from groupx.domain.attempts import MAX_ATTEMPTS, PREPARED
from groupx.domain.errors import ErrorCode, GroupXError
from groupx.domain.ledger import TerminalCommand
from groupx.domain.outcomes import Cause
from groupx.domain.turns import TurnEvent, TurnStatus, next_status
from groupx.store.attempt_rows import AttemptRow, close_attempt, open_attempt
from groupx.store.ending import end_turn
from groupx.store.transaction import Transaction
from groupx.store.turn_rows import TurnRow, get_turn, must_change

_ATTEMPTS = "SELECT count(*) FROM turn_attempts WHERE turn_id = ?"
_BACK = """
UPDATE turns SET status = ?, binding_id = NULL
WHERE turn_id = ? AND status = ? AND terminal_event_id IS NULL
"""


def requeue(tx: Transaction, turn_id: str) -> TurnStatus:
    """The turn's status afterwards: queued, or failed after the last allowed attempt.

    A turn that is queued or has ended is left as it is. STORE_CONFLICT once its prompt may
    have left.
    """
    turn = get_turn(tx.conn, turn_id)
    attempt = open_attempt(tx.conn, turn_id)
    if turn.ended or (turn.status is TurnStatus.QUEUED and attempt is None):
        return turn.status
    if attempt is None or attempt.state != PREPARED:
        raise GroupXError(
            ErrorCode.STORE_CONFLICT,
            f"The prompt of turn '{turn_id}' may have been sent, so it is never queued again.",
        )
    return put_back(tx, turn, attempt)


def put_back(tx: Transaction, turn: TurnRow, attempt: AttemptRow) -> TurnStatus:
    """Close the prepared attempt; back to queued, or failed when it was the last one."""
    (attempts,) = tx.conn.execute(_ATTEMPTS, (turn.turn_id,)).fetchone()
    if attempts >= MAX_ATTEMPTS:
        end = TerminalCommand(
            turn_id=turn.turn_id,
            attempt_id=attempt.attempt_id,
            cause=Cause.START_FAILED,
            message=f"{turn.target_actor_id} could not take this turn in {attempts} tries; "
            "it was never sent. Look at the agent's last error, then retry.",
        )
        return end_turn(tx, turn, attempt, end).status
    close_attempt(tx, attempt, evidence=False)
    status = turn.status
    if status is not TurnStatus.QUEUED:
        status = next_status(turn.status, TurnEvent.REQUEUE)
    must_change(
        tx.conn.execute(_BACK, (status, turn.turn_id, turn.status)), f"Turn '{turn.turn_id}'"
    )
    tx.wake_lane(turn.target_actor_id)
    return status
