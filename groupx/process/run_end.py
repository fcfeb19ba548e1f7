"""Ending everything that one run of the daemon started, when that daemon is gone.

Standard library only: the guardian runs this without site-packages.
"""

import os
import time
from collections.abc import Mapping

from groupx.process.proctable import kill, lineage, marked, processes, with_descendants

_PAUSE = 0.02
"""Between rounds; killed processes are not our children, so nothing tells of their end."""


def end_run(mark: bytes, trees: Mapping[int, str], *, seconds: float) -> set[int]:
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
