"""The one thread that forks.

A parent-death signal follows the thread that forked, not the process: a child forked on a
short-lived worker thread would be killed when that thread is put away. This thread stays.
"""

import queue
import threading
from collections.abc import Callable
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
        self._jobs: queue.SimpleQueue[_Job[Any] | None] = queue.SimpleQueue()
        threading.Thread(target=self._work, name="groupx-fork", daemon=True).start()

    async def run(self, call: Callable[[], T], discard: Callable[[T], None]) -> T:
        """The call's result. A cancelled caller leaves it to `discard` what was made."""
        job = _Job(call, discard)
        self._jobs.put(job)
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

    def close(self) -> None:
        """End the thread after what is queued; children it forked die with it on Linux."""
        self._jobs.put(None)

    def _work(self) -> None:
        while job := self._jobs.get():
            job.run(self._token)
            del job
