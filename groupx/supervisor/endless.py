"""Something that runs until it is cancelled, as a child that ends when it is asked to."""

from collections.abc import Awaitable, Callable

import trio

from groupx.supervisor.child import ChildContext


def until_stopping(
    find: Callable[[], Callable[[], Awaitable[None]]],
) -> Callable[[ChildContext], Awaitable[None]]:
    """A ChildSpec's `run` for what `find` gives at the start of each incarnation."""

    async def run(context: ChildContext) -> None:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(find())
            context.ready()
            await context.stopping.wait()
            nursery.cancel_scope.cancel()

    return run
