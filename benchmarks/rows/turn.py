"""A whole turn with an instant agent: POST → the agent's answer committed → seen on SSE."""

import time

import trio

from benchmarks.client import EventStream
from benchmarks.daemon import Daemon, daemon
from benchmarks.measure import percentile
from benchmarks.rows.accept import post_message


async def _measure(room: Daemon, quick: bool) -> dict[str, float]:
    connection = await room.connect()
    stream = await EventStream.open(room.port, room.token)
    warm_up, rounds, sustained = (2, 10, 20) if quick else (10, 200, 500)
    latencies: list[float] = []
    for n in range(warm_up + rounds):
        began = time.perf_counter()
        answer = await post_message(connection, "hello")
        turn_id = answer["turns"][0]["turnId"]  # type: ignore[index]
        await stream.next_of("turn.completed", turn_id)
        if n >= warm_up:
            latencies.append((time.perf_counter() - began) * 1000)
    began = time.perf_counter()
    last = ""
    for _ in range(sustained):
        answer = await post_message(connection, "hello")
        last = answer["turns"][0]["turnId"]  # type: ignore[index]
    await stream.next_of("turn.completed", last)
    seconds = time.perf_counter() - began
    await stream.aclose()
    await connection.aclose()
    return {
        "turn p50 ms": percentile(latencies, 0.5),
        "turn p95 ms": percentile(latencies, 0.95),
        "turns per s, one agent": sustained / seconds,
    }


def measure(quick: bool) -> dict[str, float]:
    """Round trip in ms, and turns per second of one agent with its lane always full."""
    with daemon() as room:
        return trio.run(_measure, room, quick)
