"""While a call waits, its client is told that it does."""

from collections.abc import Awaitable, Callable
from typing import TypeVar

import trio

from groupx.domain.errors import GroupXError
from groupx.mcp.patience import PROGRESS_SECONDS
from groupx.mcp.tool import Call

T = TypeVar("T")


async def heard_of(call: Call, message: str, work: Callable[[], Awaitable[T]]) -> T:
    """What `work` gives, or the GroupXError that it raises; meanwhile `message` goes out every
    ten seconds, so that no client takes the call for dead."""
    results: list[T] = []
    refusals: list[GroupXError] = []
    async with trio.open_nursery() as nursery:
        nursery.start_soon(_tell, call, message)
        try:
            results.append(await work())
        except GroupXError as refused:
            refusals.append(refused)
        nursery.cancel_scope.cancel()
    if refusals:
        raise refusals[0]
    return results[0]


async def _tell(call: Call, message: str) -> None:
    while True:
        await trio.sleep(PROGRESS_SECONDS)
        await call.tell(message)
