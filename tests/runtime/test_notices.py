"""What a restart says."""

import pytest

from groupx.domain.ledger import Recovered
from groupx.runtime_notices import restart_message


@pytest.mark.parametrize(
    ("recovered", "message"),
    [
        (Recovered(), None),
        (
            Recovered(interrupted=2, delivery_unknown=1),
            "restarted 14:02: 2 turns interrupted, 1 delivery unknown",
        ),
        (
            Recovered(requeued=1, cancelled=3, failed=1),
            "restarted 14:02: 1 turn queued again, 3 turns cancelled, 1 turn failed",
        ),
    ],
)
def test_counts_are_said_and_nothing_else(recovered: Recovered, message: str | None):
    assert restart_message(recovered, clock="14:02") == message
