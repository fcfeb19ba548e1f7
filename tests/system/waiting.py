"""The one bounded wait of the system tests: for what no event or pipe can tell."""

import time
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


def wait_until(ask: Callable[[], T], what: str, seconds: float = 20.0) -> T:
    """The first true answer, asked ever less often; AssertionError naming `what` when none came."""
    answer = ask_within(seconds, ask)
    assert answer, f"not within {seconds:g} s: {what}"
    return answer


def ask_within(seconds: float, ask: Callable[[], T]) -> T:
    """The first true answer, asked ever less often; the last one when none came in time."""
    deadline = time.monotonic() + seconds
    pause = 0.005
    while not (answer := ask()) and time.monotonic() < deadline:
        time.sleep(pause)
        pause = min(pause * 1.5, 0.1)
    return answer
