"""A tree as a whole process: run until it has stopped, with the process's signals obeyed."""

from collections.abc import Callable
from functools import partial

import trio

from groupx.supervisor.signals import obey_signals
from groupx.supervisor.tree import ChildFailed, Supervisor


async def run_obeying(
    tree: Supervisor, *, stop: Callable[[], None], exit_hard: Callable[[int], object]
) -> ChildFailed | None:
    """The failure that ended it; None when it was stopped.

    The first signal is told to `stop`, which has the tree stopped; `exit_hard` as for obey_signals.
    """
    failure: ChildFailed | None = None
    async with trio.open_nursery() as nursery:
        await nursery.start(partial(obey_signals, stop=stop, hurry=tree.hurry, exit_hard=exit_hard))
        try:
            await tree.run()
        except ChildFailed as error:
            failure = error
        nursery.cancel_scope.cancel()
    return failure
