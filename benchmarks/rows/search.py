"""A room of 100 000 messages: indexing it, searching it, and a packet built in it.

Straight on the store, as its thread does it, without HTTP. Not in the ordinary run.
"""

import gc
import random
import sqlite3
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing
from itertools import accumulate
from pathlib import Path

from benchmarks.measure import percentile
from groupx.domain.ids import MAIN_ROOM, IdSource
from groupx.domain.runs import OpenRun
from groupx.domain.search_page import SearchQuery
from groupx.store.opening import open_ledger
from groupx.store.queries.search import search
from groupx.store.transaction import Transaction
from groupx.store.transactions.bindings import open_run
from groupx.store.transactions.index_slice import index_slice

MESSAGES, QUICK_MESSAGES = 100_000, 2_000
EACH = 20
QUERIES = {
    "one CJK character": "库",
    "two CJK characters": "索引",
    "CJK run": "数据库的索引",
    "common word": "the",
    "two common words": "the of",
    "rare word": "zyxwv",
    "prefix": '"needle" ta',
    "common prefix": "th",
    "phrase": '"the of"',
    "sign": "c++",
    "nothing": "qqqqqqqq",
    "filter that fits little": "the from:nobody",
    "code": "the has:code",
    "all of it with two filters": "the before:2100-01-01 from:web",
}
_EVENT = """
INSERT INTO events (event_id, schema_version, room_id, event_type, actor_id, actor_kind,
  actor_display_name, targets_json, correlation_id, root_correlation_id, occurred_at, body_json)
VALUES (?, 'groupx.event/1', ?, 'message.created', 'user:web', 'user', 'You', '["agent:a"]',
  ?, ?, '2026-12-01T10:00:00.000Z', json_object('content', ?))
"""


def texts(count: int) -> Iterator[str]:
    """About 150 characters each, three in four English-like by Zipf, one in four with Chinese."""
    chance = random.Random(7)
    letters = "etaoinshrdlucmfwypvbgkqjxz"
    vocabulary = ["the", "of", "c++", "that", "this"] + [
        "".join(chance.choices(letters, k=chance.randint(2, 10))) for _ in range(20_000)
    ]
    weights = list(accumulate(1 / (rank + 1) for rank in range(len(vocabulary))))
    for number in range(count):
        said = " ".join(chance.choices(vocabulary, cum_weights=weights, k=26))
        if number % 4 == 0:
            said = said[:75] + "".join(chance.choices("只修改数据库的索引然后重启我们现在", k=75))
        if number % 5_000 == 0:
            said += " needle tally zyxwv ```code```"
        yield said


def measure(quick: bool) -> dict[str, float]:
    """Milliseconds, and seconds for the whole index."""
    count = QUICK_MESSAGES if quick else MESSAGES
    with tempfile.TemporaryDirectory(prefix="search-") as folder:
        path = Path(folder) / "room.db"
        with closing(
            open_ledger(path, now_iso="2026-12-01T00:00:00.000Z", database_id="d")
        ) as conn:
            _fill(conn, count)
            figures = _index(conn)
            figures |= _queries(conn, 2 if quick else EACH)
    return figures


def _transaction(conn: sqlite3.Connection) -> Transaction:
    return Transaction(conn, IdSource(lambda: 1, random.Random(1).randbytes), lambda: 1)


def _fill(conn: sqlite3.Connection, count: int) -> None:
    conn.execute("BEGIN IMMEDIATE")
    open_run(_transaction(conn), OpenRun(agents={"agent:a": "Ada"}))  # type: ignore[dict-item]
    chance = random.Random(8)
    rows = ((f"evt_{chance.getrandbits(128):032x}", text) for text in texts(count))
    conn.executemany(_EVENT, ((id_, MAIN_ROOM, id_, id_, text) for id_, text in rows))
    conn.execute("COMMIT")


def _index(conn: sqlite3.Connection) -> dict[str, float]:
    taken: list[float] = []
    more = True
    while more:
        began = time.perf_counter()
        conn.execute("BEGIN IMMEDIATE")
        more = index_slice(_transaction(conn), None)
        conn.execute("COMMIT")
        taken.append((time.perf_counter() - began) * 1000)
    return {
        "index all s": sum(taken) / 1000,
        "index slice p95 ms": percentile(taken, 0.95),
        "index slice max ms": max(taken),
    }


def _queries(conn: sqlite3.Connection, each: int) -> dict[str, float]:
    gc.collect()
    figures: dict[str, float] = {}
    every: list[float] = []
    for name, text in QUERIES.items():
        taken: list[float] = []
        for _ in range(each):
            began = time.perf_counter()
            search(conn, SearchQuery(text=text))
            taken.append((time.perf_counter() - began) * 1000)
        figures[f"search {name} p95 ms"] = percentile(taken, 0.95)
        every += taken
    return figures | {
        "search p50 ms": percentile(every, 0.5),
        "search p95 ms": percentile(every, 0.95),
    }
