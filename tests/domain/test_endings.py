import itertools

import pytest

from groupx.domain.attempts import INVOKED, PREPARED, STARTED
from groupx.domain.endings import END_STATUS, steps_to_end
from groupx.domain.errors import GroupXError
from groupx.domain.outcomes import ENDINGS, PROVES_DELIVERY, Cause
from groupx.domain.turns import OPEN, TERMINAL, TurnEvent, TurnStatus, next_status

ACTIVE = (TurnStatus.DISPATCHING, TurnStatus.RUNNING, TurnStatus.CANCELLING)


def walk(status, steps):
    for step in steps:
        status = next_status(status, step)
    return status


def test_every_ending_of_every_cause_leads_where_it_says():
    assert {ending.event for ending in ENDINGS.values()} <= set(END_STATUS)
    assert set(END_STATUS.values()) == TERMINAL


@pytest.mark.parametrize(("status", "attempt"), [
    (TurnStatus.DISPATCHING, INVOKED), (TurnStatus.RUNNING, STARTED),
    (TurnStatus.CANCELLING, INVOKED), (TurnStatus.CANCELLING, STARTED),
])  # fmt: skip
@pytest.mark.parametrize("cause", [cause for cause in Cause if cause is not Cause.WITHDRAWN])
@pytest.mark.parametrize("started", [False, True])
def test_whatever_was_sent_can_end_in_every_way(status, attempt, cause, started):
    if cause is Cause.COMPLETED and not started:
        return
    event = ENDINGS[cause].event
    steps = steps_to_end(status, attempt, event, started=started)
    assert walk(status, steps) is END_STATUS[event]
    begun = TurnEvent.STARTED in steps
    assert begun == (started and attempt == INVOKED)


@pytest.mark.parametrize(("status", "attempt"), [
    (TurnStatus.QUEUED, None), (TurnStatus.DISPATCHING, PREPARED),
    (TurnStatus.CANCELLING, PREPARED),
])  # fmt: skip
def test_what_was_not_sent_is_refused_or_cancelled(status, attempt):
    for event in (TurnEvent.REJECT, TurnEvent.NATIVE_CANCELLED):
        steps = steps_to_end(status, attempt, event, started=False)
        assert walk(status, steps) is END_STATUS[event]
    if status is not TurnStatus.CANCELLING:
        with pytest.raises(GroupXError):
            walk(status, steps_to_end(status, attempt, TurnEvent.COMPLETE, started=True))


def test_only_the_last_step_ends():
    for status, attempt, event, started in itertools.product(
        OPEN, (None, PREPARED, INVOKED, STARTED), END_STATUS, (False, True)
    ):
        *before, last = steps_to_end(status, attempt, event, started=started)
        assert last in END_STATUS
        assert not set(before) & set(END_STATUS)


def test_an_answer_proves_the_delivery():
    assert {Cause.COMPLETED, Cause.NATIVE_FAILED, Cause.INTERACTION} == PROVES_DELIVERY
