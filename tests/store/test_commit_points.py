from pathlib import Path

import pytest

from groupx.domain.kill_points import BESIDE, POINTS
from groupx.store import executor
from groupx.store.commit_points import COMMIT_POINTS
from tests.store.fault_bench import Bench, code, say


def test_every_commit_that_is_a_point_is_one_of_a_transaction() -> None:
    named = {point for point in (*POINTS, *BESIDE) if point.endswith(".committed")}
    assert set(COMMIT_POINTS.values()) == named - {"invoke.committed"}  # the turn's own task


def test_a_point_is_passed_once_for_each_write_that_is_in_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench = Bench(tmp_path / "ledger.sqlite3")
    found: list[tuple[str, int]] = []
    monkeypatch.setattr(executor, "passed", lambda point: found.append((point, len(bench.kept()))))
    one, other, nobody = say("one"), say("two"), say("three", to=("agent:nobody",))
    bench.submit(one, nobody, other)
    assert [code(job) for job in (one, nobody, other)] == ["done", "UNKNOWN_TARGET", "done"]
    assert found == [("accept.committed", 2)] * 2
    bench.close()
