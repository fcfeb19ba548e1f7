"""Timing helpers shared by the rows."""

import math
import time
from collections.abc import Awaitable, Callable

import trio


def percentile(values: list[float], share: float) -> float:
    """Nearest-rank percentile; `share` in 0..1."""
    ordered = sorted(values)
    return ordered[max(0, math.ceil(share * len(ordered)) - 1)]


async def timed(action: Callable[[], Awaitable[object]]) -> float:
    """Milliseconds that one action took."""
    began = time.perf_counter()
    await action()
    return (time.perf_counter() - began) * 1000


async def closed_loop(
    workers: list[Callable[[int], Awaitable[object]]], each: int
) -> tuple[list[float], float]:
    """Every worker runs its action `each` times in a row: all latencies (ms), total seconds."""
    latencies: list[float] = []

    async def work(action: Callable[[int], Awaitable[object]]) -> None:
        latencies.extend([await timed(lambda n=n: action(n)) for n in range(each)])

    began = time.perf_counter()
    async with trio.open_nursery() as nursery:
        for action in workers:
            nursery.start_soon(work, action)
    return latencies, time.perf_counter() - began
