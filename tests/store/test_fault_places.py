"""Every kind of disk fault at every place of a group: all of it or nothing, and nobody told yes."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from groupx.store.executor import PROBE_SECONDS, facts_of
from tests.store.fault_bench import Bench, codes, say

TEXTS = ("one", "two", "three")
KINDS = ["full", "write", "fsync", "readonly"]
PLACES = {
    "begin": ("BEGIN", 1),
    "first write": ("WRITE", 1),
    "a later write": ("WRITE", 4),
    "the middle of the group": ("WRITE", 10),
    "its last write": ("WRITE", 18),
    "a savepoint": ("SAVEPOINT", 2),
    "its release": ("RELEASE", 2),
    "commit": ("COMMIT", 1),
}
GONE = ["STORE_UNAVAILABLE"] * 3


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    made = Bench(tmp_path / "x.db")
    yield made
    made.close()


def group(bench: Bench) -> list[str]:
    done = bench.submit(*map(say, TEXTS))
    if "done" not in codes(done):
        assert facts_of(done) is None, "nobody is told of what is not there"
    return codes(done)


def comes_back(bench: Bench) -> None:
    """The fault goes: the store finds out by itself, and each command is done exactly once."""
    bench.conn.mend()
    assert group(bench) == GONE, "not before it is known that a write can be kept"
    bench.clock += PROBE_SECONDS
    assert group(bench) == ["done"] * 3
    assert bench.executor.fault is None
    assert bench.kept() == ["one 2", "two 2", "three 2"]


GIVEN_UP = [("full", place, True) for place in PLACES if "write" in place or "middle" in place]
"""Some faults make SQLite give the transaction up by itself."""
FAULTS = [(kind, place, False) for kind in KINDS for place in PLACES] + GIVEN_UP


@pytest.mark.parametrize(("kind", "place", "takes_all"), FAULTS)
def test_a_fault_takes_the_whole_group_and_nothing_else(
    bench: Bench, kind: str, place: str, takes_all: bool
) -> None:
    bench.answers(say("before"))
    bench.conn.fail(kind, *PLACES[place], takes_all=takes_all)
    assert group(bench) == GONE
    assert bench.kept() == ["before 2"]
    assert not bench.conn.in_transaction
    assert bench.executor.fault is not None
    assert kind.upper() in bench.executor.fault.message
    assert bench.read("SELECT count(*) FROM events") == [(3,)], "reading goes on"
    bench.conn.seen.clear()
    assert group(bench) == GONE
    assert bench.conn.seen == {}, "refused without touching the disk"
    bench.clock += PROBE_SECONDS
    bench.conn.fail(kind, "COMMIT", 1)
    assert group(bench) == GONE, "the probe failed, so the fault is still there"
    bench.conn.mend()
    bench.clock += PROBE_SECONDS
    assert group(bench) == ["done"] * 3
    assert bench.kept() == ["before 2", "one 2", "two 2", "three 2"]


@pytest.mark.parametrize("kind", [*KINDS, "busy"])
def test_a_commit_whose_answer_is_lost_is_unknown_until_it_is_read(bench: Bench, kind: str) -> None:
    bench.conn.fail(kind, "COMMIT", 1, first=True)
    assert group(bench) == GONE
    assert bench.kept() == ["one 2", "two 2", "three 2"], "it was kept after all"
    comes_back(bench)


@pytest.mark.parametrize("kind", [*KINDS, "busy"])
def test_one_that_fails_beside_a_refused_one(bench: Bench, kind: str) -> None:
    """Taking a refused write back is a write too."""
    bench.conn.fail(kind, "ROLLBACK TO", 1)
    done = bench.submit(say("one"), say("no", to=("agent:x",)), say("two"))
    assert codes(done) == GONE
    assert bench.kept() == []
    comes_back(bench)


@pytest.mark.parametrize("place", [place for place in PLACES if place != "begin"])
def test_busy_after_the_lock_was_won_is_a_fault_of_the_store(bench: Bench, place: str) -> None:
    """No other program can cause it then, so the disk is not what it says."""
    bench.conn.fail("busy", *PLACES[place])
    assert group(bench) == GONE
    assert bench.kept() == []
    comes_back(bench)
