"""Started: the native program has begun the turn, so the prompt was delivered."""

from groupx.domain.attempts import STARTED, DispatchPhase
from groupx.domain.errors import ErrorCode, GroupXError
from groupx.domain.ledger import StartedCommand
from groupx.domain.turns import TurnStatus
from groupx.store.attempt_rows import find_attempt
from groupx.store.starting import enter_started
from groupx.store.transaction import Transaction
from groupx.store.turn_rows import get_turn


def started(tx: Transaction, command: StartedCommand) -> TurnStatus:
    """The turn's status afterwards; said again, or after the end, it changes nothing."""
    attempt = find_attempt(tx.conn, command.attempt_id)
    if attempt is None:
        raise GroupXError(
            ErrorCode.NOT_FOUND,
            f"There is no attempt '{command.attempt_id}'; nothing was changed.",
        )
    turn = get_turn(tx.conn, attempt.turn_id)
    if attempt.state == STARTED or attempt.state[0] is DispatchPhase.TERMINAL:
        return turn.status
    return enter_started(tx, turn, attempt, command.native_turn_id)
