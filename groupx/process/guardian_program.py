"""The guardian: a tiny process that ends every tree of ours when the daemon is gone.

Speaks one way over stdin: `run <mark>`, then `+ <pid> <started>` and `- <pid>`, each a line.
End of input means that the daemon is gone, however it went.
"""

import os
import signal
import sys
import time

from groupx.process.proctable import kill, lineage, marked, processes, with_descendants

_SECONDS = 10.0
_PAUSE = 0.02


def main() -> None:
    """Say that we are up, listen until the pipe ends, then kill until nothing is left."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    os.write(1, b"+")
    mark, trees = _listen()
    end_run(mark, trees, seconds=_SECONDS)


def _listen() -> tuple[bytes, dict[int, str]]:
    mark = b""
    trees: dict[int, str] = {}
    for line in sys.stdin.buffer:
        match line.split():
            case [b"run", value]:
                mark = value
            case [b"+", pid, started]:
                trees[int(pid)] = started.decode()
            case [b"-", pid]:
                trees.pop(int(pid), None)
            case _:
                continue
    return mark, trees


def end_run(mark: bytes, trees: dict[int, str], *, seconds: float) -> set[int]:
    """SIGKILL the trees and all that bear the mark, again until none is left. Blocking.

    Never ends the caller or its ancestors. Returns what was alive at the bound.
    """
    deadline = time.monotonic() + seconds
    while True:
        table = processes()
        never = lineage(table, os.getpid())
        roots = marked(table, mark) if mark else set[int]()
        for pid, started in trees.items():
            leader = table.get(pid)
            # A leader that is gone keeps its number as long as its group has members.
            if leader is None or leader.started == started:
                roots.add(pid)
        found = with_descendants(table, roots, never=never)
        alive = {pid for pid in found if not table[pid].zombie}
        if not alive or time.monotonic() > deadline:
            return alive
        kill(alive)
        time.sleep(_PAUSE)
