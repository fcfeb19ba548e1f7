import os
import sys

import pytest
import trio

from groupx.process.proctable import read_process
from groupx.process.spawner import Spawner

BOUND_SECONDS = 20


@pytest.fixture
async def spawner():
    spawner = Spawner()
    await spawner.start()
    yield spawner
    await spawner.aclose()


@pytest.fixture
def program():
    """argv of a small child; `say(text)` and `wait()` are at hand in it."""

    def argv(source: str, *arguments: str) -> list[str]:
        prelude = (
            "import os, signal, sys, time\n"
            "say = lambda *words: print(*words, flush=True)\n"
            "def wait():\n"
            "    while True: signal.pause()\n"
        )
        return [sys.executable, "-I", "-S", "-c", prelude + source, *arguments]

    return argv


@pytest.fixture
def death():
    """Waits until a process (not a child of ours) is gone or a zombie."""

    async def wait(pid: int) -> None:
        try:
            pidfd = os.pidfd_open(pid)
        except ProcessLookupError:
            return
        try:
            with trio.fail_after(BOUND_SECONDS):
                await trio.lowlevel.wait_readable(pidfd)
        finally:
            os.close(pidfd)

    return wait


@pytest.fixture
def is_gone():
    """Neither alive nor a zombie."""
    return lambda pid: read_process(pid) is None


@pytest.fixture
def open_files():
    return lambda: sorted(
        os.readlink(f"/proc/self/fd/{fd}")
        for fd in os.listdir("/proc/self/fd")
        if os.path.islink(f"/proc/self/fd/{fd}")
    )
