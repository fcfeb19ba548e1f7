"""Starts child processes and answers for their end."""

from collections.abc import Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from typing import Protocol

from groupx.process.child import ChildProcess
from groupx.process.framing import MAX_LINE_BYTES


class SpawnError(Exception):
    """The program could not be started; the message says why and what to do."""


class Spawner(Protocol):
    """The one way to start a child process."""

    async def start(self) -> None:
        """Start what children need. Call once, in the main thread's trio run."""
        ...

    async def aclose(self) -> None:
        """End every tree that is left and stop."""
        ...

    def open(
        self,
        argv: Sequence[str],
        *,
        cwd: str | None = None,
        env: Mapping[str, str] | None = None,
        max_line_bytes: int = MAX_LINE_BYTES,
        write_seconds: float = 30.0,
    ) -> AbstractAsyncContextManager[ChildProcess]:
        """Start `argv` (no shell). Raises SpawnError. Leaving the block ends the whole tree.

        `env` is the child's complete environment, as `child_environment` makes it; None = ours
        minus what children must not see.
        """
        ...
