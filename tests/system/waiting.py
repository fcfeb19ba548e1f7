"""The one bounded wait of the system tests: for what no event or pipe can tell."""

import time
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


def wait_until(ask: Callable[[], T], what: str, seconds: float = 20.0) -> T:
    """The first true answer, asked ever less often; AssertionError naming `what` when none came."""
    deadline = time.monotonic() + seconds
    pause = 0.005
    while not (answer := ask()):
        assert time.monotonic() < deadline, f"not within {seconds:g} s: {what}"
        time.sleep(pause)
        pause = min(pause * 1.5, 0.1)
    return answer
