"""What searches hold up: how long the store works for others while an accept waits for its turn.

Four clients search without a pause, a fifth sends messages. Counted is the CPU time of the store's
thread between a message's sending and its answer, so that other load on the machine is left out.
"""

import itertools
import os
import sqlite3
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import trio

from benchmarks.large_room import AGENT, NOW, large_room
from benchmarks.measure import percentile
from groupx.actors.searching import find
from groupx.cli.offline import now_ms, unrepeated, write
from groupx.domain.commands import AcceptCommand
from groupx.domain.envelope import Provenance
from groupx.domain.ids import USER_WEB, IdSource
from groupx.domain.limits import Limits
from groupx.domain.roster import RosterEntry
from groupx.domain.search_page import SearchQuery
from groupx.store.opening import open_ledger
from groupx.store.transactions.accept import accept
from groupx.store.transactions.index_slice import index_slice
from groupx.store.writer import StoreThread

MESSAGES, QUICK_MESSAGES = 100_000, 2_000
SENT, QUICK_SENT = 300, 5
CLIENTS = 4
SHAPES = {
    "nobody": (),
    "one letter": ("a", "b", "c", "d"),
    "beginnings": ("th", "co", "thi", "that"),
    "filters that nothing fits": ("the from:agent:a", "before:2000-01-01", "the has:code"),
    "24 common words": (" ".join(["the of that this", "c++"] * 5),),
}


def measure(quick: bool) -> dict[str, float]:
    """Milliseconds of CPU time."""
    with large_room(QUICK_MESSAGES if quick else MESSAGES, told=1) as conn:
        while write(conn, index_slice, None):
            pass
        (_, _, path), *_ = conn.execute("PRAGMA database_list")
        return trio.run(_measure, path, QUICK_SENT if quick else SENT)


async def _measure(path: str, sent: int) -> dict[str, float]:
    def opened() -> sqlite3.Connection:
        return open_ledger(Path(path), now_iso=NOW, database_id="database_1")

    store = StoreThread(
        opened, ids=IdSource(now_ms, os.urandom), now_ms=now_ms, on_commit=lambda _: None
    )
    await store.start()
    (thread,) = (one for one in threading.enumerate() if one.name == "groupx-store")
    clock = time.pthread_getcpuclockid(thread.ident or 0)
    figures: dict[str, float] = {}
    for name, texts in SHAPES.items():
        taken = await _beside(store, texts, sent, lambda: time.clock_gettime(clock))
        figures[f"held up by {name} p50 ms"] = percentile(taken, 0.5)
        figures[f"held up by {name} p99 ms"] = percentile(taken, 0.99)
    await store.aclose()
    return figures


async def _beside(
    store: StoreThread, texts: tuple[str, ...], sent: int, worked: Callable[[], float]
) -> list[float]:
    taken: list[float] = []
    async with trio.open_nursery() as nursery:
        for first in range(CLIENTS if texts else 0):
            nursery.start_soon(_search, store, texts[first % len(texts) :] + texts)
        for number in range(sent):
            await trio.sleep(0.01)
            began = worked()
            await store.write(accept, _command(number))
            taken.append((worked() - began) * 1000)
        nursery.cancel_scope.cancel()
    return taken


class _Store:
    """The store's reads, as its actor passes them on."""

    def __init__(self, thread: StoreThread) -> None:
        self._thread = thread

    async def ask(self, request: Any) -> Any:
        return await self._thread.read(request.run, request.query, request.deadline_ms)


async def _search(thread: StoreThread, texts: tuple[str, ...]) -> None:
    store: Any = _Store(thread)
    for text in itertools.cycle(texts):
        await find(store, SearchQuery(text=text))


def _command(number: int) -> AcceptCommand:
    return AcceptCommand(
        key=unrepeated("message.send"),
        actor_id=USER_WEB,
        to=(AGENT,),
        content=f"{number}: that and this, please",
        roster=(RosterEntry(actor_id=AGENT, adapter_id="demo"),),
        limits=Limits(queue_per_agent=100_000),
        provenance=Provenance(source_kind="web"),
    )
