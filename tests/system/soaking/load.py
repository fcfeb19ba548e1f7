"""The load of a soak: posters that wait for their answers, streams that hear everything."""

import secrets
import time
from collections.abc import Callable
from functools import partial

import attrs
import trio

from benchmarks.client import Connection, EventStream
from tests.system.daemon import TERMINAL, Daemon
from tests.system.soaking.samples import Sample, look
from tests.system.soaking.streams import CountingStream, open_sse, open_websocket
from tests.system.waiting import ask_within

SAMPLE_SECONDS = 1.0
SETTLE_SECONDS = 60.0
TURN_SECONDS = 120.0


@attrs.frozen(kw_only=True)
class Load:
    """How much, for how long. A poster has at most one message under way."""

    seconds: float
    agents: int = 8
    posters: int = 32
    streams: int = 200
    every_seconds: float = 20.0
    """From one message of a poster to its next."""
    long_ones: int = 8
    """One message in so many has a long answer: each of its words goes to every stream."""


@attrs.define
class Measured:
    """What was seen; times are seconds since the load began."""

    samples: list[tuple[float, Sample]] = attrs.field(factory=list)
    accepted: list[tuple[float, float]] = attrs.field(factory=list)
    """Milliseconds from a POST to its 202."""
    answered: list[tuple[float, float]] = attrs.field(factory=list)
    """Milliseconds from a POST to the end of its turn, as told by a stream."""
    posted: int = 0
    told: list[int] = attrs.field(factory=list)
    """Stream → how many ends of turns it was told of."""
    idle_before: Sample | None = None
    idle_after: Sample | None = None
    """Before the first and after the last stream and poster."""


@attrs.define
class _Ends:
    """Who waits for the end of which turn."""

    waiting: dict[str, trio.Event] = attrs.field(factory=dict)

    def of(self, turn_id: str) -> trio.Event:
        """Set once that turn has ended."""
        return self.waiting.setdefault(turn_id, trio.Event())


async def soak(daemon: Daemon, load: Load) -> Measured:
    """Put the load on a running daemon; returns when everything that was posted has ended."""
    measured, ends = Measured(), _Ends()
    assert daemon.process is not None
    pid, port, token = daemon.process.pid, daemon.port, daemon.token
    measured.idle_before = look(pid)
    async with trio.open_nursery() as around:
        streams = [
            await (open_websocket if number % 2 else open_sse)(port, token)
            for number in range(load.streams)
        ]
        for stream in streams:
            around.start_soon(stream.read)
        clock = partial(_since, time.monotonic())
        around.start_soon(_sample, pid, clock, measured)
        await around.start(_listen, port, token, ends)
        async with trio.open_nursery() as posters:
            for number in range(load.posters):
                posters.start_soon(_post, daemon, number, load, clock, measured, ends)
        await trio.to_thread.run_sync(ask_within, SETTLE_SECONDS, lambda: _told(streams, measured))
        measured.told = [stream.ended for stream in streams]
        around.cancel_scope.cancel()
    await trio.to_thread.run_sync(ask_within, SETTLE_SECONDS, lambda: _gone(pid, measured))
    return measured


def _since(began: float) -> float:
    return time.monotonic() - began


async def _post(
    daemon: Daemon,
    number: int,
    load: Load,
    clock: Callable[[], float],
    measured: Measured,
    ends: _Ends,
) -> None:
    """One poster: a message, its answer, and a pause, so that the load is the same all the time."""
    connection = await Connection.open(daemon.port, daemon.token)
    due = load.every_seconds * number / load.posters
    while due < load.seconds:
        await trio.sleep(max(0.0, due - clock()))
        began = clock()
        command = {
            "clientCommandId": secrets.token_hex(8),
            "to": [f"agent:agent{number % load.agents}"],
            "content": "hello" if measured.posted % load.long_ones == 0 else "say nothing",
        }
        status, answer = await connection.post("/api/messages", command)
        assert status == 202, answer
        measured.posted += 1
        measured.accepted.append((began, (clock() - began) * 1000))
        with trio.fail_after(TURN_SECONDS):
            await ends.of(answer["turns"][0]["turnId"]).wait()
        measured.answered.append((began, (clock() - began) * 1000))
        due = max(due + load.every_seconds, clock())
    await connection.aclose()


async def _listen(port: int, token: str, ends: _Ends, task_status: trio.TaskStatus[None]) -> None:
    """The one stream that is read in full."""
    stream = await EventStream.open(port, token)
    task_status.started()
    try:
        while True:
            event = await stream.next_event()
            if event["type"] in TERMINAL:
                ends.of(event["body"]["turnId"]).set()
    finally:
        await stream.aclose()


async def _sample(pid: int, clock: Callable[[], float], measured: Measured) -> None:
    while True:
        measured.samples.append((clock(), await trio.to_thread.run_sync(look, pid)))
        await trio.sleep(SAMPLE_SECONDS)


def _told(streams: list[CountingStream], measured: Measured) -> bool:
    """Whether every stream was told of every end."""
    return all(stream.ended >= measured.posted for stream in streams)


def _gone(pid: int, measured: Measured) -> bool:
    """Whether the daemon has noticed that its clients left."""
    assert measured.idle_before is not None
    measured.idle_after = look(pid)
    return measured.idle_after.descriptors <= measured.idle_before.descriptors
