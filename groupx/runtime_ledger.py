"""The ledger of one run: opened on the store's thread, and what is told of its database."""

import os
import sqlite3
from collections.abc import Callable
from pathlib import Path

import attrs

from groupx.actors.mailbox import ActorRef
from groupx.actors.messages import Read, ToStore
from groupx.actors.store_writer import Ledger
from groupx.domain.commits import CommitFacts
from groupx.domain.ids import IdSource
from groupx.domain.limits import Limits
from groupx.domain.paths import Paths
from groupx.domain.times import iso_from_ms
from groupx.runtime_folder import sibling_databases
from groupx.store.faults import locked_elsewhere
from groupx.store.opening import open_ledger
from groupx.store.place import Place
from groupx.store.queries.database_identity import database_identity
from groupx.store.upgrade import Upgrade
from groupx.store.writer import StoreThread
from groupx.web.backups import Backups
from groupx.web.services import DatabaseFacts, StoreHealth


@attrs.frozen(kw_only=True)
class RunLedger:
    """Made of what the run knows before anything is opened."""

    paths: Paths
    limits: Limits
    lost: Callable[[], str | None]
    """How the lease was lost; None while it is held."""
    upgrade: Upgrade
    now_ms: Callable[[], int]

    def thread(self, on_commit: Callable[[CommitFacts], None]) -> StoreThread:
        """Not yet started."""
        ids = IdSource(self.now_ms, os.urandom)
        database = self._path

        def opener() -> sqlite3.Connection:
            return open_ledger(
                ":memory:" if database is None else database,
                now_iso=iso_from_ms(self.now_ms()),
                database_id=ids.new("database"),
                upgrade=self.upgrade,
            )

        return StoreThread(
            opener,
            ids=ids,
            now_ms=self.now_ms,
            on_commit=on_commit,
            limits=self.limits,
            place=Place(database, self.lost),
        )

    async def facts(self, store: ActorRef[ToStore]) -> DatabaseFacts:
        """Which database this is."""
        identity = await store.ask(Read(database_identity, None))
        siblings = tuple(str(path) for path in sibling_databases(self.paths))
        return DatabaseFacts(
            path=self.paths.database or ":memory:",
            format=identity.format,
            database_id=identity.database_id,
            siblings=siblings or None,
        )

    def backups(self, store: ActorRef[ToStore]) -> Backups:
        """Copies of it."""
        return Backups(self._path, Path(self.paths.backups), store, self.now_ms)

    @property
    def _path(self) -> Path | None:
        """None: in memory."""
        return None if self.paths.database is None else Path(self.paths.database)


def store_health(ledger: Ledger) -> StoreHealth:
    """How the store stands now."""
    fault = ledger.fault
    state = "ok" if fault is None else "failed"
    if fault is None and ledger.is_locked:
        state, fault = "busy", locked_elsewhere()
    return StoreHealth(
        state=state,
        pending=ledger.pending,
        fault=None if fault is None else fault.message,
    )
