"""Processes of a test, found by a marker in their environment whoever their parent is."""

import os
import subprocess
import sys
from pathlib import Path

MARKER = "GX_TEST_DAEMON"


def marked(mark: str) -> list[int]:
    """Living processes (no zombies) that carry the marker, ourselves excepted."""
    wanted = f"{MARKER}={mark}"
    found = _by_proc(wanted) if sys.platform == "linux" else _by_ps(wanted)
    return sorted(set(found) - {os.getpid()})


def describe(pids: list[int]) -> list[str]:
    """Their command lines, for a failure's message."""
    return [f"{pid}: {_command_line(pid)}" for pid in pids]


def command_lines(pids: list[int]) -> list[str]:
    """Of those that live still."""
    return [line for line in map(_command_line, pids) if line]


def _by_proc(wanted: str) -> list[int]:
    found: list[int] = []
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            environment = (entry / "environ").read_bytes()
        except OSError:
            continue
        if wanted.encode() in environment.split(b"\0"):
            found.append(int(entry.name))
    return found


def _by_ps(wanted: str) -> list[int]:
    table = subprocess.run(
        ["ps", "-axEww", "-o", "pid=,stat=,command="], capture_output=True, text=True, check=True
    )
    rows = [line.split(None, 2) for line in table.stdout.splitlines() if wanted in line]
    return [int(pid) for pid, stat, _ in rows if not stat.startswith("Z")]


def _command_line(pid: int) -> str:
    done = subprocess.run(
        ["ps", "-o", "command=", "-p", str(pid)], capture_output=True, text=True, check=False
    )
    return done.stdout.strip()
