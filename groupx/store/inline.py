"""The store without a thread: the same functions in the same order, for virtual time in tests."""

import sqlite3
from collections import deque
from collections.abc import Callable
from typing import TypeVar, cast

import trio

from groupx.domain.commits import CommitFacts
from groupx.domain.errors import GroupXError
from groupx.domain.ids import IdSource
from groupx.domain.limits import Limits
from groupx.store import faults
from groupx.store.executor import Executor, StoreStats, facts_of
from groupx.store.jobs import DEFAULT_READ_MS, ReadJob, WriteJob
from groupx.store.transaction import Transaction

C = TypeVar("C")
R = TypeVar("R")


class InlineStore:
    """StoreThread's face, on the caller's task. Each write is a group of its own."""

    def __init__(
        self,
        opener: Callable[[], sqlite3.Connection],
        *,
        ids: IdSource,
        now_ms: Callable[[], int],
        on_commit: Callable[[CommitFacts], None],
        limits: Limits | None = None,
    ) -> None:
        self._opener = opener
        self._ids = ids
        self._now_ms = now_ms
        self._on_commit = on_commit
        self._limits = limits
        self._executor: Executor | None = None
        self._closed = "is not open yet"
        self.died = trio.Event()
        self.death: BaseException | None = None
        self.pending = 0

    @property
    def fault(self) -> GroupXError | None:
        """Why new writes are refused, while they are."""
        return None if self._executor is None else self._executor.fault

    @property
    def is_locked(self) -> bool:
        """Whether another program keeps the ledger from being written, while it does."""
        return self._executor is not None and self._executor.is_locked

    @property
    def stats(self) -> StoreStats:
        """Counts since the start."""
        return StoreStats() if self._executor is None else self._executor.stats

    async def start(self) -> None:
        """Open the ledger; raises what the opener raises."""
        self._executor = Executor(
            self._opener(),
            ids=self._ids,
            now_ms=self._now_ms,
            seconds=trio.current_time,
            limits=self._limits,
        )
        await trio.lowlevel.checkpoint()

    def stop_waiting(self) -> None:
        """Nobody is to wait any more for a database that was taken away to be back."""
        if self._executor is not None:
            self._executor.waits = False

    async def write(self, run: Callable[[Transaction, C], R], command: C) -> R:
        """As StoreThread.write."""
        await trio.lowlevel.checkpoint_if_cancelled()
        job = WriteJob(run=run, argument=command)
        facts = facts_of(self._open().write_group(deque([job])))
        if facts is not None:
            self._on_commit(facts)
        await trio.lowlevel.cancel_shielded_checkpoint()
        assert job.result is not None
        return cast("R", job.result.unwrap())

    async def read(
        self,
        run: Callable[[sqlite3.Connection, C], R],
        query: C,
        deadline_ms: int = DEFAULT_READ_MS,
    ) -> R:
        """As StoreThread.read; virtual time stands still meanwhile, so no deadline strikes."""
        await trio.lowlevel.checkpoint_if_cancelled()
        job = ReadJob(run=run, argument=query, deadline_ms=deadline_ms)
        self._open().read(job)
        await trio.lowlevel.cancel_shielded_checkpoint()
        assert job.result is not None
        return cast("R", job.result.unwrap())

    async def aclose(self) -> None:
        """Close the ledger; calls after it are refused."""
        executor, self._executor = self._executor, None
        self._closed = "is closed"
        if executor is not None:
            executor.close()
        await trio.lowlevel.cancel_shielded_checkpoint()

    def _open(self) -> Executor:
        if self._executor is None:
            raise faults.closed(self._closed)
        return self._executor
