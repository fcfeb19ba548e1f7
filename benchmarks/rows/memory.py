"""Resident memory of the daemon: idle, and with 5 000 messages queued.

Of one that has served a stream and a tool: what they need is imported when it is first asked for.
"""

import trio

from benchmarks.client import EventStream
from benchmarks.daemon import Daemon, daemon
from benchmarks.measure import closed_loop
from benchmarks.rows.accept import pause, post_message


async def _use(room: Daemon) -> None:
    connection = await room.connect()
    stream = await EventStream.open(room.port, room.token)
    answer = await post_message(connection, "remember that this room is measured")
    await stream.next_of("turn.completed", answer["turns"][0]["turnId"])  # type: ignore[index]
    await stream.aclose()
    await connection.aclose()


async def _queue(room: Daemon, messages: int) -> None:
    connections = [await room.connect() for _ in range(8)]
    await pause(connections[0])
    workers = [
        lambda n, c=connection: post_message(c, f"queued message {n}") for connection in connections
    ]
    await closed_loop(workers, messages // len(connections))
    for connection in connections:
        await connection.aclose()


def measure(quick: bool) -> dict[str, float]:
    """MB of the daemon process alone; the agents' programs are not counted."""
    with daemon() as room:
        trio.run(_use, room)
        idle = room.rss_mb()
        messages = 80 if quick else 5000
        trio.run(_queue, room, messages)
        return {"rss idle MB": idle, f"rss after {messages} queued MB": room.rss_mb()}
