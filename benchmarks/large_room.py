"""A room of many messages and some memories, made in seconds; its text is not indexed yet."""

import random
import sqlite3
import tempfile
import uuid
from collections.abc import Iterator
from contextlib import closing, contextmanager
from itertools import accumulate
from pathlib import Path

from groupx.cli.offline import write
from groupx.domain.ids import MAIN_ROOM, ActorId
from groupx.domain.runs import OpenRun
from groupx.store.opening import open_ledger
from groupx.store.transactions.bindings import open_run

AGENT = ActorId("agent:a")
NOW = "2026-12-01T10:00:00.000Z"
MEMORIES_EACH = 50
"""Messages for each memory."""
_EVENT = """
INSERT INTO events (event_id, schema_version, room_id, event_type, actor_id, actor_kind,
  actor_display_name, targets_json, correlation_id, root_correlation_id, occurred_at, body_json)
VALUES (?, 'groupx.event/1', ?, 'message.created', 'user:web', 'user', 'You', '["agent:a"]',
  ?, ?, ?, json_object('content', ?))
"""
_MEMORY = """
INSERT INTO memory_records (memory_id, scope_type, scope_id, kind, author_actor_id, content,
  source_kind, status, created_at)
VALUES (?, 'room', ?, 'fact', 'user:web', ?, 'web', 'active', ?)
"""
_RESET = """
INSERT INTO context_resets (reset_id, room_id, through_seq, reset_native_sessions, created_at)
VALUES ('reset_1', ?, ?, 0, ?)
"""


@contextmanager
def large_room(messages: int, *, told: int) -> Iterator[sqlite3.Connection]:
    """A ledger on a disk; its agents are told the `told` newest messages."""
    with tempfile.TemporaryDirectory(prefix="large-room-") as folder:
        path = Path(folder) / "room.db"
        with closing(open_ledger(path, now_iso=NOW, database_id="database_1")) as conn:
            write(conn, open_run, OpenRun(agents={AGENT: "Ada"}))
            conn.execute("BEGIN IMMEDIATE")
            conn.executemany(_EVENT, map(_event, texts(messages)))
            kept = enumerate(texts(messages // MEMORIES_EACH, seed=9))
            conn.executemany(_MEMORY, [(f"mem_{n}", MAIN_ROOM, text, NOW) for n, text in kept])
            conn.execute(_RESET, (MAIN_ROOM, messages - told, NOW))
            conn.execute("COMMIT")
            yield conn


def _event(text: str) -> tuple[str, ...]:
    event_id = f"evt_{uuid.uuid4().hex}"
    return event_id, MAIN_ROOM, event_id, event_id, NOW, text


def texts(count: int, seed: int = 7) -> Iterator[str]:
    """About 150 characters each: words as often as Zipf has them, one in four half Chinese."""
    chance = random.Random(seed)
    words = vocabulary()
    weights = list(accumulate(1 / (rank + 1) for rank in range(len(words))))
    for number in range(count):
        said = " ".join(chance.choices(words, cum_weights=weights, k=26))
        if number % 4 == 0:
            said = said[:75] + "".join(chance.choices("只修改数据库的索引然后重启我们现在", k=75))
        if number % 5_000 == 0:
            said += " needle tally zyxwv ```code```"
        yield said


def vocabulary() -> list[str]:
    """20 000 words, the most frequent ones first."""
    chance = random.Random(5)
    letters = "etaoinshrdlucmfwypvbgkqjxz"
    made = ("".join(chance.choices(letters, k=chance.randint(2, 10))) for _ in range(20_000))
    return ["the", "of", "c++", "that", "this", *made]
