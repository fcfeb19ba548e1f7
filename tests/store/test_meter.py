"""Progress only grows, in thousandths, and stops what nobody wants any more."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groupx.store import faults
from groupx.store.meter import TOTAL, Meter

_WORK = """
WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < {}) SELECT max(x) FROM n
"""


@pytest.fixture
def conn() -> Iterator[sqlite3.Connection]:
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
        yield connection


@given(st.lists(st.tuples(st.integers(0, 600), st.lists(st.floats(0, 2)))))
def test_what_is_reported_grows_and_stays_within_the_total(
    phases: list[tuple[int, list[float]]],
) -> None:
    told: list[int] = []
    meter = Meter(lambda done, total: told.append(done))
    for share, fractions in phases:
        meter.phase(share)
        for fraction in fractions:
            meter.at(fraction)
    assert told == sorted(set(told))
    assert all(0 <= done <= TOTAL for done in told)


def test_instructions_are_counted_within_their_phase(conn: sqlite3.Connection) -> None:
    told: list[int] = []
    meter = Meter(lambda done, total: told.append(done))
    meter.phase(100)
    meter.phase(500)
    with meter.counting(conn, 2_000_000):
        conn.execute(_WORK.format(60_000)).fetchall()
    assert told[0] == 0
    assert told[1] == 100
    assert 100 < told[-1] < 600
    seen = len(told)
    conn.execute(_WORK.format(60_000)).fetchall()
    assert len(told) == seen  # nobody counts any more


def test_an_estimate_that_is_too_low_waits_at_the_end(conn: sqlite3.Connection) -> None:
    told: list[int] = []
    meter = Meter(lambda done, total: told.append(done))
    meter.phase(300)
    with meter.counting(conn, 0):
        conn.execute(_WORK.format(20_000)).fetchall()
    assert told == [0, 300]


def test_what_nobody_wants_is_interrupted(conn: sqlite3.Connection, tmp_path: Path) -> None:
    meter = Meter(lambda done, total: None, unwanted=lambda: True)
    with (
        pytest.raises(sqlite3.OperationalError) as caught,
        meter.counting(conn, 1),
    ):
        conn.execute(_WORK.format(10_000_000)).fetchall()
    assert faults.is_interrupt(caught.value)
    conn.execute("CREATE TABLE t (a)")
    with (
        closing(sqlite3.connect(tmp_path / "copy.db")) as copy,
        pytest.raises(sqlite3.OperationalError) as caught,
    ):
        conn.backup(copy, pages=1, progress=meter.copied)
    assert faults.is_interrupt(caught.value)
