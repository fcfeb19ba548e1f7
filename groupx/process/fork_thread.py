"""The one thread that forks.

A parent-death signal follows the thread that forked, not the process: a child forked on a
short-lived worker thread would be killed when that thread is put away. This thread stays.
"""

import queue
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Generic, TypeVar

import outcome
import trio

T = TypeVar("T")


class _Job(Generic[T]):
    """A call and who waits for it; `abandoned` and the result are set under the lock."""

    def __init__(self, call: Callable[[], T], discard: Callable[[T], None]) -> None:
        self.call = call
        self.discard = discard
        self.lock = threading.Lock()
        self.abandoned = False
        self.result: outcome.Maybe[T] | None = None
        self.done = trio.Event()

    def run(self, token: trio.lowlevel.TrioToken) -> None:
        result = outcome.capture(self.call)
        with self.lock:
            self.result = result
            abandoned = self.abandoned
        if not abandoned:
            try:
                token.run_sync_soon(self.done.set)
                return
            except trio.RunFinishedError:
                pass
        if isinstance(result, outcome.Value):
            self.discard(result.unwrap())


class ForkThread:
    """Runs short blocking calls one after the other. Create inside a trio run."""

    def __init__(self) -> None:
        self._token = trio.lowlevel.current_trio_token()
        self._queues: list[queue.SimpleQueue[_Job[Any] | None]] = []
        self._begin()

    async def run(self, call: Callable[[], T], discard: Callable[[T], None]) -> T:
        """The call's result. A cancelled caller leaves it to `discard` what was made."""
        job = _Job(call, discard)
        self._queues[-1].put(job)
        try:
            await job.done.wait()
        except trio.Cancelled:
            with job.lock:
                job.abandoned = True
                result = job.result
            if isinstance(result, outcome.Value):
                discard(result.unwrap())
            raise
        assert job.result is not None
        return job.result.unwrap()

    def renew(self) -> None:
        """Go on with another thread: this one hangs in a call, but stays for its children."""
        stuck = self._queues[-1]
        self._begin()
        with suppress(queue.Empty):
            while True:
                self._queues[-1].put(stuck.get_nowait())

    def close(self) -> None:
        """End the thread after what is queued; children it forked die with it on Linux."""
        for jobs in self._queues:
            jobs.put(None)

    def _begin(self) -> None:
        jobs: queue.SimpleQueue[_Job[Any] | None] = queue.SimpleQueue()
        self._queues.append(jobs)
        threading.Thread(target=self._work, args=(jobs,), name="groupx-fork", daemon=True).start()

    def _work(self, jobs: "queue.SimpleQueue[_Job[Any] | None]") -> None:
        while job := jobs.get():
            job.run(self._token)
            del job
