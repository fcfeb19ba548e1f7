"""From a cause to the steps of the two machines that end a turn. Pure."""

from collections.abc import Mapping
from types import MappingProxyType

from groupx.domain.attempts import INVOKED, PREPARED, AttemptState, DeliveryCertainty
from groupx.domain.errors import ErrorCode
from groupx.domain.turns import TurnEvent, TurnStatus

END_STATUS: Mapping[TurnEvent, TurnStatus] = MappingProxyType(
    {
        TurnEvent.COMPLETE: TurnStatus.COMPLETED,
        TurnEvent.FAIL: TurnStatus.FAILED,
        TurnEvent.REJECT: TurnStatus.FAILED,
        TurnEvent.CANCEL: TurnStatus.CANCELLED,
        TurnEvent.WITHDRAW: TurnStatus.CANCELLED,
        TurnEvent.NATIVE_CANCELLED: TurnStatus.CANCELLED,
        TurnEvent.INTERRUPT: TurnStatus.INTERRUPTED,
    }
)
"""Where each ending event leads, from whatever status it is allowed in."""

_UNSENT: Mapping[tuple[TurnStatus, TurnEvent], TurnEvent] = MappingProxyType(
    {
        (TurnStatus.QUEUED, TurnEvent.NATIVE_CANCELLED): TurnEvent.CANCEL,
        (TurnStatus.QUEUED, TurnEvent.FAIL): TurnEvent.REJECT,
        (TurnStatus.DISPATCHING, TurnEvent.NATIVE_CANCELLED): TurnEvent.CANCEL,
        (TurnStatus.DISPATCHING, TurnEvent.REJECT): TurnEvent.FAIL,
        (TurnStatus.CANCELLING, TurnEvent.REJECT): TurnEvent.FAIL,
    }
)
"""What an ending is called in the turn table when nothing of the turn was sent."""


def certainty_without_attempt(
    status: TurnStatus, error_code: str | None
) -> DeliveryCertainty | None:
    """What is known of the delivery of a turn that was never taken for one.

    None where the question does not arise: no end yet, and no packet that could be delivered.
    """
    never_sent = status in {TurnStatus.FAILED, TurnStatus.CANCELLED}
    no_packet = error_code == ErrorCode.CONTEXT_BUDGET_EXCEEDED
    return DeliveryCertainty.NOT_DELIVERED if never_sent and not no_packet else None


def steps_to_end(
    status: TurnStatus, attempt: AttemptState | None, event: TurnEvent, *, started: bool
) -> tuple[TurnEvent, ...]:
    """The events that take a turn from `status` to its end, each to be checked by the table.

    `started`: the native turn is known to have begun; it is then entered as begun first.
    """
    if attempt is None or attempt == PREPARED:
        return (_UNSENT.get((status, event), event),)
    steps: list[TurnEvent] = []
    if status is TurnStatus.QUEUED:
        steps.append(TurnEvent.CLAIM)
        status = TurnStatus.DISPATCHING
    if started and attempt == INVOKED:
        steps.append(TurnEvent.STARTED)
    elif status is TurnStatus.DISPATCHING and event is TurnEvent.NATIVE_CANCELLED:
        steps.append(TurnEvent.CANCEL_INVOKED)
    steps.append(TurnEvent.FAIL if event is TurnEvent.REJECT else event)
    return tuple(steps)
