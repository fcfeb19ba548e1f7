"""Whole frames into a child's stdin, one after the other, bounded in time."""

import os
from collections.abc import Callable

import trio


class ChildGone(Exception):
    """The frame was not delivered: the child is gone, closed its stdin or does not read."""


class FrameWriter:
    """Owns the descriptor. A frame that was begun and not finished makes the pipe unusable:

    `spoil` is called (it kills the child), and every later frame is refused.
    """

    def __init__(self, fd: int, *, seconds: float, spoil: Callable[[], None]) -> None:
        os.set_blocking(fd, False)
        self._fd = fd
        self._seconds = seconds
        self._spoil = spoil
        self._turn = trio.Lock()

    async def write(self, frame: bytes) -> None:
        """Raises ChildGone. Cancelled before the first byte, nothing has happened."""
        async with self._turn:
            if self._fd < 0:
                raise ChildGone("its stdin is closed")
            rest = memoryview(frame)
            try:
                with trio.fail_after(self._seconds):
                    while rest:
                        rest = rest[await self._write_some(rest) :]
            except trio.TooSlowError:
                self._break()
                message = f"it did not read its stdin for {self._seconds:g} s and was ended"
                raise ChildGone(message) from None
            except trio.ClosedResourceError:
                raise ChildGone("its stdin was closed") from None
            except OSError as error:
                self.close()
                raise ChildGone("it closed its stdin") from error
            except trio.Cancelled:
                if len(rest) < len(frame):
                    self._break()
                raise

    def close(self) -> None:
        """End of input. A writer that waits gets ChildGone. May be called again."""
        if self._fd >= 0:
            fd, self._fd = self._fd, -1
            trio.lowlevel.notify_closing(fd)
            os.close(fd)

    async def _write_some(self, rest: memoryview) -> int:
        await trio.lowlevel.checkpoint()
        while True:
            if self._fd < 0:
                raise trio.ClosedResourceError
            try:
                return os.write(self._fd, rest)
            except BlockingIOError:
                await trio.lowlevel.wait_writable(self._fd)

    def _break(self) -> None:
        self.close()
        self._spoil()
