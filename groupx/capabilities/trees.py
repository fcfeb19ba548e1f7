"""The processes of a run, as the system shows them."""

from pathlib import Path

import trio

from groupx.capabilities.stage import Stage
from groupx.process.environment import run_mark
from groupx.process.proctable import marked, processes


async def tree_of_run(stage: Stage) -> set[int]:
    """Those that exist now; empty where a tree cannot be found by its mark (`HAS_PROC`)."""

    def look() -> set[int]:
        table = processes()
        mark = run_mark(stage.spawner.run_id)
        return {pid for pid in marked(table, mark) if not table[pid].zombie}

    return await trio.to_thread.run_sync(look, abandon_on_cancel=True)


async def command_lines(stage: Stage) -> list[str]:
    """Of each of them."""

    def read(pids: set[int]) -> list[str]:
        lines: list[str] = []
        for pid in pids:
            try:
                line = Path(f"/proc/{pid}/cmdline").read_bytes()
            except OSError:
                continue  # it has ended
            lines.append(line.replace(b"\0", b" ").decode("utf-8", "replace"))
        return lines

    return await trio.to_thread.run_sync(read, await tree_of_run(stage), abandon_on_cancel=True)
