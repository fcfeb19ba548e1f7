"""What recovery decides about one unfinished turn, from its rows alone. Pure."""

from enum import StrEnum

import attrs

from groupx.domain.attempts import PREPARED, AttemptState
from groupx.domain.turns import TurnStatus


class Verdict(StrEnum):
    """The decision; `RECONCILE` leaves the turn to its agent's own program."""

    KEEP = "keep"
    REQUEUE = "requeue"
    AGENT_GONE = "agent_gone"
    OTHER_TRANSPORT = "other_transport"
    CANCEL = "cancel"
    INTERRUPT = "interrupt"
    RECONCILE = "reconcile"


@attrs.frozen(kw_only=True)
class Unfinished:
    """The facts that decide."""

    status: TurnStatus
    attempt: AttemptState | None
    """None when the turn has no open attempt."""
    in_roster: bool
    same_transport: bool
    reconcilable: bool


def verdict(turn: Unfinished) -> Verdict:
    """Only what provably was not sent is ever queued again.

    A turn that runs was sent, even where its attempt contradicts that; of such a turn nothing is
    known, so nobody is asked.
    """
    queued = turn.status is TurnStatus.QUEUED
    prepared = turn.attempt == PREPARED
    contradictory = prepared and turn.status is TurnStatus.RUNNING
    unsent = not contradictory and (prepared or (queued and turn.attempt is None))
    if not unsent:
        knows = turn.attempt is not None and not contradictory
        can_ask = turn.reconcilable and turn.in_roster and turn.same_transport
        return Verdict.RECONCILE if can_ask and knows else Verdict.INTERRUPT
    if turn.status is TurnStatus.CANCELLING:
        return Verdict.CANCEL
    if not turn.in_roster:
        return Verdict.AGENT_GONE
    if not turn.same_transport:
        return Verdict.OTHER_TRANSPORT
    return Verdict.KEEP if turn.attempt is None else Verdict.REQUEUE
