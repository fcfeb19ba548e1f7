"""A run that kills itself at a named point: how tests prove what a crash leaves behind."""

import os
import signal
import time
from collections import Counter

import attrs

from groupx.domain.kill_points import KILL_POINTS, POINTS, UPGRADE

KILL_VARIABLE = "GROUPX_KILL_AT"
"""`POINT`, `POINT:N` or `POINT:N:MILLISECONDS`."""


@attrs.frozen
class KillOrder:
    """Die by SIGKILL the `passing`th time that `point` is passed.

    With `hold_ms`, whoever passes it stands still for so long first: what others were given by
    then has its effect, and this run never learns of it.
    """

    point: str
    passing: int = 1
    hold_ms: int = 0


def read_order(text: str) -> KillOrder:
    """The variable's value. Raises ValueError, saying what is wrong with it."""
    point, *numbers = text.split(":")
    if point not in POINTS and not point.startswith(UPGRADE):
        raise ValueError(f"there is no point '{point}' (there are {', '.join(POINTS)}, {UPGRADE}…)")
    if len(numbers) > 2 or not all(number.isdecimal() for number in numbers):
        raise ValueError(f"'{text}' is not POINT[:N[:MILLISECONDS]]")
    order = KillOrder(point, *map(int, numbers))
    if order.passing < 1:
        raise ValueError(f"'{text}': the first passing is 1")
    return order


def arm(order: KillOrder) -> None:
    """From now on this process ends where it was told to."""
    passed: Counter[str] = Counter()

    def reached(point: str) -> None:
        passed[point] += 1
        if point == order.point and passed[point] == order.passing:
            time.sleep(order.hold_ms / 1000)
            os.kill(os.getpid(), signal.SIGKILL)

    KILL_POINTS.reached = reached
