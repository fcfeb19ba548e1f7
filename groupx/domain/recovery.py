"""What recovery decides about one unfinished turn: from its rows, then from what its agent's own
program says of it. Pure."""

from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType

import attrs

from groupx.domain.attempts import INVOKED, PREPARED, STARTED, AttemptState
from groupx.domain.outcomes import Cause
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


_ASKABLE = frozenset(
    {
        (TurnStatus.DISPATCHING, INVOKED),
        (TurnStatus.RUNNING, STARTED),
        (TurnStatus.CANCELLING, INVOKED),
        (TurnStatus.CANCELLING, STARTED),
    }
)
"""Turn and attempt that agree; of any other pair nothing is known, so nobody is asked."""


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

    A turn that runs was sent, even where its attempt contradicts that.
    """
    queued = turn.status is TurnStatus.QUEUED
    prepared = turn.attempt == PREPARED
    contradictory = prepared and turn.status is TurnStatus.RUNNING
    unsent = not contradictory and (prepared or (queued and turn.attempt is None))
    if not unsent:
        can_ask = turn.reconcilable and turn.in_roster and turn.same_transport
        agree = (turn.status, turn.attempt) in _ASKABLE
        return Verdict.RECONCILE if can_ask and agree else Verdict.INTERRUPT
    if turn.status is TurnStatus.CANCELLING:
        return Verdict.CANCEL
    if not turn.in_roster:
        return Verdict.AGENT_GONE
    if not turn.same_transport:
        return Verdict.OTHER_TRANSPORT
    return Verdict.KEEP if turn.attempt is None else Verdict.REQUEUE


class NativeEnd(StrEnum):
    """How a program's own record says that a turn ended."""

    COMPLETED = "completed"
    FAILED = "failed"
    STOPPED = "stopped"
    """Before it was done, by a cancel or with the program."""


_SETTLED: Mapping[tuple[NativeEnd | None, bool], Cause | None] = MappingProxyType(
    {
        (NativeEnd.COMPLETED, False): Cause.COMPLETED,
        (NativeEnd.COMPLETED, True): Cause.COMPLETED,
        (NativeEnd.FAILED, False): Cause.NATIVE_FAILED,
        (NativeEnd.FAILED, True): Cause.NATIVE_FAILED,
        (NativeEnd.STOPPED, False): None,
        (NativeEnd.STOPPED, True): Cause.CANCELLED,
        (None, False): Cause.DAEMON_KILLED,
        (None, True): Cause.DAEMON_KILLED,
    }
)
"""(what is proven of its end, whether the user had cancelled it) → why the turn ended; None =
that depends on who stopped it."""


def settled_cause(proven: NativeEnd | None, *, cancelling: bool) -> Cause | None:
    """A completion that beat the cancel stays one; what is not proven is interrupted. None for
    what was stopped, but not by the user."""
    return _SETTLED[proven, cancelling]
