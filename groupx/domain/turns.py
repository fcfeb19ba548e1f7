"""The turn machine: (status, event) → status, as one table. Every other pair is refused."""

from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType

from groupx.domain.errors import ErrorCode, GroupXError


class TurnStatus(StrEnum):
    """What a turn is; the four terminal ones never change."""

    QUEUED = "queued"
    DISPATCHING = "dispatching"
    RUNNING = "running"
    CANCELLING = "cancelling"
    COMPLETED = "completed"
    FAILED = "failed"
    CANCELLED = "cancelled"
    INTERRUPTED = "interrupted"


TERMINAL = frozenset(
    {TurnStatus.COMPLETED, TurnStatus.FAILED, TurnStatus.CANCELLED, TurnStatus.INTERRUPTED}
)
OPEN = frozenset(set(TurnStatus) - TERMINAL)
AT_WORK = OPEN - {TurnStatus.QUEUED}
"""An agent has it, or is about to."""


class TurnEvent(StrEnum):
    """What can happen to a turn."""

    CLAIM = "claim"
    REQUEUE = "requeue"
    WITHDRAW = "withdraw"
    REJECT = "reject"
    CANCEL = "cancel"
    """Cancelled while nothing of it was sent, or it is queued."""
    CANCEL_INVOKED = "cancel_invoked"
    """Cancelled after its prompt may have left."""
    STARTED = "started"
    COMPLETE = "complete"
    FAIL = "fail"
    NATIVE_CANCELLED = "native_cancelled"
    INTERRUPT = "interrupt"


_S, _E = TurnStatus, TurnEvent

TRANSITIONS: Mapping[tuple[TurnStatus, TurnEvent], TurnStatus] = MappingProxyType(
    {
        (_S.QUEUED, _E.CLAIM): _S.DISPATCHING,
        (_S.QUEUED, _E.CANCEL): _S.CANCELLED,
        (_S.QUEUED, _E.WITHDRAW): _S.CANCELLED,
        (_S.QUEUED, _E.REJECT): _S.FAILED,
        (_S.DISPATCHING, _E.REQUEUE): _S.QUEUED,
        (_S.DISPATCHING, _E.CANCEL): _S.CANCELLED,
        (_S.DISPATCHING, _E.CANCEL_INVOKED): _S.CANCELLING,
        (_S.DISPATCHING, _E.STARTED): _S.RUNNING,
        (_S.DISPATCHING, _E.FAIL): _S.FAILED,
        (_S.DISPATCHING, _E.INTERRUPT): _S.INTERRUPTED,
        (_S.RUNNING, _E.CANCEL_INVOKED): _S.CANCELLING,
        (_S.RUNNING, _E.COMPLETE): _S.COMPLETED,
        (_S.RUNNING, _E.FAIL): _S.FAILED,
        (_S.RUNNING, _E.NATIVE_CANCELLED): _S.CANCELLED,
        (_S.RUNNING, _E.INTERRUPT): _S.INTERRUPTED,
        (_S.CANCELLING, _E.STARTED): _S.CANCELLING,
        (_S.CANCELLING, _E.COMPLETE): _S.COMPLETED,
        (_S.CANCELLING, _E.FAIL): _S.FAILED,
        (_S.CANCELLING, _E.NATIVE_CANCELLED): _S.CANCELLED,
        (_S.CANCELLING, _E.INTERRUPT): _S.INTERRUPTED,
    }
)


def next_status(status: TurnStatus, event: TurnEvent) -> TurnStatus:
    """The status after `event`; STORE_CONFLICT when the table has no such pair."""
    try:
        return TRANSITIONS[status, event]
    except KeyError:
        raise GroupXError(
            ErrorCode.STORE_CONFLICT,
            f"A turn that is {status} cannot take '{event}'; nothing was changed.",
            status=str(status),
            event=str(event),
        ) from None
