"""One daemon after another on the same ledger, with fake programs, on virtual time."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import trio
import trio.testing

from groupx.actors.messages import Write
from groupx.domain.commits import CommitFacts
from groupx.domain.ids import ActorId
from groupx.domain.limits import Timeouts
from groupx.domain.runs import RecoverQuery
from groupx.store.inline import InlineStore
from groupx.store.opening import open_ledger
from groupx.store.transactions.recover import recover_all
from tests.actors.fakes import FakeProgram, Room
from tests.store.machine.world import LIMITS

NAMES = ("a", "b", "c")


class Life(Room):
    """A room whose ledger is what an earlier life left."""

    def __init__(self, folder: Path, image: bytes | None) -> None:
        self._image = image
        super().__init__(folder, *NAMES, limits=LIMITS, timeouts=Timeouts())

    def _open(self, on_commit: Callable[[CommitFacts], None]) -> InlineStore:
        def opener() -> Any:
            self.conn = open_ledger(
                ":memory:", now_iso="2026-02-01T00:00:00.000Z", database_id="database_x"
            )
            if self._image is not None:
                self.conn.deserialize(self._image)
            return self.conn

        return InlineStore(
            opener, ids=self.ids, now_ms=self.now_ms, on_commit=on_commit, limits=self.limits
        )

    async def start(self) -> None:
        await super().start()
        await self.store.ask(Write(recover_all, RecoverQuery(roster=frozenset(self.agents))))

    async def live(self, over: trio.Event) -> None:
        """Until it is over: then every task is gone, and nothing more is written."""
        await self.start()
        async with trio.open_nursery() as nursery:
            self.nursery = nursery
            for part in (self.context.run, self.counter.run, self.broker.run, self.tree.run):
                nursery.start_soon(part)
            await trio.testing.wait_all_tasks_blocked()
            await over.wait()
            nursery.cancel_scope.cancel()

    async def die(self) -> bytes:
        """What a kill leaves: the committed rows. No task can write any more."""
        image = self.conn.serialize()
        await self.writer.close()
        return image


class Lives:
    """The lives of one ledger; `now` is the one that runs."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.now: Life
        self.programs: list[FakeProgram] = []
        """Of every life: whatever they were ever sent."""
        self._over = trio.Event()
        self._begun = trio.Event()
        self._last = False
        self._image: bytes | None = None

    async def run(self, begun: Callable[[], None]) -> None:
        """One life after another, until `end`; `begun` is called when the first one lives."""
        while not self._last:
            self._over = trio.Event()
            self.now = Life(self._folder, self._image)
            self.programs += self.now.programs.values()
            async with trio.open_nursery() as nursery:
                nursery.start_soon(self.now.live, self._over)
                await trio.testing.wait_all_tasks_blocked()
                begun()
                self._begun.set()

    async def crash(self) -> None:
        """The daemon is killed, and started again."""
        self._image = await self.now.die()
        self._begun = trio.Event()
        self._over.set()
        await self._begun.wait()

    async def end(self) -> None:
        """No further life."""
        await self.now.writer.close()
        self._last = True
        self._over.set()

    def program(self, actor: ActorId) -> FakeProgram:
        return self.now.programs[actor]
