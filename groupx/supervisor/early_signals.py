"""SIGINT, SIGTERM and SIGHUP until the room's own receiver (signals.py) listens.

Imports nothing heavy: this is installed before anything else is imported.
"""

import os
import signal
from types import FrameType

_came: list[int] = []


def asking() -> list[signal.Signals]:
    """The signals that ask for an end: without SIGHUP where it was ignored on purpose (nohup)."""
    numbers = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP]
    if signal.getsignal(signal.SIGHUP) is signal.SIG_IGN:
        numbers.remove(signal.SIGHUP)
    return numbers


def end_at_signals() -> None:
    """From now on one of them ends this process at once, with exit code 0.

    Nothing has been started yet that would need an orderly end; locks and ports go with the
    process.
    """
    numbers = asking()
    for number in numbers:
        signal.signal(number, _end)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, numbers)


def keep_signals() -> None:
    """From now on they are kept for `came` instead, since an end has to be in order."""
    for number in asking():
        if signal.getsignal(number) is _end:
            signal.signal(number, _keep)


def hold_signals_for_exec() -> None:
    """Leave them to the program that is executed next, which calls `end_at_signals`."""
    signal.pthread_sigmask(signal.SIG_BLOCK, asking())


def came() -> int | None:
    """The first that was kept, once."""
    return _came.pop(0) if _came else None


def _end(_number: int, _frame: FrameType | None) -> None:
    os._exit(0)


def _keep(number: int, _frame: FrameType | None) -> None:
    _came.append(number)
