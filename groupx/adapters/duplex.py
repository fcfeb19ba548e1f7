"""What a program is spoken to through: the pipes of a child, or a socket."""

from typing import Protocol

import trio

from groupx.process.framing import Line


class Duplex(Protocol):
    """Frames out, frames in, and the end. A `ChildProcess` is one."""

    @property
    def argv(self) -> tuple[str, ...]:
        """What was started, or the address that was connected to."""
        ...

    @property
    def exited(self) -> trio.Event:
        """Set once nothing more can come of it."""
        ...

    @property
    def returncode(self) -> int | None:
        """Of a process that has ended; else None."""
        ...

    async def write(self, data: bytes) -> None:
        """Send one whole frame, its LF included. Raises ChildGone; bounded in time."""
        ...

    async def next_line(self) -> Line | None:
        """The next frame without LF; None = end. May be cancelled, losing nothing."""
        ...

    def stderr_excerpt(self, max_chars: int) -> str:
        """The last characters of stderr; empty where there is none."""
        ...

    async def stop(self, grace_seconds: float) -> None:
        """End it in order, then by force; bounded."""
        ...

    def kill_tree(self) -> None:
        """End it now: a child's whole tree, or our side of a socket."""
        ...
