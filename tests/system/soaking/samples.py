"""What is measured of a daemon under load, its slopes over time, and the bounds on them."""

import os
import statistics
import subprocess
from collections.abc import Sequence
from pathlib import Path

import attrs

from benchmarks.measure import percentile

Points = Sequence[tuple[float, float]]
"""(seconds, value), in any order."""


@attrs.frozen(kw_only=True)
class Bound:
    """The most that a figure may grow in a minute: a share of its mean, or `least` if more."""

    unit: str
    least: float
    share: float = 0.0


BOUNDS: dict[str, Bound] = {
    "resident memory": Bound(unit="MB", least=1.0, share=0.02),
    "descriptors": Bound(unit="", least=1.0),
    "threads": Bound(unit="", least=1.0),
    "accept p50": Bound(unit="ms", least=2.0, share=0.15),
    "accept p99": Bound(unit="ms", least=50.0, share=0.5),
    "turn p50": Bound(unit="ms", least=20.0, share=0.15),
    "turn p99": Bound(unit="ms", least=200.0, share=0.5),
}


@attrs.frozen(kw_only=True)
class Slope:
    """A figure's mean, and how it grows in a minute by least squares."""

    name: str
    mean: float
    per_minute: float

    @property
    def allowed(self) -> float:
        """The bound, of this mean."""
        bound = BOUNDS[self.name]
        return max(bound.least, bound.share * self.mean)

    @property
    def is_flat(self) -> bool:
        """Whether it stays within its bound; falling is well."""
        return self.per_minute <= self.allowed

    def row(self) -> str:
        """A line of Markdown."""
        unit = BOUNDS[self.name].unit
        return (
            f"| {self.name} | {self.mean:.1f} {unit} | {self.per_minute:+.2f} {unit}/min "
            f"| {self.allowed:.2f} {unit}/min | {'flat' if self.is_flat else '**grows**'} |"
        )


HEAD = "| figure | mean | slope | bound | |\n|---|---|---|---|---|"


def slope_of(name: str, points: Points) -> Slope:
    """Least squares over the points."""
    seconds, values = zip(*points, strict=True)
    line = statistics.linear_regression(seconds, values)
    return Slope(name=name, mean=statistics.fmean(values), per_minute=line.slope * 60)


def windowed(points: Points, share: float, seconds: float) -> Points:
    """The percentile `share` of each window of so many seconds."""
    windows: dict[int, list[float]] = {}
    for at, value in points:
        windows.setdefault(int(at // seconds), []).append(value)
    return [(n * seconds, percentile(values, share)) for n, values in sorted(windows.items())]


@attrs.frozen(kw_only=True)
class Sample:
    """One look at the daemon's process."""

    rss_mb: float
    descriptors: int
    threads: int


def look(pid: int) -> Sample:
    """From outside. Descriptors and threads are 0 where there is no /proc."""
    rss = subprocess.run(
        ["ps", "-o", "rss=", "-p", str(pid)], capture_output=True, text=True, check=True
    )
    folder = Path(f"/proc/{pid}")
    there = folder.exists()
    return Sample(
        rss_mb=int(rss.stdout) / 1024,
        descriptors=len(os.listdir(folder / "fd")) if there else 0,
        threads=len(os.listdir(folder / "task")) if there else 0,
    )
