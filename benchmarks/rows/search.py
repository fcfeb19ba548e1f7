"""A room of 100 000 messages: indexing it, searching it slice by slice, and the packets of turns.

Straight on the store, as its thread does it, without HTTP; measured is the CPU time of the thread,
as a read's deadline is, whatever else the machine does. Not in the ordinary run.
"""

import sqlite3
import time
from collections.abc import Callable
from typing import Any

import trio

from benchmarks.large_room import AGENT, large_room
from benchmarks.measure import percentile
from groupx.actors.transcript_reading import read_inputs
from groupx.cli.offline import unrepeated, write
from groupx.domain.commands import AcceptCommand
from groupx.domain.config import AgentConfig
from groupx.domain.envelope import Provenance
from groupx.domain.ids import USER_WEB
from groupx.domain.limits import Limits
from groupx.domain.packet import build_packet
from groupx.domain.packet_inputs import PacketQuery
from groupx.domain.roster import RosterEntry
from groupx.domain.search_page import SearchQuery
from groupx.store.queries.search import search
from groupx.store.transactions.accept import accept
from groupx.store.transactions.index_slice import index_slice, reindex

MESSAGES, QUICK_MESSAGES = 100_000, 2_000
TOLD = 40
EACH, QUICK_EACH = 20, 2
QUERIES = {
    "one CJK character": "库",
    "two CJK characters": "索引",
    "CJK run": "数据库的索引",
    "common word": "the",
    "two common words": "the of",
    "rare word": "zyxwv",
    "prefix": "needle ta",
    "common prefix": "th",
    "rare word and common prefix": "zyxwv th",
    "phrase": '"the of"',
    "sign": "c++",
    "nothing": "qqqqqqqq",
    "filter that nothing fits": "the to:nobody",
    "code": "the has:code",
    "date that nothing fits": "before:2000-01-01",
    "history": "the has:history",
    "24 common words": "the of that this c++ " * 5,
    "500 words": " ".join(f"word{number} the" for number in range(250)),
    "filters that all fit": "the before:2100-01-01 from:web",
}


MESSAGE = "please look at 数据库 and needle, as of this and that c++"
"""What is said to an agent; some of it is in many memories."""


def measure(quick: bool) -> dict[str, float]:
    """Milliseconds of CPU time, and seconds for the whole index."""
    each = QUICK_EACH if quick else EACH
    with large_room(QUICK_MESSAGES if quick else MESSAGES, told=TOLD) as conn:
        figures = _index(conn)
        figures |= _queries(conn, each)
        figures |= trio.run(_packets, conn, each)
        emptied = _timed(lambda: write(conn, reindex, unrepeated("search.reindex")))
    return figures | {"reindex begins ms": emptied}


def _timed(action: Callable[[], object]) -> float:
    began = time.thread_time()
    action()
    return (time.thread_time() - began) * 1000


def _index(conn: sqlite3.Connection) -> dict[str, float]:
    taken: list[float] = []
    more = True

    def one() -> None:
        nonlocal more
        more = write(conn, index_slice, None)

    while more:
        taken.append(_timed(one))
    return {
        "index all s": sum(taken) / 1000,
        "index slice p50 ms": percentile(taken, 0.5),
        "index slice p95 ms": percentile(taken, 0.95),
        "index slice max ms": max(taken),
    }


def _queries(conn: sqlite3.Connection, each: int) -> dict[str, float]:
    figures: dict[str, float] = {}
    every: list[float] = []
    for name, text in QUERIES.items():
        query = SearchQuery(text=text)
        taken = [_timed(lambda q=query: search(conn, q)) for _ in range(each)]
        figures[f"search {name} p95 ms"] = percentile(taken, 0.95)
        every += taken
    return figures | {
        "search p50 ms": percentile(every, 0.5),
        "search p95 ms": percentile(every, 0.95),
    }


class _Store:
    """The store's reads, at once."""

    def __init__(self, conn: sqlite3.Connection) -> None:
        self._conn = conn

    async def ask(self, request: Any) -> Any:
        return request.run(self._conn, request.query)


async def _packets(conn: sqlite3.Connection, each: int) -> dict[str, float]:
    agent = AgentConfig(id="a", driver="demo", name="Ada", cwd="/")
    store: Any = _Store(conn)
    accepting: list[float] = []
    building: list[float] = []
    for number in range(each):
        began = time.thread_time()
        turn_id = _accept(conn, f"{number}: {MESSAGE}")
        accepted = time.thread_time()
        query = PacketQuery(turn_id=turn_id, native_session_id=None)
        inputs = await read_inputs(store, query, Limits().context_characters)
        build_packet(inputs, agent=agent, limits=Limits(), boundary="0011223344556677")
        accepting.append((accepted - began) * 1000)
        building.append((time.thread_time() - accepted) * 1000)
    return {
        "accept p50 ms": percentile(accepting, 0.5),
        "packet p50 ms": percentile(building, 0.5),
        "packet p95 ms": percentile(building, 0.95),
    }


def _accept(conn: sqlite3.Connection, content: str) -> str:
    command = AcceptCommand(
        key=unrepeated("message.send"),
        actor_id=USER_WEB,
        to=(AGENT,),
        content=content,
        roster=(RosterEntry(actor_id=AGENT, adapter_id="demo"),),
        limits=Limits(),
        provenance=Provenance(source_kind="web"),
    )
    return write(conn, accept, command).turns[0].turn_id
