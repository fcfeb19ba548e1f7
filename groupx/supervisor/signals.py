"""SIGINT, SIGTERM and SIGHUP: the first asks, the second hurries, the third ends the process."""

from collections.abc import AsyncIterator, Callable

import trio

from groupx.supervisor.early_signals import asking, came

GRACEFUL_SECONDS = 60.0
"""From the first signal until we hurry by ourselves."""
HURRIED_SECONDS = 15.0
"""From hurrying until the tree is called stuck."""


async def obey_signals(
    *,
    stop: Callable[[], None],
    hurry: Callable[[], None],
    exit_hard: Callable[[int], object],
    task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED,
) -> None:
    """Run as a task beside the tree, started before it with `nursery.start`; cancel it after.

    `exit_hard(code)` is `os._exit`, with 128 + the signal's number; called too when the tree has
    not gone in time, since a tree that ignores cancellation cannot be waited for.
    """
    with trio.open_signal_receiver(*asking()) as signals:
        task_status.started()
        code = 128 + (came() or await anext(signals))
        stop()
        await _next_within(signals, GRACEFUL_SECONDS)
        hurry()
        await _next_within(signals, HURRIED_SECONDS)
        exit_hard(code)


async def _next_within(signals: AsyncIterator[int], seconds: float) -> None:
    with trio.move_on_after(seconds):
        await anext(signals)
