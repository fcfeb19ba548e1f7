"""POST /api/messages while the agent's lane is paused: how fast is a message durable?"""

import uuid

import trio

from benchmarks.client import Connection
from benchmarks.daemon import Daemon, daemon
from benchmarks.measure import closed_loop, percentile

TARGET = "agent:agent0"


async def pause(connection: Connection) -> None:
    """Hold the lane, so that nothing but accepting happens."""
    status, answer = await connection.post(
        f"/api/lanes/{TARGET}/pause", {"clientCommandId": uuid.uuid4().hex}
    )
    if status not in {200, 202}:
        raise RuntimeError(f"pausing the lane answered {status}: {answer}")


async def post_message(connection: Connection, content: str) -> dict[str, object]:
    """One accepted message; raises when it is refused."""
    status, answer = await connection.post(
        "/api/messages",
        {"clientCommandId": uuid.uuid4().hex, "to": [TARGET], "content": content},
    )
    if status != 202:
        raise RuntimeError(f"POST /api/messages answered {status}: {answer}")
    return answer


async def _measure(room: Daemon, quick: bool) -> dict[str, float]:
    figures: dict[str, float] = {}
    connections = [await room.connect() for _ in range(32)]
    await pause(connections[0])
    for concurrency, total in ((1, 500), (8, 2000), (32, 4000)):
        each = (total // 20 if quick else total) // concurrency
        workers = [
            lambda n, c=connection: post_message(c, f"message {n}")
            for connection in connections[:concurrency]
        ]
        latencies, seconds = await closed_loop(workers, max(1, each))
        figures[f"accept c={concurrency} p50 ms"] = percentile(latencies, 0.5)
        figures[f"accept c={concurrency} p99 ms"] = percentile(latencies, 0.99)
        figures[f"accept c={concurrency} per s"] = len(latencies) / seconds
    for connection in connections:
        await connection.aclose()
    return figures


def measure(quick: bool) -> dict[str, float]:
    """p50 and p99 in ms, and accepted messages per second, at 1, 8 and 32 connections."""
    with daemon() as room:
        return trio.run(_measure, room, quick)
