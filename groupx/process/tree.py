"""The tree of one child: looking for it, ending it, proving that it is gone."""

import os
from contextlib import ExitStack, suppress

import trio

from groupx.process.proctable import Process, kill, kill_group, processes, tree_of
from groupx.process.system import open_pidfd

_POLL_SECONDS = 0.02
"""Between looks where the system has no pidfd, or no descriptor is left."""


Sighting = tuple[int, str]
"""A pid and when its process started."""


class Tree:
    """The processes of one child, found by descent, session and mark.

    Who was seen once stays known: a zombie has lost its mark, and must still be reaped.
    """

    def __init__(self, root: int, started: str, mark: bytes) -> None:
        self._root = root
        self._started = started
        self._mark = mark
        self._known: set[Sighting] = set()
        self._thread = trio.CapacityLimiter(1)

    async def look(self) -> list[Process]:
        """What is alive of it; those that are dead and became our children are reaped."""
        return await trio.to_thread.run_sync(self._look, limiter=self._thread)

    def kill(self) -> None:
        """SIGKILL everyone, without waiting."""
        kill_group(self._root)
        with suppress(OSError):  # no descriptor left to look with: `end` tries again
            kill(row.pid for row in self._look())

    async def end(self, seconds: float) -> tuple[int, ...]:
        """SIGKILL until a look finds nobody alive. Returns who survived the bound.

        The root itself stays a zombie: its owner reaps it last, so that its pid and its group
        cannot pass to a stranger meanwhile.
        """
        alive: list[Process] | None = None
        with trio.move_on_after(seconds):
            while alive != []:
                try:
                    alive = await self.look()
                    await _end_all([row.pid for row in alive])
                except OSError:
                    await trio.sleep(_POLL_SECONDS)
        return (self._root,) if alive is None else tuple(row.pid for row in alive)

    def _look(self) -> list[Process]:
        table = processes()
        root = table.get(self._root)
        if root is None or root.started == self._started:
            found = tree_of(table, {self._root}, self._mark)
        else:
            found = tree_of(table, (), self._mark)
        found.update(
            pid for pid, started in self._known if pid in table and table[pid].started == started
        )
        rows = [table[pid] for pid in found]
        self._known = {(row.pid, row.started) for row in rows}
        for row in rows:
            if row.zombie and row.pid != self._root and row.parent == os.getpid():
                with suppress(ChildProcessError):
                    os.waitpid(row.pid, os.WNOHANG)
        return [row for row in rows if not row.zombie]


async def _end_all(pids: list[int]) -> None:
    with ExitStack() as opened:
        deaths: list[int | None] = []
        for pid in pids:
            pidfd = open_pidfd(pid)
            deaths.append(pidfd)
            if pidfd is not None:
                opened.callback(os.close, pidfd)
        kill(pids)
        for death in deaths:
            if death is not None:
                await trio.lowlevel.wait_readable(death)
        if None in deaths:
            await trio.sleep(_POLL_SECONDS)
