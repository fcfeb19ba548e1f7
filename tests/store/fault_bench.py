"""A ledger whose disk fails where a test says, and commands that can be sent again."""

import functools
import random
import sqlite3
from collections import deque
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from outcome import Error

from groupx.domain.commands import AcceptCommand, CommandKey
from groupx.domain.envelope import Provenance
from groupx.domain.errors import GroupXError
from groupx.domain.ids import USER_WEB, WEB_BINDING, ActorId, IdSource
from groupx.domain.limits import Limits
from groupx.domain.roster import RosterEntry
from groupx.domain.runs import OpenRun
from groupx.store.connection import PRAGMAS, open_connection
from groupx.store.executor import Executor
from groupx.store.formats.chain import create_current
from groupx.store.jobs import Job, ReadJob, WriteJob
from groupx.store.transaction import Transaction
from groupx.store.transactions.accept import accept
from groupx.store.transactions.bindings import open_run

AGENTS = (ActorId("agent:a"), ActorId("agent:b"))
NOW = 1_770_000_000_000
WRITES = ("INSERT", "UPDATE", "DELETE")
CODES = {
    "full": (sqlite3.SQLITE_FULL, "database or disk is full"),
    "write": (sqlite3.SQLITE_IOERR_WRITE, "disk I/O error"),
    "fsync": (sqlite3.SQLITE_IOERR_FSYNC, "disk I/O error"),
    "readonly": (sqlite3.SQLITE_READONLY, "attempt to write a readonly database"),
    "busy": (sqlite3.SQLITE_BUSY, "database is locked"),
}


def error(kind: str) -> sqlite3.OperationalError:
    """As SQLite raises it."""
    code, text = CODES[kind]
    raised = sqlite3.OperationalError(text)
    raised.sqlite_errorcode = code
    raised.sqlite_errorname = f"SQLITE_{kind.upper()}"
    return raised


class FaultyConnection(sqlite3.Connection):
    """Counts statements by their first word (all writes are `WRITE`) and fails one of them.

    `first`: the statement takes effect, and only its answer is lost. `takes_all`: SQLite gives
    the whole transaction up, as it does for some faults.
    """

    kind: str | None = None
    word = "COMMIT"
    number = 1
    first = False
    takes_all = False
    seen: dict[str, int]

    def fail(
        self, kind: str, word: str, number: int, *, first: bool = False, takes_all: bool = False
    ) -> None:
        self.kind, self.word, self.number = kind, word, number
        self.first, self.takes_all = first, takes_all
        self.seen = {}

    def mend(self) -> None:
        self.kind = None

    def execute(self, sql: str, *values: Any) -> sqlite3.Cursor:  # pyright: ignore
        if self.kind is None:
            return super().execute(sql, *values)
        word = sql.split(None, 1)[0]
        word = (
            "WRITE" if word in WRITES else "ROLLBACK TO" if sql.startswith("ROLLBACK TO") else word
        )
        self.seen[word] = self.seen.get(word, 0) + 1
        if word == self.word and self.seen[word] >= self.number:
            if self.first:
                super().execute(sql, *values)
            elif self.takes_all:
                self.rollback()
            raise error(self.kind)
        return super().execute(sql, *values)


@functools.cache
def _new_ledger() -> bytes:
    """With two agents."""
    conn = open_connection(":memory:")
    create_current(conn, now_iso="2026-02-01T00:00:00.000Z", database_id="database_f")
    run = OpenRun(agents={actor: actor for actor in AGENTS})
    open_run(Transaction(conn, ids(), lambda: NOW), run)
    image = conn.serialize()
    conn.close()
    return image


def open_faulty(path: Path) -> FaultyConnection:
    """A ledger on a disk that can fail."""
    if not path.exists():
        path.write_bytes(_new_ledger())
    conn = sqlite3.connect(path, isolation_level=None, factory=FaultyConnection)
    for pragma in PRAGMAS:
        conn.execute(f"PRAGMA {pragma.name} = {pragma.value}").fetchall()
    conn.execute("PRAGMA synchronous = OFF")  # no power is lost here
    return conn


def ids() -> IdSource:
    return IdSource(lambda: NOW, random.Random(1).randbytes)


def say(text: str, *, to: Sequence[str] = AGENTS) -> WriteJob:
    """A message under a command id of its own, which its text is."""
    return WriteJob(run=accept, argument=message(text, to=to))


def message(text: str, *, to: Sequence[str] = AGENTS) -> AcceptCommand:
    return AcceptCommand(
        key=CommandKey(
            binding_id=WEB_BINDING,
            client_command_id=text[:20],
            command_type="message.send",
            request={"content": text, "to": list(to)},
        ),
        actor_id=USER_WEB,
        to=tuple(to),
        content=text,
        roster=tuple(RosterEntry(actor_id=actor, adapter_id="demo") for actor in AGENTS),
        limits=Limits(),
        provenance=Provenance(source_kind="web"),
    )


class Bench:
    """An executor on a faulty disk, with a clock that moves by hand."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.conn = open_faulty(path)
        self.clock = 0.0
        self.executor = Executor(
            self.conn, ids=ids(), now_ms=lambda: NOW, seconds=lambda: self.clock
        )

    def submit(self, *jobs: WriteJob) -> list[WriteJob]:
        waiting = deque(jobs)
        done = self.executor.write_group(waiting)
        while waiting:
            done += self.executor.write_group(waiting)
        return done

    def answers(self, *jobs: WriteJob) -> list[Any]:
        """Results, which there must be."""
        return [job.result.unwrap() for job in self.submit(*jobs) if job.result is not None]

    def read(self, sql: str) -> list[Any]:
        """Through the store itself."""
        job = ReadJob(run=lambda conn, _: conn.execute(sql).fetchall(), argument=None)
        self.executor.read(job)
        assert job.result is not None
        return job.result.unwrap()

    def kept(self) -> list[str]:
        """What somebody else finds in the file: each message with as many turns as it has."""
        other = sqlite3.connect(self.path)
        rows = other.execute(
            "SELECT json_extract(e.body_json, '$.content') || ' ' || count(t.turn_id) FROM events e"
            " LEFT JOIN turns t ON t.source_event_id = e.event_id"
            " WHERE event_type = 'message.created' GROUP BY e.event_id ORDER BY e.seq"
        ).fetchall()
        assert other.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        other.close()
        return [row[0] for row in rows]

    def close(self) -> None:
        self.conn.mend()
        self.conn.close()


def codes(jobs: Sequence[WriteJob]) -> list[str]:
    """What each caller was told: a code, or `done`."""
    return [code(job) for job in jobs]


def code(job: Job) -> str:
    """An error without a code is what no caller can use: its type is told instead."""
    if not isinstance(job.result, Error):
        return "done" if job.result else "nothing"
    failed = job.result.error
    return str(failed.code) if isinstance(failed, GroupXError) else type(failed).__name__
