"""One running child process and its tree."""

from abc import ABC, abstractmethod

import trio

from groupx.process.framing import Line


class ChildGone(Exception):
    """The frame was not delivered: the child is gone, closed its stdin or does not read."""


class ChildProcess(ABC):
    """A child in a session of its own, with framed stdout and a kept tail of stderr."""

    pid: int
    argv: tuple[str, ...]
    exited: trio.Event
    """Set once the process and its tree have ended and the rest of stderr has been read."""
    returncode: int | None
    """As in subprocess: negative = ended by that signal. Set before `exited`."""

    @abstractmethod
    async def write(self, data: bytes) -> None:
        """Write one whole frame. Raises ChildGone; a child that does not read is killed."""

    @abstractmethod
    async def next_line(self) -> Line | None:
        """The next line of stdout without LF; None = end. May be cancelled, losing nothing."""

    @abstractmethod
    def stderr_excerpt(self, max_chars: int) -> str:
        """The last characters of stderr."""

    @abstractmethod
    async def stop(self, grace_seconds: float) -> None:
        """Close stdin, then SIGTERM to the group, then SIGKILL to the tree."""

    @abstractmethod
    def kill_tree(self) -> None:
        """SIGKILL the whole tree now."""
