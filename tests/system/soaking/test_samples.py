"""The judgement of a soak: what is flat passes, what grows does not."""

import math

import pytest

from tests.system.soaking.samples import BOUNDS, Slope, slope_of, windowed

MINUTES = 3
TIMES = range(MINUTES * 60)


@pytest.mark.parametrize("name", BOUNDS)
def test_a_flat_figure_is_flat(name: str) -> None:
    wavering = [(at, 100 + math.sin(at)) for at in TIMES]
    assert slope_of(name, wavering).is_flat


@pytest.mark.parametrize("name", BOUNDS)
def test_a_figure_that_doubles_every_minute_is_not(name: str) -> None:
    slope = slope_of(name, [(at, 500 * 2 ** (at / 60)) for at in TIMES])
    assert not slope.is_flat
    assert "**grows**" in slope.row()


def test_a_leak_of_a_descriptor_in_half_a_minute_is_seen() -> None:
    assert not slope_of("descriptors", [(at, 300 + at // 30) for at in TIMES]).is_flat


def test_falling_is_well() -> None:
    assert Slope(name="resident memory", mean=100, per_minute=-50).is_flat


def test_a_window_has_one_value() -> None:
    points = [(0.0, 1.0), (1.0, 9.0), (9.9, 5.0), (10.0, 7.0)]
    assert windowed(points, 0.5, 10) == [(0, 5.0), (10, 7.0)]


def test_a_slope_is_told_by_the_minute() -> None:
    slope = slope_of("turn p50", [(at, 500 + at) for at in TIMES])
    assert slope.per_minute == pytest.approx(60)
    assert slope.mean == pytest.approx(500 + 179 / 2)
