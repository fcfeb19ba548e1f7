"""Cancel: at once while nothing was sent; afterwards a wish that the lane carries out."""

from groupx.domain.attempts import PREPARED
from groupx.domain.commands import CancelAnswer, CancelCommand
from groupx.domain.ledger import TerminalCommand
from groupx.domain.outcomes import Cause
from groupx.domain.turns import TurnEvent, TurnStatus, next_status
from groupx.store.attempt_rows import open_attempt
from groupx.store.command_rows import first_result, remember
from groupx.store.ending import end_turn
from groupx.store.transaction import Transaction
from groupx.store.turn_rows import TurnRow, get_turn, must_change

_CANCELLING = """
UPDATE turns SET status = ? WHERE turn_id = ? AND status = ? AND terminal_event_id IS NULL
"""


def cancel(tx: Transaction, command: CancelCommand) -> CancelAnswer:
    """Answered in every state; NOT_FOUND for an unknown turn, CLIENT_COMMAND_CONFLICT.

    The lane's bell is rung while the turn is open, also for the same cancel again, so that a
    forced one reaches it.
    """
    known = first_result(tx, command.key)
    turn = get_turn(tx.conn, command.turn_id)
    status = TurnStatus(known["status"]) if known is not None else cancel_turn(tx, turn)
    if not turn.ended:
        tx.wake_lane(turn.target_actor_id)
    answer = CancelAnswer(turn_id=turn.turn_id, status=status, target_actor_id=turn.target_actor_id)
    if known is None:
        remember(tx, command.key, answer)
    return answer


def cancel_turn(tx: Transaction, turn: TurnRow) -> TurnStatus:
    """What a cancel makes of the turn: its status afterwards."""
    if turn.ended or turn.status is TurnStatus.CANCELLING:
        return turn.status
    attempt = open_attempt(tx.conn, turn.turn_id)
    if turn.status is TurnStatus.QUEUED or (attempt and attempt.state == PREPARED):
        end = TerminalCommand(
            turn_id=turn.turn_id,
            attempt_id=attempt and attempt.attempt_id,
            cause=Cause.CANCELLED,
        )
        return end_turn(tx, turn, attempt, end).status
    status = next_status(turn.status, TurnEvent.CANCEL_INVOKED)
    must_change(
        tx.conn.execute(_CANCELLING, (status, turn.turn_id, turn.status)),
        f"Turn '{turn.turn_id}'",
    )
    return status
