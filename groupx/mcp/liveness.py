"""A call that takes long: its client is told so, and what is under way survives its leaving."""

from collections.abc import Awaitable, Callable
from typing import TypeVar

import trio

from groupx.mcp.tool import Call

PROGRESS_SECONDS = 10.0

T = TypeVar("T")


async def heard_of(call: Call, message: Callable[[], str], work: Callable[[], Awaitable[T]]) -> T:
    """What `work` gives, or the error that it raises; meanwhile what `message` says goes out every
    ten seconds, so that no client takes the call for dead."""

    async def tell() -> None:
        while True:
            await trio.sleep(PROGRESS_SECONDS)
            await call.tell(message())

    return await _beside(tell, work)


async def outlasting(
    seconds: float, work: Callable[[], Awaitable[T]], keep: Callable[[T], None]
) -> None:
    """Give what `work` gives to `keep`. A caller that is cancelled meanwhile waits up to `seconds`
    for it, and then goes: what was begun is known to whoever has to undo it."""
    held = trio.CancelScope(shield=True)

    async def kept() -> None:
        with held:
            keep(await work())

    async def hurry() -> None:
        try:
            await trio.sleep_forever()
        finally:
            held.deadline = trio.current_time() + seconds

    await _beside(hurry, kept)


async def _beside(companion: Callable[[], Awaitable[None]], work: Callable[[], Awaitable[T]]) -> T:
    """What `work` gives or raises, itself and in no group; `companion` runs as long."""
    results: list[T] = []
    failures: list[Exception] = []
    async with trio.open_nursery() as nursery:
        nursery.start_soon(companion)
        try:
            results.append(await work())
        except Exception as failure:
            failures.append(failure)
        nursery.cancel_scope.cancel()
    if failures:
        raise failures[0]
    return results[0]
