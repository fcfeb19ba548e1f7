"""A one-for-one supervisor: start in order, restart alone, stop in reverse order."""

import random as random_module
from collections.abc import Callable, Iterable

import trio

from groupx.supervisor.bounds import Bounds
from groupx.supervisor.child import ChildContext, ChildSpec, ChildState, ChildStatus
from groupx.supervisor.keeper import Keeper

__all__ = [
    "ChildContext",
    "ChildFailed",
    "ChildSpec",
    "ChildState",
    "ChildStatus",
    "Supervisor",
    "TreeClosing",
]


class ChildFailed(Exception):
    """The tree has stopped in order because it could not go on without this child."""

    def __init__(self, name: str) -> None:
        super().__init__(f"{name} failed and the rest was stopped in order")
        self.name = name


class TreeClosing(Exception):
    """Nothing can be started any more: the tree is stopping or has not begun."""


def _ignore(_: object) -> None: ...


class Supervisor:
    """Children that are started one after the other and whose crashes touch nobody else.

    `stop_together` is for children that do not need each other: the stop asks all at once.
    `on_change` sees every change of a child's status. `on_stuck` is told the name of a child
    that ignored its cancellation; `run` cannot return while there is one, so the runtime must
    then exit hard. Both are synchronous and must not raise. One `run` an object.
    """

    def __init__(
        self,
        specs: Iterable[ChildSpec] = (),
        *,
        stop_together: bool = False,
        random: Callable[[], float] = random_module.random,
        on_change: Callable[[ChildStatus], None] = _ignore,
        on_stuck: Callable[[str], None] = _ignore,
    ) -> None:
        self._stop_together = stop_together
        self._random = random
        self._on_change = on_change
        self._on_stuck = on_stuck
        self._bounds = Bounds()
        self._stopping = trio.Event()
        self._nursery: trio.Nursery | None = None
        self._failure: tuple[str, BaseException] | None = None
        self._keepers: dict[str, Keeper] = {}
        for spec in specs:
            self.add(spec)

    async def run(self, context: ChildContext | None = None) -> None:
        """Start everyone in order, stay until asked to stop, stop in reverse order.

        Can itself be a child's `run`. Raises ChildFailed, with its cause, when a fatal child
        crashed or a budget was spent whose spec says so.
        """
        async with trio.open_nursery() as nursery:
            self._nursery = nursery
            orders = await nursery.start(self._obey, context) if context else None
            try:
                await self._start_all()
                if context and not self._stopping.is_set():
                    context.ready()
                await self._stopping.wait()
            except trio.Cancelled:
                if context:
                    self.hurry()
                raise
            finally:
                self._stopping.set()
                with trio.CancelScope(shield=True):
                    await self._stop_all()
                self._nursery = None
                if orders:
                    orders.cancel()
        if self._failure:
            name, error = self._failure
            raise ChildFailed(name) from error

    def stop(self) -> None:
        """Begin the ordered stop. May be called again."""
        self._stopping.set()

    def hurry(self) -> None:
        """Stop, with every bound short."""
        self._stopping.set()
        self._bounds.hurry()
        for keeper in self._keepers.values():
            keeper.hurry()

    def status(self, name: str) -> ChildStatus:
        """Of one child. KeyError when there is none of that name."""
        return self._keepers[name].status

    def add(self, spec: ChildSpec) -> None:
        """Take in a child, stopped; before `run` it is started with the others."""
        if spec.name in self._keepers:
            raise ValueError(f"there is already a child {spec.name}")
        self._keepers[spec.name] = Keeper(
            spec,
            random=self._random,
            bounds=self._bounds,
            on_change=self._on_change,
            escalate=self._escalate,
        )

    async def start_child(self, name: str) -> None:
        """Start a child that is stopped or failed, with a fresh budget; does not wait for ready.

        Nothing happens when it runs already. Raises TreeClosing.
        """
        keeper = self._keepers[name]
        async with keeper.lock:
            self._start(keeper)

    async def stop_child(self, name: str) -> None:
        """Stop one child and wait for it, bounded by its grace and the cancel after it."""
        keeper = self._keepers[name]
        async with keeper.lock:
            await self._stop(keeper)

    def _start(self, keeper: Keeper) -> None:
        if self._nursery is None or self._stopping.is_set():
            raise TreeClosing(f"{keeper.spec.name} was not started: the runtime is stopping")
        if not keeper.is_running:
            keeper.prepare()
            self._nursery.start_soon(keeper.run, name=f"keeper of {keeper.spec.name}")

    async def _stop(self, keeper: Keeper) -> None:
        if not await keeper.stop():
            self._on_stuck(keeper.spec.name)

    async def _start_all(self) -> None:
        for keeper in list(self._keepers.values()):
            if self._stopping.is_set():
                return
            self._start(keeper)
            async with trio.open_nursery() as nursery:
                nursery.start_soon(_cancel_on, self._stopping, nursery.cancel_scope)
                await keeper.settled()
                nursery.cancel_scope.cancel()

    async def _stop_all(self) -> None:
        keepers = list(self._keepers.values())
        if self._stop_together:
            async with trio.open_nursery() as nursery:
                for keeper in keepers:
                    nursery.start_soon(self._stop, keeper)
            return
        for keeper in reversed(keepers):
            await self._stop(keeper)

    async def _obey(
        self, context: ChildContext, task_status: trio.TaskStatus[trio.CancelScope]
    ) -> None:
        """What a tree's own supervisor tells it."""
        with trio.CancelScope(shield=True) as scope:
            task_status.started(scope)
            await context.stopping.wait()
            self.stop()
            await context.hurry.wait()
            self.hurry()

    def _escalate(self, name: str, error: BaseException) -> None:
        if self._failure is None:
            self._failure = (name, error)
        self._stopping.set()


async def _cancel_on(event: trio.Event, scope: trio.CancelScope) -> None:
    await event.wait()
    scope.cancel()
