"""The processes of this machine and which of them belong to a tree of ours.

Standard library only: the guardian runs this without site-packages. Linux reads /proc; elsewhere
`ps` is asked, and marks in environments cannot be read.
"""

import os
import signal
import sys
from collections.abc import Collection, Iterable, Mapping
from typing import NamedTuple

HAS_PROC = sys.platform == "linux"

_GONE = (FileNotFoundError, ProcessLookupError)
"""Any other error (too many open files) must not look like an absent process."""


class Process(NamedTuple):
    """One row of the table. `started` tells apart two processes that had the same pid."""

    pid: int
    parent: int
    group: int
    session: int
    zombie: bool
    started: str


Table = Mapping[int, Process]


def processes() -> Table:
    """Everything that exists now, zombies included, by pid. Raises OSError."""
    if not HAS_PROC:
        return _ask_ps()
    rows = (read_process(int(name)) for name in os.listdir("/proc") if name.isdigit())
    return {row.pid: row for row in rows if row}


def read_process(pid: int) -> Process | None:
    """One process; None when it is gone."""
    if not HAS_PROC:
        return _ask_ps().get(pid)
    try:
        with open(f"/proc/{pid}/stat", "rb", buffering=0) as stat:
            fields = stat.read().rpartition(b")")[2].split()
    except _GONE:
        return None
    return Process(
        pid=pid,
        parent=int(fields[1]),
        group=int(fields[2]),
        session=int(fields[3]),
        zombie=fields[0] in b"ZX",
        started=fields[19].decode(),
    )


def _ask_ps() -> Table:
    import subprocess  # noqa: PLC0415 — heavy, and only needed off Linux

    listing = subprocess.run(
        ["ps", "-axo", "pid=,ppid=,pgid=,stat=,lstart="], capture_output=True, check=False
    )
    table: dict[int, Process] = {}
    for line in listing.stdout.decode(errors="replace").splitlines():
        fields = line.split()
        pid, parent, group = (int(field) for field in fields[:3])
        try:
            session = os.getsid(pid)
        except OSError:
            session = group
        started = "-".join(fields[4:])
        table[pid] = Process(pid, parent, group, session, fields[3][0] == "Z", started)
    return table


def is_marked(pid: int, mark: bytes) -> bool:
    """Whether `mark` (`NAME=value`, the value perhaps unfinished) is in its environment."""
    if not HAS_PROC:
        return False
    try:
        with open(f"/proc/{pid}/environ", "rb") as environ:
            return b"\0" + mark in b"\0" + environ.read()
    except (*_GONE, PermissionError):
        return False


def marked(table: Table, mark: bytes) -> set[int]:
    """Every process that carries the mark."""
    return {pid for pid in table if is_marked(pid, mark)}


def with_descendants(table: Table, roots: Iterable[int], *, never: Collection[int]) -> set[int]:
    """`roots`, their descendants, and everyone in a session or group they lead.

    Those in `never` are neither found nor followed.
    """
    children: dict[int, list[int]] = {}
    members: dict[int, list[int]] = {}
    for row in table.values():
        children.setdefault(row.parent, []).append(row.pid)
        for leader in {row.group, row.session}:
            members.setdefault(leader, []).append(row.pid)
    found: set[int] = set()
    todo = list(roots)
    while todo:
        pid = todo.pop()
        if pid in found or pid in never:
            continue
        found.add(pid)
        todo += children.get(pid, ())
        todo += members.get(pid, ())
    return found & table.keys()


def lineage(table: Table, pid: int) -> set[int]:
    """The process and its ancestors."""
    line: set[int] = set()
    while pid in table and pid not in line:
        line.add(pid)
        pid = table[pid].parent
    return line


def tree_of(table: Table, roots: Collection[int], mark: bytes) -> set[int]:
    """What `roots` lead: their groups, their descendants, and those that only bear the mark."""
    return with_descendants(table, {*roots, *marked(table, mark)}, never={os.getpid()})


def kill(pids: Iterable[int], number: int = signal.SIGKILL) -> None:
    """Signal each; those that are gone or not ours are passed over."""
    for pid in pids:
        try:
            os.kill(pid, number)
        except OSError:
            continue


def kill_group(group: int, number: int = signal.SIGKILL) -> None:
    """Signal a whole process group; nothing when it is gone."""
    try:
        os.killpg(group, number)
    except OSError:
        return
