"""One running child process and its tree."""

import signal
from collections import deque
from collections.abc import Sequence
from contextlib import suppress

import trio

from groupx.process.frame_writer import ChildGone, FrameWriter
from groupx.process.framing import MAX_LINE_BYTES, Line, LineFramer, LineTooLong
from groupx.process.hiding import Secrets
from groupx.process.launch import Launched
from groupx.process.proctable import kill_group
from groupx.process.tree import Tree

__all__ = ["STDERR_BYTES", "ChildGone", "ChildProcess", "TreeNotEnded"]

CHUNK_BYTES = 64 * 1024
STDERR_BYTES = 64 * 1024
TREE_SECONDS = 5.0
"""From SIGKILL to the proof that the whole tree is gone."""
LINGER_SECONDS = 0.25
"""How long an output without a living writer of ours may keep us waiting for its end."""


class TreeNotEnded(Exception):
    """SIGKILL did not end these processes in time; the kernel holds them."""

    def __init__(self, argv: tuple[str, ...], pids: tuple[int, ...]) -> None:
        super().__init__(f"{argv[0]}: processes {pids} did not end after SIGKILL")
        self.pids = pids


class ChildProcess:
    """A child in a session of its own, with framed stdout and a kept tail of stderr.

    When the process ends, what is left of its tree is ended too.
    """

    def __init__(
        self,
        launched: Launched,
        *,
        mark: bytes,
        max_line_bytes: int = MAX_LINE_BYTES,
        write_seconds: float,
        secrets: Sequence[str] = (),
    ) -> None:
        assert launched.stderr is not None
        self.pid = launched.popen.pid
        self.argv = launched.argv
        self.exited = trio.Event()
        """Set once the process and its tree have ended and the rest of stderr has been read."""
        self.returncode: int | None = None
        """As in subprocess: negative = ended by that signal. Set before `exited`."""
        self.survivors: tuple[int, ...] = ()
        """Of its tree, what even SIGKILL did not end in time."""
        self._launched = launched
        self._tree = Tree(self.pid, launched.started, mark)
        self._stdin = FrameWriter(launched.stdin, seconds=write_seconds, spoil=self.kill_tree)
        self._stdout = trio.lowlevel.FdStream(launched.stdout)
        self._stderr = trio.lowlevel.FdStream(launched.stderr)
        self._stderr_tail = bytearray()
        self._framer = LineFramer(max_line_bytes)
        self._secrets = Secrets(secrets)
        self._lines: deque[Line] = deque()
        self._stdout_ended = False
        self._reading = trio.CancelScope()
        self._tree_ended = False

    async def write(self, data: bytes) -> None:
        """Write one whole frame. Raises ChildGone.

        A child that does not read within the bound is killed, and so is one whose frame was begun
        when the caller was cancelled: a partly written frame makes the pipe unusable.
        """
        await self._stdin.write(data)

    async def next_line(self) -> Line | None:
        """The next line of stdout without LF and without our secrets; None = end. May be
        cancelled, losing nothing."""
        await trio.lowlevel.checkpoint()
        while not self._lines and not self._stdout_ended:
            chunk = await self._read_chunk()
            if chunk:
                self._lines.extend(self._framer.feed(chunk))
                continue
            self._stdout_ended = True
            if (rest := self._framer.finish()) is not None:
                self._lines.append(rest)
        if not self._lines:
            return None
        line = self._lines.popleft()
        return line if isinstance(line, LineTooLong) else self._secrets.hidden(line)

    def stderr_excerpt(self, max_chars: int) -> str:
        """The last characters of stderr, without our secrets."""
        tail = self._secrets.hidden(bytes(self._stderr_tail))
        text = tail.decode("utf-8", errors="replace")
        return text[-max_chars:] if max_chars > 0 else ""

    async def stop(self, grace_seconds: float) -> None:
        """Close stdin, then SIGTERM to the group, then SIGKILL to the tree.

        The first two steps share the grace. Raises TreeNotEnded.
        """
        await self._remember()
        self._stdin.close()
        if not await self._exits_within(grace_seconds / 2):
            kill_group(self.pid, signal.SIGTERM)
            await self._exits_within(grace_seconds / 2)
        await self.end()

    def kill_tree(self) -> None:
        """SIGKILL the whole tree now."""
        if not self._tree_ended:
            self._tree.kill()

    async def end(self) -> None:
        """SIGKILL the tree and wait until it is gone. Raises TreeNotEnded."""
        if not self._tree_ended:
            await self._remember()
            kill_group(self.pid)
        if await self._exits_within(2 * TREE_SECONDS) and not self._tree_ended:
            with trio.move_on_after(2 * TREE_SECONDS):
                await self._see_it_end()  # its attendant was cut off
        if not self._tree_ended:
            raise TreeNotEnded(self.argv, (self.pid,))
        if self.survivors:
            raise TreeNotEnded(self.argv, self.survivors)

    async def attend(self) -> None:
        """Keep stderr flowing, see the process end, and its tree with it. One task's whole life."""
        try:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(self._drain_stderr)
                await self._see_it_end()
                nursery.cancel_scope.deadline = trio.current_time() + LINGER_SECONDS
        finally:
            self.exited.set()

    async def aclose(self) -> None:
        """Give every descriptor back."""
        self._stdin.close()
        await trio.aclose_forcefully(self._stdout)
        await trio.aclose_forcefully(self._stderr)
        self._launched.watch.close()

    async def _see_it_end(self) -> None:
        self.returncode = await self._launched.watch.wait()
        self.survivors = await self._tree.end(TREE_SECONDS)
        self._launched.watch.reap()
        self._tree_ended = True
        self._reading.deadline = trio.current_time() + LINGER_SECONDS

    async def _remember(self) -> None:
        """Look at the tree while it hangs together: who dies or loses its parent is known then."""
        if not self._tree_ended:
            with suppress(OSError):
                await self._tree.look()

    async def _exits_within(self, seconds: float) -> bool:
        with trio.move_on_after(seconds):
            await self.exited.wait()
        return self.exited.is_set()

    async def _read_chunk(self) -> bytes | bytearray:
        self._reading = trio.CancelScope()
        if self._tree_ended:
            self._reading.deadline = trio.current_time() + LINGER_SECONDS
        with self._reading, suppress(trio.ClosedResourceError, trio.BrokenResourceError):
            return await self._stdout.receive_some(CHUNK_BYTES)
        return b""

    async def _drain_stderr(self) -> None:
        with suppress(trio.ClosedResourceError, trio.BrokenResourceError):
            while chunk := await self._stderr.receive_some(CHUNK_BYTES):
                self._stderr_tail += chunk
                del self._stderr_tail[:-STDERR_BYTES]
