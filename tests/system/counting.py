"""A daemon that can be asked what it holds: its tasks, files, threads and memory."""

import os
import signal
import sys
from pathlib import Path

import attrs

from tests.system.daemon import Daemon
from tests.system.waiting import wait_until

_PROGRAM = """
import json, os, pathlib, signal, trio
from groupx.actors.event_hub import EventHubActor
from groupx.store import connection

# A page cache of 1 MiB is full at once, so that memory that grows is a leak.
connection.PRAGMAS = tuple(
    connection.Pragma("cache_size", "-1024", -1024) if pragma.name == "cache_size" else pragma
    for pragma in connection.PRAGMAS
)
original = EventHubActor.run

async def count():
    with trio.open_signal_receiver(signal.SIGUSR1) as signals:
        async for _ in signals:
            target = pathlib.Path({path!r})
            fresh = target.with_suffix(".new")
            fresh.write_text(str(trio.lowlevel.current_statistics().tasks_living))
            os.replace(fresh, target)

async def run(self, *args, **kwargs):
    async with trio.open_nursery() as nursery:
        nursery.start_soon(count)
        await original(self, *args, **kwargs)
        nursery.cancel_scope.cancel()

EventHubActor.run = run
import groupx.cli
groupx.cli.main()
"""


@attrs.frozen
class Held:
    """What a process held at one moment."""

    tasks: int
    files: int
    threads: int
    megabytes: float


def countable(daemon: Daemon) -> None:
    """Let this daemon, not yet started, be counted."""
    daemon.program = [sys.executable, "-c", _PROGRAM.format(path=str(_answer(daemon)))]


def count(daemon: Daemon) -> Held:
    """What the daemon holds now."""
    assert daemon.process is not None
    answer = _answer(daemon)
    answer.unlink(missing_ok=True)
    os.kill(daemon.process.pid, signal.SIGUSR1)
    wait_until(answer.exists, "the count of tasks")
    proc = Path("/proc", str(daemon.process.pid))
    status = dict(line.split(":", 1) for line in (proc / "status").read_text().splitlines())
    return Held(
        tasks=int(answer.read_text()),
        files=len(list((proc / "fd").iterdir())),
        threads=int(status["Threads"]),
        megabytes=int(status["VmRSS"].split()[0]) / 1024,
    )


def _answer(daemon: Daemon) -> Path:
    return daemon.folder / "tasks"
