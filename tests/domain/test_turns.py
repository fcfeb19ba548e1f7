"""Every pair of the turn machine: the table's word, and a refusal for all others."""

import itertools

import pytest

from groupx.domain.errors import ErrorCode, GroupXError
from groupx.domain.turns import OPEN, TERMINAL, TRANSITIONS, TurnEvent, TurnStatus, next_status

# Written out a second time on purpose: a change of the rules must be made twice.
ALLOWED = {
    "queued": {
        "claim": "dispatching",
        "cancel": "cancelled",
        "withdraw": "cancelled",
        "reject": "failed",
    },
    "dispatching": {
        "requeue": "queued",
        "cancel": "cancelled",
        "cancel_invoked": "cancelling",
        "started": "running",
        "fail": "failed",
        "interrupt": "interrupted",
    },
    "running": {
        "cancel_invoked": "cancelling",
        "complete": "completed",
        "fail": "failed",
        "native_cancelled": "cancelled",
        "interrupt": "interrupted",
    },
    "cancelling": {
        "started": "cancelling",
        "complete": "completed",
        "fail": "failed",
        "native_cancelled": "cancelled",
        "interrupt": "interrupted",
    },
}
PAIRS = list(itertools.product(TurnStatus, TurnEvent))


@pytest.mark.parametrize(("status", "event"), PAIRS, ids=[f"{s}-{e}" for s, e in PAIRS])
def test_every_pair(status: TurnStatus, event: TurnEvent) -> None:
    expected = ALLOWED.get(status, {}).get(event)
    if expected is None:
        with pytest.raises(GroupXError) as refused:
            next_status(status, event)
        assert refused.value.code is ErrorCode.STORE_CONFLICT
    else:
        assert next_status(status, event) == expected


def test_a_terminal_state_has_no_way_out() -> None:
    assert not [pair for pair in TRANSITIONS if pair[0] in TERMINAL]


def test_every_open_state_can_reach_an_end() -> None:
    reached = set(TERMINAL)
    for _ in TurnStatus:
        reached |= {old for (old, _), new in TRANSITIONS.items() if new in reached}
    assert reached >= OPEN
