"""Waits of which only the first to end counts; the others are cancelled."""

from collections.abc import Awaitable, Callable
from typing import TypeVar

import trio

T = TypeVar("T")


async def unless(over: Callable[[], Awaitable[None]], work: Callable[[], Awaitable[T]]) -> T | None:
    """The result of `work`; None when `over` returned before it."""
    result: T | None = None
    async with trio.open_nursery() as nursery:

        async def watch() -> None:
            await over()
            nursery.cancel_scope.cancel()

        nursery.start_soon(watch)
        result = await work()
        nursery.cancel_scope.cancel()
    return result


async def first_of(*waits: Callable[[], Awaitable[None]]) -> None:
    """Returns once any of them has."""
    async with trio.open_nursery() as nursery:

        async def one(wait: Callable[[], Awaitable[None]]) -> None:
            await wait()
            nursery.cancel_scope.cancel()

        for wait in waits:
            nursery.start_soon(one, wait)
