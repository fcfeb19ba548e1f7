"""The machine's store: real transactions through the store's own executor, on a file that crashes.

A crash copies the database with its WAL while the connection is open, which is what a killed
process leaves, and opens the copy.
"""

import functools
import random
import shutil
import tempfile
from collections import deque
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import attrs
from outcome import Outcome

from groupx.domain.commits import Frame
from groupx.domain.envelope import Provenance
from groupx.domain.ids import USER_WEB, ActorId, IdSource
from groupx.domain.ledger import InstanceOpened, Recovered
from groupx.domain.limits import Limits
from groupx.domain.roster import RosterEntry
from groupx.domain.runs import OpenRun, RecoverQuery
from groupx.store.connection import open_connection
from groupx.store.executor import Executor, facts_of
from groupx.store.formats.chain import create_current
from groupx.store.jobs import WriteJob
from groupx.store.transaction import Transaction
from groupx.store.transactions.bindings import open_instance, open_run
from groupx.store.transactions.recover import recover_all
from groupx.store.transactions.rollup_recovery import recover_rollups

AGENTS = (ActorId("agent:a"), ActorId("agent:b"), ActorId("agent:c"))
LIMITS = Limits(
    message_characters=200, queue_per_agent=4, root_turns=6, hop_count=3, actor_calls_per_root=2
)
"""Small enough to be reached."""
START_MS = 1_770_000_000_000


@attrs.frozen
class Step:
    """One command for the store, and who judges what became of it."""

    name: str
    run: Callable[[Transaction, Any], Any]
    command: Any
    judge: Callable[[Outcome[Any]], None]


@functools.cache
def _empty() -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "empty.db"
        conn = open_connection(path)
        create_current(conn, now_iso="2026-02-01T00:00:00.000Z", database_id="database_m")
        conn.close()
        return path.read_bytes()


class World:
    """One daemon's ledger after another's, on the same data."""

    def __init__(self, folder: Path) -> None:
        self._folder = Path(tempfile.mkdtemp(dir=folder))
        self._lives = 0
        self.path = self._next_path()
        self.path.write_bytes(_empty())
        self.clock = START_MS
        self.seconds = 0.0
        self._random = random.Random(5)
        self._opened = 0
        self.frames: list[Frame] = []
        """What the last group told the hub."""
        self.woken: frozenset[ActorId] = frozenset()
        self.bindings: dict[ActorId, str] = {}
        self.instances: dict[str, str] = {}
        self.owners: dict[str, ActorId] = {}
        """Of every binding there ever was."""
        self._open()

    # --- a life ---------------------------------------------------------------------------

    def _next_path(self) -> Path:
        self._lives += 1
        return self._folder / f"{self._lives}.db"

    def _open(self) -> None:
        self.conn = open_connection(self.path)
        self.conn.execute("PRAGMA synchronous = OFF")  # a killed process loses no page cache
        # New ids each life: what was in memory is gone.
        self.ids = IdSource(lambda: self.clock, self._random.randbytes)
        self.executor = Executor(
            self.conn,
            ids=self.ids,
            now_ms=lambda: self.clock,
            seconds=lambda: self.seconds,
            limits=LIMITS,
        )
        self.bindings = {}

    def begin(self, roster: Sequence[ActorId], *, asks: bool) -> Recovered:
        """What a daemon does before anything else: its run, and recovery phase 1, twice alike."""
        self.do(open_run, OpenRun(agents={actor: actor for actor in roster}))
        query = RecoverQuery(
            roster=frozenset(roster), reconcilable=frozenset({"demo"} if asks else ())
        )
        recovered = self.do(recover_all, query)
        self.do(recover_rollups, None)
        told = self.frames, self.woken
        count = self.conn.execute("SELECT count(*) FROM events").fetchone()
        assert self.do(recover_all, query).undecided == recovered.undecided
        assert self.conn.execute("SELECT count(*) FROM events").fetchone() == count
        self.frames, self.woken = told
        return recovered

    def crash(self, unfinished: Sequence[Step] = ()) -> None:
        """Die in the middle of a group of `unfinished` steps."""
        self.conn.execute("BEGIN IMMEDIATE")
        for step in unfinished:
            self.conn.execute("SAVEPOINT one_write")
            try:
                step.run(Transaction(self.conn, self.ids, lambda: self.clock, LIMITS), step.command)
            except Exception:
                self.conn.execute("ROLLBACK TO one_write")
            self.conn.execute("RELEASE one_write")
        old, self.path = self.path, self._next_path()
        for tail in ("", "-wal"):
            shutil.copy(f"{old}{tail}", f"{self.path}{tail}")
        self.conn.close()
        old.unlink()
        self._open()

    def reopen(self) -> None:
        """Close in order: everything is in one file; open again."""
        self.executor.close()
        assert [path.name for path in self.path.parent.iterdir()] == [self.path.name]
        self._open()

    def end(self) -> None:
        self.conn.close()
        shutil.rmtree(self._folder)

    # --- commands -------------------------------------------------------------------------

    def submit(self, steps: Sequence[Step]) -> list[Outcome[Any]]:
        """Commit the steps as one group."""
        self.clock += 7
        before = self.last_seq()
        waiting = deque(WriteJob(run=step.run, argument=step.command) for step in steps)
        done = self.executor.write_group(waiting)
        assert not waiting
        facts = facts_of(done)
        self.frames = list(facts.frames) if facts else []
        self.woken = facts.lanes if facts else frozenset()
        stored = self.conn.execute("SELECT seq FROM events WHERE seq > ? ORDER BY seq", (before,))
        assert [frame.seq for frame in self.frames] == [seq for (seq,) in stored]
        return [job.result for job in done if job.result is not None]

    def last_seq(self) -> int:
        return self.conn.execute("SELECT coalesce(max(seq), 0) FROM events").fetchone()[0]

    def do(self, run: Callable[[Transaction, Any], Any], command: Any) -> Any:
        """One step that must succeed."""
        (result,) = self.submit([Step("do", run, command, lambda _: None)])
        return result.unwrap()

    def open_session(self, actor: ActorId) -> str:
        """A new program with a session."""
        self._opened += 1
        binding, instance = f"binding_{self._opened}", f"instance_{self._opened}"
        opened = InstanceOpened(
            instance_id=instance,
            binding_id=binding,
            actor_id=actor,
            adapter_id="demo",
            protocol="demo",
            native_session_id=f"native-{self._opened}",
            continuity="new",
            capabilities={},
        )
        self.do(open_instance, opened)
        self.bindings[actor] = binding
        self.instances[binding] = instance
        self.owners[binding] = actor
        return binding

    def roster(self, stopped: set[ActorId], gone: set[ActorId]) -> tuple[RosterEntry, ...]:
        """Who can be addressed."""
        return tuple(
            RosterEntry(actor_id=actor, adapter_id="demo", stopped=actor in stopped)
            for actor in AGENTS
            if actor not in gone
        )


def provenance(actor: ActorId) -> Provenance:
    """What the broker writes for this sender."""
    return Provenance(source_kind="web" if actor == USER_WEB else "mcp", author_actor_id=actor)
