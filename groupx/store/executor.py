"""Runs jobs on the one connection: writes in groups, reads between groups, faults remembered.

Not thread-safe: whoever owns the connection calls it, a thread (writer.py) or a task (inline.py).
"""

import contextlib
import sqlite3
from collections import deque
from collections.abc import Callable

import attrs
import outcome

from groupx.domain.commits import CommitFacts
from groupx.domain.errors import GroupXError, RecordedRefusal
from groupx.domain.ids import IdSource
from groupx.domain.limits import Limits
from groupx.process.killing import passed
from groupx.store import faults
from groupx.store.commit_points import COMMIT_POINTS
from groupx.store.jobs import ReadJob, WriteJob
from groupx.store.place import Place
from groupx.store.transaction import Transaction

MAX_GROUP_WRITES = 256
MAX_GROUP_SECONDS = 0.010
PROBE_SECONDS = 1.0
"""How often a store with a fault that may heal tries to write again."""
LOOK_SECONDS = 2.0
"""How often an idle store looks whether its files are still there."""
LOCKED_SECONDS = 0.5
"""Who waits so long for the file waits for another program."""
WALL_CLOCK_FACTOR = 10
"""A read's deadline counts the work of its thread, since a busy machine is not the reader's fault;
by the clock on the wall it may take this many times as long."""
_STEPS_PER_CHECK = 4_000
"""SQLite instructions between two looks at a read's deadline; well under a millisecond."""


@attrs.define(kw_only=True)
class StoreStats:
    """What the store did since it was opened; health reads it without asking the database."""

    groups: int = 0
    writes: int = 0
    largest_group: int = 0
    reads: int = 0
    lost_groups: int = 0


class _GroupLostError(Exception):
    """The transaction of the whole group is gone, or cannot be trusted any more."""


