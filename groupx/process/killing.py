"""A run that kills itself at a named point: how tests prove what a crash leaves behind."""

import os
import signal
import time

import attrs

from groupx.domain.kill_points import BESIDE, POINTS, UPGRADE

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
    known = (*POINTS, *BESIDE)
    if point not in known and not point.startswith(UPGRADE):
        raise ValueError(f"there is no point '{point}' (there are {', '.join(known)}, {UPGRADE}…)")
    if len(numbers) > 2 or not all(number.isdecimal() for number in numbers):
        raise ValueError(f"'{text}' is not POINT[:N[:MILLISECONDS]]")
    order = KillOrder(point, *map(int, numbers))
    if order.passing < 1:
        raise ValueError(f"'{text}': the first passing is 1")
    return order


class _Orders:
    """What this process was told; None in an ordinary run."""

    def __init__(self) -> None:
        self.order: KillOrder | None = None
        self.passed = 0


_ORDERS = _Orders()


def arm(order: KillOrder) -> None:
    """From now on this process ends where it was told to."""
    _ORDERS.order, _ORDERS.passed = order, 0


def armed() -> bool:
    """Whether this process was told to end at some point."""
    return _ORDERS.order is not None


def passed(point: str) -> None:
    """Say that `point` is passed: the end of a process that was told to die here, else nothing."""
    order = _ORDERS.order
    if order is None or order.point != point:
        return
    _ORDERS.passed += 1
    if _ORDERS.passed == order.passing:
        time.sleep(order.hold_ms / 1000)
        os.kill(os.getpid(), signal.SIGKILL)
