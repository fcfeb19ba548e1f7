"""Every pair of the attempt machine, and that certainty never falls."""

import itertools

import pytest

from groupx.domain.attempts import (
    INVOKED,
    PREPARED,
    STARTED,
    TRANSITIONS,
    AttemptEvent,
    DeliveryCertainty,
    DispatchPhase,
    closing_event,
    next_attempt_state,
)
from groupx.domain.errors import GroupXError

RANK = {
    DeliveryCertainty.NOT_DELIVERED: 0,
    DeliveryCertainty.UNKNOWN: 1,
    DeliveryCertainty.DELIVERED: 2,
}
ALLOWED = {
    ("prepared", "not_delivered", "invoke"): ("prompt_invoked", "unknown"),
    ("prepared", "not_delivered", "close_unsent"): ("terminal", "not_delivered"),
    ("prompt_invoked", "unknown", "started"): ("native_started", "delivered"),
    ("prompt_invoked", "unknown", "close_unknown"): ("terminal", "unknown"),
    ("prompt_invoked", "unknown", "close_delivered"): ("terminal", "delivered"),
    ("native_started", "delivered", "close_delivered"): ("terminal", "delivered"),
}
TRIPLES = list(itertools.product(DispatchPhase, DeliveryCertainty, AttemptEvent))


@pytest.mark.parametrize(
    ("phase", "certainty", "event"), TRIPLES, ids=["-".join(triple) for triple in TRIPLES]
)
def test_every_triple(
    phase: DispatchPhase, certainty: DeliveryCertainty, event: AttemptEvent
) -> None:
    expected = ALLOWED.get((phase, certainty, event))
    if expected is None:
        with pytest.raises(GroupXError):
            next_attempt_state((phase, certainty), event)
    else:
        assert next_attempt_state((phase, certainty), event) == expected


def test_certainty_never_falls() -> None:
    for ((_, before), _), (_, after) in TRANSITIONS.items():
        assert RANK[after] >= RANK[before]


def test_not_delivered_at_the_end_only_from_prepared() -> None:
    ends = {old for (old, _), new in TRANSITIONS.items() if new == ("terminal", "not_delivered")}
    assert ends == {PREPARED}


@pytest.mark.parametrize(
    ("state", "evidence", "event"),
    [
        (PREPARED, False, AttemptEvent.CLOSE_UNSENT),
        (PREPARED, True, AttemptEvent.CLOSE_UNSENT),
        (INVOKED, False, AttemptEvent.CLOSE_UNKNOWN),
        (INVOKED, True, AttemptEvent.CLOSE_DELIVERED),
        (STARTED, False, AttemptEvent.CLOSE_DELIVERED),
        (STARTED, True, AttemptEvent.CLOSE_DELIVERED),
    ],
)
def test_how_an_attempt_closes(state, evidence, event) -> None:
    assert closing_event(state, evidence) is event
    assert next_attempt_state(state, event)[0] is DispatchPhase.TERMINAL
