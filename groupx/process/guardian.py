"""Keeps the guardian process alive and tells it which trees there are."""

import os
import sys
from collections.abc import MutableMapping
from pathlib import Path
from typing import Any

import trio

from groupx.process.fork_thread import ForkThread
from groupx.process.launch import Launched, SpawnError, launch
from groupx.process.proctable import kill

READY_SECONDS = 10.0
END_SECONDS = 5.0
FIRST_BACKOFF = 0.5
LAST_BACKOFF = 30.0
STEADY_SECONDS = 60.0

_ROOT = str(Path(__file__).resolve().parents[2])
_BOOT = (
    "import sys; sys.path.append(sys.argv[1]); "
    "from groupx.process.guardian_program import main; main()"
)


class Guardian:
    """Respawned when it dies. While it is away no child may be started."""

    def __init__(self, mark: bytes, forks: ForkThread, owned: MutableMapping[int, Any]) -> None:
        self._mark = mark
        self._forks = forks
        self._owned = owned
        self._trees: dict[int, str] = {}
        self._present = trio.Event()
        self._process: Launched | None = None

    @property
    def pid(self) -> int | None:
        """Of the one that is up; None while there is none."""
        return self._process.popen.pid if self._process else None

    async def keep(self, task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED) -> None:
        """Run one guardian after another. Raises SpawnError when the first does not come up."""
        wait = FIRST_BACKOFF
        first = True
        while True:
            came_up = trio.current_time()
            try:
                await self._run_one(task_status if first else trio.TASK_STATUS_IGNORED)
            except SpawnError:
                if first:
                    raise
            first = False
            if trio.current_time() - came_up > STEADY_SECONDS:
                wait = FIRST_BACKOFF
            await trio.sleep(wait)
            wait = min(LAST_BACKOFF, wait * 2)

    async def available(self, seconds: float) -> None:
        """Raises SpawnError when there is no guardian within the bound."""
        with trio.move_on_after(seconds):
            while not self._present.is_set():
                await self._present.wait()
            return
        raise SpawnError(
            "No agent is started now: the guardian process, which ends agents if GroupX is "
            "killed, does not run. It is tried again by itself; restart GroupX if this lasts."
        )

    def add(self, pid: int, started: str) -> None:
        """A tree to end when we are gone."""
        self._trees[pid] = started
        self._tell(f"+ {pid} {started}\n".encode())

    def remove(self, pid: int) -> None:
        """That tree has ended; its numbers may be reused."""
        if self._trees.pop(pid, None) is not None:
            self._tell(f"- {pid}\n".encode())

    async def _run_one(self, task_status: trio.TaskStatus[None]) -> None:
        process = await self._forks.run(
            lambda: launch(
                [sys.executable, "-I", "-S", "-B", "-c", _BOOT, _ROOT],
                cwd="/",
                env={"PATH": os.defpath},
                keep_stderr=False,
                outlive_us=True,
            ),
            Launched.discard,
        )
        answers = trio.lowlevel.FdStream(process.stdout)
        self._process = process
        self._owned[process.popen.pid] = None
        os.set_blocking(process.stdin, False)
        try:
            trees = "".join(f"+ {pid} {started}\n" for pid, started in self._trees.items())
            self._tell(b"run " + self._mark + b"\n" + trees.encode())
            answer = b""
            with trio.move_on_after(READY_SECONDS):
                answer = await answers.receive_some(1)
            if not answer:
                raise SpawnError("The guardian process did not come up.")
            self._present.set()
            task_status.started()
            await process.watch.wait()
        finally:
            if self._present.is_set():  # else whoever waits goes on waiting for the next one
                self._present = trio.Event()
            self._process = None
            os.close(process.stdin)
            with trio.CancelScope(shield=True):
                await self._await_end(process)
                await answers.aclose()
                del self._owned[process.popen.pid]

    async def _await_end(self, process: Launched) -> None:
        """At the end of its input it leaves by itself, having looked for stragglers."""
        with trio.move_on_after(END_SECONDS) as bound:
            await process.watch.wait()
        if bound.cancelled_caught:
            kill([process.popen.pid])
            await process.watch.wait()
        process.watch.reap()
        process.watch.close()

    def _tell(self, line: bytes) -> None:
        if self._process is None:
            return
        try:
            written = os.write(self._process.stdin, line)
        except OSError:
            written = 0
        if written < len(line):
            kill([self._process.popen.pid])  # not popen.kill: that would reap it
