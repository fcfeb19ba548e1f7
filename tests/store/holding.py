"""Hold the store's thread, so that what is submitted meanwhile makes one group."""

import sqlite3
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import trio

from groupx.store.writer import StoreThread


class Holder:
    """Keeps a thread inside a read for as long as a test needs."""

    def __init__(self, store: StoreThread) -> None:
        self._store = store
        self._entered = threading.Event()
        self._gate = threading.Event()

    @asynccontextmanager
    async def held(self) -> AsyncIterator[trio.Nursery]:
        """The thread stands still inside; all tasks of the nursery end after it goes on."""
        self._entered.clear()
        self._gate.clear()
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._store.read, self._hold, None)
            await trio.to_thread.run_sync(self._entered.wait)
            yield nursery
            self._gate.set()

    def _hold(self, _conn: sqlite3.Connection, _query: object) -> None:
        self._entered.set()
        self._gate.wait()
