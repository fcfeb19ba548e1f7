"""Faults that SQLite and the system bring about themselves: full, read-only, a failing write."""

import resource
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path

import pytest

from groupx.store.executor import PROBE_SECONDS
from tests.store.fault_bench import Bench, codes, open_faulty, say

LONG = "x" * 60_000
"""More than the pages that a database has to spare."""
HOLD = """
import sqlite3, sys
conn = sqlite3.connect(sys.argv[1], isolation_level=None)
conn.execute("BEGIN IMMEDIATE")
print("held", flush=True)
sys.stdin.read()
"""
Fault = Callable[[Bench], AbstractContextManager[None]]


@contextmanager
def full(bench: Bench) -> Iterator[None]:
    """No page more than there is."""
    (pages,) = bench.conn.execute("PRAGMA page_count").fetchone()
    bench.conn.execute(f"PRAGMA max_page_count = {pages + 6}")
    yield
    with suppress(sqlite3.ProgrammingError):  # closed meanwhile
        bench.conn.execute("PRAGMA max_page_count = 1000000")


@contextmanager
def read_only(bench: Bench) -> Iterator[None]:
    """As a file system that was remounted so."""
    bench.conn.execute("PRAGMA query_only = ON")
    yield
    with suppress(sqlite3.ProgrammingError):
        bench.conn.execute("PRAGMA query_only = OFF")


@contextmanager
def cut_off(bench: Bench) -> Iterator[None]:
    """The system refuses to make the WAL longer, in the middle of a COMMIT's writing."""
    size = Path(f"{bench.path}-wal").stat().st_size + 10_000
    _, most = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, most))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))


FAULTS: dict[str, Fault] = {"full": full, "read only": read_only, "cut off": cut_off}


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    made = Bench(tmp_path / "x.db")
    made.answers(say("before"))
    yield made
    made.close()


@pytest.mark.parametrize("fault", FAULTS)
def test_before_or_after_and_nobody_is_told_yes(bench: Bench, fault: str) -> None:
    group = [("one", "one"), ("two", "two" + LONG), ("three", "three")]
    with FAULTS[fault](bench):
        done = bench.submit(*(say(text) for _, text in group))
        assert codes(done) == ["STORE_UNAVAILABLE"] * 3
        assert bench.kept() == ["before 2"]
        assert bench.read("SELECT count(*) FROM events") == [(3,)]
        assert bench.executor.fault is not None
        assert codes(bench.submit(say("four"))) == ["STORE_UNAVAILABLE"]
    bench.clock += PROBE_SECONDS
    assert codes(bench.submit(*(say(text) for _, text in group))) == ["done"] * 3
    assert bench.executor.fault is None
    assert [line[:8] for line in bench.kept()] == ["before 2", "one 2", "twoxxxxx", "three 2"]


@pytest.mark.parametrize("fault", FAULTS)
def test_the_next_start_finds_a_whole_ledger(bench: Bench, fault: str) -> None:
    with FAULTS[fault](bench):
        bench.submit(say("one" + LONG))
        bench.executor.close()
    bench.conn = open_faulty(bench.path)
    assert bench.kept() == ["before 2"]


def test_a_probe_that_needs_no_room_ends_the_fault_only_until_room_is_needed(
    bench: Bench,
) -> None:
    with full(bench):
        for _ in range(2):
            assert codes(bench.submit(say("one" + LONG))) == ["STORE_UNAVAILABLE"]
            assert bench.executor.fault is not None
            bench.clock += PROBE_SECONDS
        assert codes(bench.submit(say("short"))) == ["done"]
    assert bench.kept() == ["before 2", "short 2"]


@pytest.mark.slow
def test_a_lock_that_another_program_holds_is_no_fault(bench: Bench) -> None:
    bench.conn.execute("PRAGMA busy_timeout = 20")
    with subprocess.Popen(
        [sys.executable, "-c", HOLD, str(bench.path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as holder:
        assert holder.stdout is not None
        assert holder.stdin is not None
        assert holder.stdout.readline() == b"held\n"
        assert codes(bench.submit(say("one"), say("two"))) == ["STORE_BUSY"] * 2
        assert bench.executor.fault is None
        assert bench.read("SELECT count(*) FROM events") == [(3,)]
        holder.stdin.close()
        holder.wait(10)
    assert codes(bench.submit(say("one"), say("two"))) == ["done"] * 2
    assert bench.kept() == ["before 2", "one 2", "two 2"]


def test_a_file_that_cannot_be_read_any_more_is_a_fault_of_the_store(bench: Bench) -> None:
    """Cut under the open connection, as a failing disk cuts it."""
    bench.executor.close()
    with bench.path.open("r+b") as file:
        file.truncate(bench.path.stat().st_size // 2)
    bench.conn = sqlite3.connect(bench.path, isolation_level=None, factory=type(bench.conn))
    bench.executor._conn = bench.conn  # pyright: ignore
    assert codes(bench.submit(say("one"))) == ["STORE_UNAVAILABLE"]
    assert bench.executor.fault is not None
    assert not bench.executor.is_healing, "damage does not mend itself"
