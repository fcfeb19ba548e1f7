"""Ending a whole tree and proving it: kill, wait for the deaths, reap what was adopted."""

import os
from contextlib import ExitStack, suppress

import trio

from groupx.process.proctable import Process, kill, processes, tree_of
from groupx.process.system import open_pidfd

_POLL_SECONDS = 0.02
"""Between looks, only where the system has no pidfd."""


async def end_tree(root: int, mark: bytes, *, seconds: float) -> tuple[int, ...]:
    """SIGKILL the tree until a look finds nothing of it alive. Returns who survived the bound.

    `root` itself stays a zombie: its owner reaps it last, so that its pid and its group cannot
    pass to a stranger meanwhile.
    """
    killed: set[tuple[int, str]] = set()
    alive: list[Process] = []
    with trio.move_on_after(seconds):
        while True:
            alive = await trio.to_thread.run_sync(_look, root, mark, killed)
            if not alive:
                break
            killed.update((row.pid, row.started) for row in alive)
            await _end_all([row.pid for row in alive])
    return tuple(row.pid for row in alive)


def _look(root: int, mark: bytes, killed: set[tuple[int, str]]) -> list[Process]:
    """What is alive of the tree; those of it that are dead and became ours are reaped."""
    table = processes()
    found = tree_of(table, root, mark)
    found.update(pid for pid, started in killed if pid in table and table[pid].started == started)
    rows = [table[pid] for pid in found]
    for row in rows:
        if row.zombie and row.pid != root and row.parent == os.getpid():
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
