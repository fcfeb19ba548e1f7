"""Keeps a saturated trio loop from starving the store's thread of the interpreter lock."""

import sys
import time
from collections.abc import Callable

import trio

SWITCH_SECONDS = 0.0005
"""CPython's default of 5 ms lets a busy loop delay each of the thread's steps by that much."""
_SLICE_SECONDS = 0.00005


class GilYield(trio.abc.Instrument):
    """Gives the lock away for a moment each tick, while the loop has work and so has the store.

    Costs nothing when the loop idles (waiting for I/O gives the lock away) or nothing is pending.
    """

    def __init__(self, pending: Callable[[], int]) -> None:
        self._pending = pending

    def before_io_wait(self, timeout: float) -> None:
        """Trio's hook; `timeout` is 0 when tasks are ready to run."""
        if timeout <= 0 and self._pending():
            time.sleep(_SLICE_SECONDS)


def keep_thread_fed(pending: Callable[[], int]) -> None:
    """Install both measures; `pending` says how many calls the store has not answered."""
    sys.setswitchinterval(SWITCH_SECONDS)
    trio.lowlevel.add_instrument(GilYield(pending))
