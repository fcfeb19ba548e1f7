"""Keeps one child: starts it, sees it end, restarts or gives it up, stops it."""

from collections.abc import Callable
from math import inf
from typing import Literal

import attrs
import trio

from groupx.supervisor.bounds import Bounds
from groupx.supervisor.budget import RestartBudget
from groupx.supervisor.child import (
    ChildContext,
    ChildEnded,
    ChildSpec,
    ChildState,
    ChildStatus,
    StartTimeout,
    describe,
)

CANCEL_SECONDS = 5.0
"""From cancelling a child to calling it stuck."""
HURRIED_GRACE_SECONDS = 0.5
HURRIED_CANCEL_SECONDS = 1.0
GIVE_UP_SECONDS = 5.0
"""For `on_given_up`."""


class Keeper:
    """One child of a tree, over all its incarnations. `run` is its task."""

    def __init__(
        self,
        spec: ChildSpec,
        *,
        random: Callable[[], float],
        bounds: Bounds,
        on_change: Callable[[ChildStatus], None],
        escalate: Callable[[str, BaseException], None],
    ) -> None:
        self.spec = spec
        self.status = ChildStatus(name=spec.name, state=ChildState.STOPPED)
        self.lock = trio.Lock()
        """Held by whoever starts or stops the child by hand."""
        self._random = random
        self._bounds = bounds
        self._on_change = on_change
        self._escalate = escalate
        self._scope = trio.CancelScope()
        self._context: ChildContext | None = None
        self._stopping = trio.Event()
        self._ended = trio.Event()
        self._ended.set()
        self._settled = trio.Event()

    @property
    def is_running(self) -> bool:
        """Whether its task runs: the child is up, or waits to be restarted."""
        return not self._ended.is_set()

    async def settled(self) -> None:
        """Wait until the child is ready, or has ended without becoming so."""
        await self._settled.wait()

    def prepare(self) -> None:
        """Before its task is spawned: from here on `is_running`."""
        self._stopping, self._ended, self._settled = trio.Event(), trio.Event(), trio.Event()
        self._set(ChildState.STARTING, restarts=0, error=None)

    async def run(self) -> None:
        """From the start by hand to the end for good."""
        budget = RestartBudget(self.spec, self._random)
        try:
            while not self._stopping.is_set():
                began = trio.current_time()
                error, was_ready = await self._incarnation()
                if self._stopping.is_set():
                    self._set(ChildState.STOPPED, error=error)
                elif not await self._goes_on(budget, began, error, was_ready):
                    return
        finally:
            if self.status.state not in (ChildState.FAILED, ChildState.STOPPED):
                self._set(ChildState.STOPPED)
            self._ended.set()
            self._settled.set()

    async def stop(self) -> bool:
        """Ask, then cancel; each bounded. False when the child ignores even that."""
        if not self.is_running:
            return True
        self._stopping.set()
        if self._context:
            self._context.stopping.set()
            self._set(ChildState.STOPPING)
            if await self._bounds.wait(
                self._ended, seconds=self.spec.stop_grace, hurried=HURRIED_GRACE_SECONDS
            ):
                return True
        self._scope.cancel()
        return await self._bounds.wait(
            self._ended, seconds=CANCEL_SECONDS, hurried=HURRIED_CANCEL_SECONDS
        )

    def hurry(self) -> None:
        """Pass on that every bound has become short."""
        if self._context:
            self._context.hurry.set()

    async def _incarnation(self) -> tuple[Exception | None, bool]:
        # Shielded: only the tree ends a child, so that the order holds under an outer cancel.
        self._scope = trio.CancelScope(
            shield=True, deadline=trio.current_time() + self.spec.start_timeout
        )
        context = self._context = ChildContext(self.spec.name, self._is_ready)
        if self._bounds.hurrying:
            context.hurry.set()
        self._set(ChildState.STARTING)
        error: Exception | None = None
        try:
            with self._scope:
                await self.spec.run(context)
        except Exception as crash:
            error = crash
        finally:
            self._context = None
        ready = context.is_ready
        if error is None and not self._stopping.is_set():
            if self._scope.cancelled_caught and not ready:
                error = StartTimeout(f"not ready within {self.spec.start_timeout:g} s")
            elif self.spec.restart == "permanent":
                error = ChildEnded("it ended without having been asked to")
        return error, ready

    def _is_ready(self) -> None:
        self._scope.deadline = inf
        if not self._stopping.is_set():
            self._set(ChildState.RUNNING)
        self._settled.set()

    async def _goes_on(
        self, budget: RestartBudget, began: float, error: Exception | None, was_ready: bool
    ) -> bool:
        """What the rule says after an end nobody asked for: wait and go on, or not."""
        if error is None:
            self._set(ChildState.STOPPED)
            return False
        if self.spec.fatal:
            self._set(ChildState.FAILED, error=error)
            self._escalate(self.spec.name, error)
            return False
        now = trio.current_time()
        backoff = None
        if self.spec.restart != "temporary":
            backoff = budget.spend(now, was_ready=was_ready, lived=now - began)
        if backoff is None:
            await self._give_up(error)
            return False
        self._set(ChildState.WAITING, error=error)
        with trio.move_on_after(backoff):
            await self._stopping.wait()
            self._set(ChildState.STOPPED)
            return False
        self._set(ChildState.STARTING, restarts=self.status.restarts + 1)
        return True

    async def _give_up(self, error: Exception) -> None:
        self._set(ChildState.FAILED, error=error)
        if self.spec.on_given_up:
            try:
                with trio.CancelScope(shield=True), trio.fail_after(GIVE_UP_SECONDS):
                    await self.spec.on_given_up(self.spec.name, error)
            except Exception as worse:
                worse.add_note(f"while {self.spec.name} was being given up")
                self._escalate(self.spec.name, worse)
                return
        if self.spec.when_spent == "escalate":
            self._escalate(self.spec.name, error)

    def _set(
        self,
        state: ChildState,
        *,
        restarts: int | None = None,
        error: BaseException | Literal["keep"] | None = "keep",
    ) -> None:
        status = attrs.evolve(
            self.status,
            state=state,
            restarts=self.status.restarts if restarts is None else restarts,
            error=self.status.error if error == "keep" else error and describe(error),
        )
        if status != self.status:
            self.status = status
            self._on_change(status)
