"""The store as an actor: its asks go straight to the store's thread, its commits wake the rest."""

import sqlite3
from collections.abc import Callable
from typing import Any, Protocol, TypeVar, cast

import trio

from groupx.actors.bells import LaneBells
from groupx.actors.event_hub import EventHub
from groupx.actors.mailbox import Bell, Notice, Request
from groupx.actors.messages import Read, ToStore, Write
from groupx.domain.commits import CommitFacts
from groupx.domain.errors import GroupXError
from groupx.store.transaction import Transaction

R = TypeVar("R")
C = TypeVar("C")


class Ledger(Protocol):
    """The face of StoreThread, and of InlineStore under virtual time."""

    died: trio.Event
    death: BaseException | None

    @property
    def pending(self) -> int:
        """Calls submitted and not answered yet."""
        ...

    @property
    def fault(self) -> GroupXError | None:
        """Why new writes are refused, while they are."""
        ...

    @property
    def is_locked(self) -> bool:
        """Whether another program keeps the ledger from being written, while it does."""
        ...

    async def start(self) -> None:
        """Open the ledger; raises what opening raises."""
        ...

    def stop_waiting(self) -> None:
        """Nobody is to wait any more for a database that was taken away to be back."""
        ...

    async def write(self, run: Callable[[Transaction, C], R], command: C) -> R:
        """Run one write function; returns after its COMMIT."""
        ...

    async def read(
        self, run: Callable[[sqlite3.Connection, C], R], query: C, deadline_ms: int = ...
    ) -> R:
        """Run one query function."""
        ...

    async def aclose(self) -> None:
        """Finish what waits, then close."""
        ...


class StoreRef:
    """An ActorRef[ToStore] without a mailbox: the thread's own queue is the mailbox."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger

    async def ask(self, request: Request[ToStore, R]) -> R:
        """The result after its COMMIT, or what the function raised."""
        if isinstance(request, Write):
            write = cast("Write[Any, R]", request)
            return await self._ledger.write(write.run, write.command)
        read = cast("Read[Any, R]", request)
        return await self._ledger.read(read.run, read.query, read.deadline_ms)

    async def tell(self, notice: Notice[ToStore]) -> None:
        """The store takes no notices."""
        raise TypeError(f"the store takes no notice: {notice!r}")


class StoreWriterActor:
    """Owns the ledger from opening to closing.

    After each commit, on the loop and before any asker is answered: frames to the hub, then the
    lanes' bells, then `changed` for whoever keeps a projection, and `completed`.
    """

    def __init__(
        self,
        open_ledger: Callable[[Callable[[CommitFacts], None]], Ledger],
        hub: EventHub,
        bells: LaneBells,
    ) -> None:
        self._hub = hub
        self._bells = bells
        self.changed = Bell()
        self.completed = Bell()
        """A turn completed, so that there may be something to remember."""
        self.ledger = open_ledger(self._after_commit)
        self.ref = StoreRef(self.ledger)

    async def start(self) -> None:
        """Open the ledger; raises what opening raises."""
        await self.ledger.start()

    async def run(self) -> None:
        """Watch the thread until cancelled; raises when it died, since nothing can be known then.

        The ledger stays open: `close` comes last of all.
        """
        await self.ledger.died.wait()
        raise StoreDied from self.ledger.death

    async def close(self) -> None:
        """Commit what waits and close the ledger."""
        await self.ledger.aclose()

    def _after_commit(self, facts: CommitFacts) -> None:
        self._hub.append(facts.frames)
        self._bells.ring_lanes(facts.lanes)
        self.changed.ring()
        if any(frame.type == "turn.completed" for frame in facts.frames):
            self.completed.ring()


class StoreDied(Exception):
    """The store's thread ended by an error of its own; the runtime must stop."""

    def __init__(self) -> None:
        super().__init__("the store stopped after a failure of its own; its state is unknown")
