"""The guardian: a tiny process that ends every tree of ours when the daemon is gone.

Speaks one way over stdin: `run <mark>`, then `+ <pid> <started>` and `- <pid>`, each a line.
End of input means that the daemon is gone, however it went.
"""

import os
import signal
import sys

from groupx.process.run_end import end_run

_SECONDS = 10.0


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
