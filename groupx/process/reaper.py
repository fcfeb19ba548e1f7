"""Reaps the orphans that we adopted, and nobody else's children."""

import os
import signal
from collections.abc import Container
from contextlib import suppress

import trio

from groupx.process.proctable import HAS_PROC, Process, processes, read_process

OWNER_SECONDS = 5.0
"""A zombie older than this has no owner: subprocess and trio take theirs at once."""


class Reaper:
    """Woken by SIGCHLD. Never touches `owned` children or those of our own session."""

    def __init__(self, owned: Container[int]) -> None:
        self._owned = owned
        self._seen: dict[tuple[int, str], float] = {}

    async def run(self, task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED) -> None:
        """For as long as the spawner lives; needs the main thread."""
        if not HAS_PROC:
            task_status.started()
            return
        with trio.open_signal_receiver(signal.SIGCHLD) as deaths:
            task_status.started()
            while True:
                with trio.move_on_after(self._patience()):
                    await anext(deaths)
                with suppress(OSError):  # no descriptor to look with; the next death looks again
                    self.look()

    def look(self) -> None:
        """Reap what is due now."""
        now = trio.current_time()
        due: dict[tuple[int, str], float] = {}
        for row in _our_zombies():
            if row.pid in self._owned or row.session == os.getsid(0):
                continue
            key = (row.pid, row.started)
            first_seen = self._seen.get(key, now)
            if now - first_seen < OWNER_SECONDS:
                due[key] = first_seen
                continue
            with suppress(ChildProcessError):
                os.waitpid(row.pid, os.WNOHANG)
        self._seen = due

    def _patience(self) -> float:
        if not self._seen:
            return float("inf")
        return max(0.0, min(self._seen.values()) + OWNER_SECONDS - trio.current_time())


def _our_zombies() -> list[Process]:
    try:
        pids: set[int] = set()
        for thread in os.listdir("/proc/self/task"):
            with suppress(FileNotFoundError), open(f"/proc/self/task/{thread}/children") as listing:
                pids.update(int(pid) for pid in listing.read().split())
        rows = [row for pid in pids if (row := read_process(pid))]
    except OSError:
        rows = list(processes().values())
    return [row for row in rows if row.zombie and row.parent == os.getpid()]
