"""What differs between Linux and other systems: parent-death signals, adoption, exit watching."""

import ctypes
import os
import signal
import subprocess
import sys
from collections.abc import Callable

import trio

_PR_SET_PDEATHSIG = 1
_PR_SET_CHILD_SUBREAPER = 36

IS_LINUX = sys.platform == "linux"

# PyDLL keeps the GIL: between fork and exec there is no other thread to give it back.
_prctl = ctypes.PyDLL(None).prctl if IS_LINUX else None


def adopt_orphans() -> None:
    """Become the parent of descendants whose parent died (Linux; elsewhere init adopts them)."""
    if _prctl:
        _prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def die_with_parent() -> Callable[[], None] | None:
    """What a child runs before exec so that SIGKILL reaches it when the *forking thread* ends."""
    if not _prctl:
        return None
    prctl, parent = _prctl, os.getpid()

    def arm() -> None:
        prctl(_PR_SET_PDEATHSIG, int(signal.SIGKILL), 0, 0, 0)
        if os.getppid() != parent:
            os._exit(127)

    return arm


def open_pidfd(pid: int) -> int | None:
    """A descriptor that becomes readable when the process ends; None where there is none."""
    if sys.platform == "linux":
        try:
            return os.pidfd_open(pid)
        except OSError:
            return None
    return None


class ExitWatch:
    """Waits for one child without polling. Where it can, it leaves the zombie until `reap`,

    so that the pid, and with it the group, cannot be reused while the tree is being ended.
    """

    def __init__(self, popen: subprocess.Popen[bytes]) -> None:
        self._popen = popen
        self._pidfd = open_pidfd(popen.pid)

    async def wait(self) -> int:
        """The return code, negative for a signal."""
        if self._pidfd is None:
            return await trio.to_thread.run_sync(
                self._popen.wait, abandon_on_cancel=True, limiter=trio.CapacityLimiter(1)
            )
        await trio.lowlevel.wait_readable(self._pidfd)
        return self._peek()

    def reap(self) -> None:
        """Free the pid. Only after `wait` has returned."""
        self._popen.wait()

    def close(self) -> None:
        """Give the descriptor back."""
        if self._pidfd is not None:
            os.close(self._pidfd)
            self._pidfd = None

    def _peek(self) -> int:
        status = os.waitid(os.P_PID, self._popen.pid, os.WEXITED | os.WNOWAIT)
        assert status is not None
        return status.si_status if status.si_code == os.CLD_EXITED else -status.si_status
