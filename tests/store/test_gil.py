"""The interpreter lock is given away only when the store has work and the loop does not wait."""

import pytest

from groupx.store import gil
from groupx.store.gil import GilYield


@pytest.mark.parametrize(
    ("timeout", "pending", "yields"),
    [(0.0, 1, True), (0.0, 0, False), (0.5, 1, False), (0.5, 0, False)],
)
def test_when_it_yields(
    monkeypatch: pytest.MonkeyPatch, timeout: float, pending: int, yields: bool
) -> None:
    slept: list[float] = []
    monkeypatch.setattr(gil.time, "sleep", slept.append)
    GilYield(lambda: pending).before_io_wait(timeout)
    assert bool(slept) is yields
