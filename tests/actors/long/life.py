"""One daemon after another on the same database file, with scripted programs, on virtual time."""

import shutil
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import trio
import trio.testing

from groupx.actors.messages import Write
from groupx.actors.rollup_scheduler import RollupPorts, RollupSchedulerActor
from groupx.domain.commits import CommitFacts
from groupx.domain.limits import Limits, Timeouts
from groupx.domain.runs import RecoverQuery
from groupx.domain.times import iso_from_ms
from groupx.store.inline import InlineStore
from groupx.store.opening import open_ledger
from groupx.store.transactions.recover import recover_all
from tests.actors.fakes import Room
from tests.actors.long.cast import NAMES, Cast

LIMITS = Limits(context_characters=80_000)
DAY_MS = 86_400_000
DATABASE = "room.db"


class Life(Room):
    """A room on the file that an earlier life left in `folder`, with all that runs in a daemon."""

    def __init__(self, folder: Path, cast: Cast) -> None:
        run_dir = folder / "run"
        run_dir.mkdir(exist_ok=True)
        super().__init__(run_dir, *NAMES, limits=LIMITS, timeouts=Timeouts())
        cast.lives += 1
        self.random.seed(cast.lives)
        self.commands = cast.commands
        self.folder = folder
        self._agents_stopped = trio.Event()
        for actor_id, program in self.programs.items():
            program.script = cast.script(actor_id)
        self._rollups = RollupSchedulerActor(
            RollupPorts(
                store=self.store,
                side=self,
                directory=self.directory,
                bell=self.writer.completed,
                entropy=self.random.randbytes,
                now_ms=self.now_ms,
                local_date=lambda: self.local_date,
            )
        )

    def _open(self, on_commit: Callable[[CommitFacts], None]) -> InlineStore:
        def opener() -> Any:
            self.conn = open_ledger(
                self.folder / DATABASE,
                now_iso=iso_from_ms(self.now_ms()),
                database_id="database_long",
            )
            self.conn.execute("PRAGMA synchronous = OFF")  # no test here loses power
            return self.conn

        return InlineStore(
            opener, ids=self.ids, now_ms=self.now_ms, on_commit=on_commit, limits=self.limits
        )

    async def start(self) -> None:
        await super().start()
        await self.store.ask(Write(recover_all, RecoverQuery(roster=frozenset(self.agents))))
        self.local_date = iso_from_ms(self.now_ms())[:10]

    async def stop(self) -> None:
        """As a daemon is stopped: the agents first, and each in order."""
        self.tree.stop()
        await self._agents_stopped.wait()
        for program in self.programs.values():
            assert all(session.closed.is_set() for session in program.sessions)
        assert self.rows("SELECT * FROM turn_attempts WHERE terminal_at IS NULL") == []
        await self.writer.close()

    async def crash(self) -> Path:
        """As a daemon is killed, and its programs with it: the folder with what the disk had of the
        database then."""
        after = self.folder.with_name(f"{self.folder.name}+")
        after.mkdir()
        for name in (DATABASE, f"{DATABASE}-wal"):
            shutil.copyfile(self.folder / name, after / name)
        for program in self.programs.values():
            for session in program.sessions:
                session.kill()
        await self.writer.close()
        return after

    # --- the parts that a room of its own has not --------------------------------------------

    async def keep_agents(self) -> None:
        await self.tree.run()
        self._agents_stopped.set()

    async def keep_rollups(self) -> None:
        await self._rollups.run()

    async def keep_calendar(self) -> None:
        """The daemon's local date is that of UTC."""
        while True:
            self.local_date = iso_from_ms(self.now_ms())[:10]
            await trio.sleep((DAY_MS - self.now_ms() % DAY_MS) / 1000)

    async def tell_rollups(self) -> None:
        while True:
            await self.compacted.wait()
            self.writer.completed.ring()


@asynccontextmanager
async def alive(life: Life) -> AsyncIterator[Life]:
    """From the opening of the file on; it must be stopped, or have crashed, by the end."""
    await life.start()
    async with trio.open_nursery() as nursery:
        life.nursery = nursery
        for part in (
            life.context.run,
            life.counter.run,
            life.broker.run,
            life.keep_calendar,
            life.tell_rollups,
            life.keep_rollups,
            life.keep_agents,
        ):
            nursery.start_soon(part)
        await trio.testing.wait_all_tasks_blocked()
        yield life
        nursery.cancel_scope.cancel()
