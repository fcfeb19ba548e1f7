"""A trio loop on a thread of its own, where time moves only when a step says so."""

import math
import threading
from collections.abc import Awaitable, Callable
from typing import TypeVar

import trio
import trio.testing
from trio.testing import MockClock

R = TypeVar("R")


class Loop:
    """Runs `main(started)` until `stop`; steps of a synchronous test run beside it, one by one."""

    def __init__(self, main: Callable[[Callable[[], None]], Awaitable[None]]) -> None:
        self._clock = MockClock()
        self._token: trio.lowlevel.TrioToken
        self._ready = threading.Event()
        self._failure: BaseException | None = None
        self._thread = threading.Thread(target=self._run, args=(main,), daemon=True)
        self._thread.start()
        self._ready.wait()

    def _run(self, main: Callable[[Callable[[], None]], Awaitable[None]]) -> None:
        async def run() -> None:
            self._token = trio.lowlevel.current_trio_token()
            await main(self._ready.set)

        try:
            trio.run(run, clock=self._clock)
        except BaseException as error:
            self._failure = error
        finally:
            self._ready.set()

    def do(self, step: Callable[..., Awaitable[R]], *arguments: object) -> R:
        """The step's result, once every task waits for something."""

        async def run() -> R:
            result = await step(*arguments)
            await trio.testing.wait_all_tasks_blocked()
            return result

        return trio.from_thread.run(run, trio_token=self._token)

    async def pass_time(self, seconds: float) -> None:
        """Of a step: let that much time go by, every timer in its order."""
        await self.until(trio.sleep, seconds)

    async def until(self, wait: Callable[..., Awaitable[None]], *arguments: object) -> None:
        """Of a step: let time go by for as long as this needs."""
        self._clock.autojump_threshold = 0
        await wait(*arguments)
        self._clock.autojump_threshold = math.inf

    def join(self) -> None:
        """After `main` was told to end: raises what it raised."""
        self._token.run_sync_soon(setattr, self._clock, "autojump_threshold", 0)
        self._thread.join()
        if self._failure is not None:
            raise self._failure
