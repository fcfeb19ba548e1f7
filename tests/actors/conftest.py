"""Virtual time for actors."""

import pytest
from trio.testing import MockClock


@pytest.fixture
def jumping_clock(mock_clock: MockClock) -> MockClock:
    """Jumps on as soon as every task waits; nothing here waits for the outside world.

    A test has to name it among its own arguments to run on it.
    """
    mock_clock.autojump_threshold = 0
    return mock_clock