class Executor:
    """Owns a connection. `seconds` is a monotonic clock; `ids` is used by nobody else.

    `worked` gives the seconds that this thread has computed; without it, `seconds` has to do.
    `place` is held, and looked at before each COMMIT, and its files before the answers too. What
    it says of the lease is raised, by any call: nothing may be written any more.
    """

    def __init__(
        self,
        conn: sqlite3.Connection,
        *,
        ids: IdSource,
        now_ms: Callable[[], int],
        seconds: Callable[[], float],
        worked: Callable[[], float] | None = None,
        limits: Limits | None = None,
        place: Place | None = None,
    ) -> None:
        self._conn = conn
        self._place = place or Place(None)
        self._place.hold()
        self._worked = worked or seconds
        self._limits = limits or Limits()
        self._ids = ids
        self._now_ms = now_ms
        self._seconds = seconds
        self._probe_at = 0.0
        self._look_at = 0.0
        self._begins_at: float | None = None
        self._locked = False
        self.waits = True
        """Whether the files of a database that were taken away are expected back."""
        self.fault: GroupXError | None = None
        self.stats = StoreStats()

    @property
    def is_healing(self) -> bool:
        """Whether there is a fault that `probe_if_due` may find to be over."""
        return self.fault is not None and faults.heals(self.fault)

    @property
    def is_locked(self) -> bool:
        """Whether another program keeps the file from being written. For any thread."""
        begins_at = self._begins_at
        waits = begins_at is not None and self._seconds() - begins_at > LOCKED_SECONDS
        return self._locked or waits

    @property
    def patience(self) -> float:
        """Seconds for which nothing needs to be done unless somebody asks."""
        return PROBE_SECONDS if self.is_healing or self._locked else LOOK_SECONDS

    def write_group(self, waiting: deque[WriteJob]) -> list[WriteJob]:
        """Take writes from the left of `waiting` until a bound, and commit them together.

        Every job returned has its result; those that stored something have their facts too.
        """
        self.probe_if_due()
        fault = self.fault
        if fault is not None:
            return _answer_all(_take_all(waiting), lambda: faults.refused(fault, waits=self.waits))
        group: list[WriteJob] = []
        try:
            self._begin()
            until = self._seconds() + MAX_GROUP_SECONDS
            while waiting and len(group) < MAX_GROUP_WRITES:
                job = waiting.popleft()
                group.append(job)
                self._write(job)
                if self._seconds() > until:
                    break
            self._place.look()
            self._conn.execute("COMMIT")
            self._place.look_at_files()
        except (sqlite3.Error, _GroupLostError, faults.Displaced) as error:
            return self._lose(waiting, group, error)
        for job in group:
            if job.facts is not None and job.run in COMMIT_POINTS:
                passed(COMMIT_POINTS[job.run])
        self.stats.groups += 1
        self.stats.writes += len(group)
        self.stats.largest_group = max(self.stats.largest_group, len(group))
        return group

    def read(self, job: ReadJob) -> None:
        """Run one query outside any transaction; STORE_BUSY when its time is over."""
        self._conn.set_progress_handler(self._watch(job.deadline_ms / 1000), _STEPS_PER_CHECK)
        try:
            job.result = outcome.Value(job.run(self._conn, job.argument))
        except sqlite3.Error as error:
            if faults.stops_writing(error):
                self._fail(error)
            job.result = outcome.Error(_read_error(error, job.deadline_ms))
        except BaseException as error:
            job.result = outcome.Error(error)
        finally:
            self._conn.set_progress_handler(None, 0)
        self.stats.reads += 1

    def look_if_due(self) -> None:
        """What an idle store does now and then, so that its state is true without a write."""
        self.probe_if_due()
        if self._seconds() < self._look_at:
            return
        self._look_at = self._seconds() + LOOK_SECONDS
        try:
            self._place.look()
        except faults.Displaced as error:
            self._fail(error)

    def probe_if_due(self) -> None:
        """At most once a PROBE_SECONDS: a fault that heals is over when a write can be kept.

        So is a lock of another program. Waits for nobody.
        """
        if not (self.is_healing or self._locked) or self._seconds() < self._probe_at:
            return
        try:
            self._place.look()
            self._try_to_write()
        except (sqlite3.Error, faults.Displaced) as error:
            self._rollback()
            if self._locked and faults.is_busy(error):
                self._probe_at = self._seconds() + PROBE_SECONDS
            else:
                self._fail(error)
        else:
            self.fault = None
            self._locked = False

    def close(self) -> None:
        """Move the WAL into the database file and close."""
        self._rollback()
        self._place.close(self._conn)

    def _begin(self) -> None:
        self._begins_at = self._seconds()
        try:
            self._conn.execute("BEGIN IMMEDIATE")
            self._locked = False
        finally:
            self._begins_at = None

    def _try_to_write(self) -> None:
        execute = self._conn.execute
        (version,) = execute("PRAGMA user_version").fetchone()
        (patience,) = execute("PRAGMA busy_timeout").fetchone()
        execute("PRAGMA busy_timeout = 0")
        try:
            execute("BEGIN IMMEDIATE")
        finally:
            execute(f"PRAGMA busy_timeout = {patience}")
        execute(f"PRAGMA user_version = {version}")
        execute("COMMIT")

    def _watch(self, bound: float) -> Callable[[], bool]:
        """Whether a read that begins now has had its time."""
        worked, seconds = self._worked, self._seconds
        work_until, wall_until = worked() + bound, seconds() + bound * WALL_CLOCK_FACTOR
        return lambda: worked() > work_until or seconds() > wall_until

    def _write(self, job: WriteJob) -> None:
        execute = self._conn.execute
        execute("SAVEPOINT one_write")
        transaction = Transaction(self._conn, self._ids, self._now_ms, self._limits)
        result: outcome.Outcome[object]
        try:
            result = outcome.Value(job.run(transaction, job.argument))
        except RecordedRefusal as error:
            result = outcome.Error(error)
        except BaseException as error:
            if faults.loses_group(error) or not self._conn.in_transaction:
                raise _GroupLostError(error) from error
            execute("ROLLBACK TO one_write")
            execute("RELEASE one_write")
            job.result = outcome.Error(error)
            return
        if not self._conn.in_transaction:
            raise _GroupLostError("a write ended the transaction of its group")
        execute("RELEASE one_write")
        job.result = result
        job.facts = transaction.facts()

    def _lose(
        self, waiting: deque[WriteJob], group: list[WriteJob], error: Exception
    ) -> list[WriteJob]:
        self._rollback()
        self.stats.lost_groups += 1
        cause = error.__cause__ or error
        if not group:
            group = _take_all(waiting)
            if faults.is_busy(cause):
                self._locked = True
                self._probe_at = self._seconds() + PROBE_SECONDS
                return _answer_all(group, faults.locked_elsewhere)
        self._fail(cause)
        return _answer_all(group, lambda: faults.unavailable(cause))

    def _fail(self, cause: BaseException) -> None:
        """Damage stays the fault whatever comes after it."""
        if self.fault is None or self.is_healing:
            self.fault = faults.unavailable(cause)
        self._probe_at = self._seconds() + PROBE_SECONDS

    def _rollback(self) -> None:
        # SQLite may have rolled back by itself; what matters is that nothing stays open.
        with contextlib.suppress(sqlite3.Error):
            self._conn.rollback()


def facts_of(group: list[WriteJob]) -> CommitFacts | None:
    """What a group made true, in order; None when it changed nothing that others wait for."""
    facts = [job.facts for job in group if job.facts is not None]
    frames = tuple(frame for fact in facts for frame in fact.frames)
    lanes = frozenset(lane for fact in facts for lane in fact.lanes)
    return CommitFacts(frames=frames, lanes=lanes) if frames or lanes else None


def _take_all(waiting: deque[WriteJob]) -> list[WriteJob]:
    taken = list(waiting)
    waiting.clear()
    return taken


def _answer_all(group: list[WriteJob], error: Callable[[], GroupXError]) -> list[WriteJob]:
    for job in group:
        job.facts = None
        job.result = outcome.Error(error())
    return group


def _read_error(error: sqlite3.Error, deadline_ms: int) -> BaseException:
    if faults.primary_code(error) == sqlite3.SQLITE_INTERRUPT:
        return faults.busy(
            f"This look-up took longer than its {deadline_ms} ms and was stopped, so that nobody "
            "waits for it. Nothing was changed; try again, or ask for less at once."
        )
    return faults.unreadable(error) if faults.is_fault(error) else error
