"""Settle: the end of a turn that a crash left open, by what its agent's own program says of it."""

import attrs

from groupx.domain.ledger import Settlement, Terminated
from groupx.domain.recovery import settled_cause
from groupx.domain.turns import TurnStatus
from groupx.store.attempt_rows import open_attempt
from groupx.store.ending import end_turn
from groupx.store.transaction import Transaction
from groupx.store.turn_rows import get_turn


def settle(tx: Transaction, settlement: Settlement) -> Terminated | None:
    """The end; None when the turn has ended meanwhile, or is at another attempt."""
    turn = get_turn(tx.conn, settlement.end.turn_id)
    attempt = open_attempt(tx.conn, turn.turn_id)
    if turn.ended or attempt is None or attempt.attempt_id != settlement.end.attempt_id:
        return None
    cancelling = turn.status is TurnStatus.CANCELLING
    cause = settled_cause(settlement.proven, cancelling=cancelling) or settlement.end.cause
    return end_turn(tx, turn, attempt, attrs.evolve(settlement.end, cause=cause))
