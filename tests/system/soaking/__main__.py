"""The soak: eight agents, 32 posters, 200 streams for some minutes; then the slopes.

`./dev soak [--minutes 3] [--write docs/reliability.md]`. Exit code 1 when something grows, a
stream was not told of everything, or the ledger is not sound.
"""
# ruff: noqa: T201

import argparse
import os
import platform
import sys
import tempfile
import time
from pathlib import Path

import trio

from benchmarks.measure import percentile
from tests.system.daemon import Daemon, demo_agent
from tests.system.killing.checker import ledger_problems
from tests.system.killing.evidence import reading
from tests.system.marked_part import replace_part
from tests.system.soaking.load import Load, Measured, soak
from tests.system.soaking.samples import HEAD, Slope, slope_of, windowed

WARM_UP = 0.25
"""Share of the time that is not looked at: caches and rings fill."""
WINDOW_SECONDS = 15.0
RING_EVENTS = 512
"""So few that the ring of recent events is full long before the warm-up is over."""


def slopes(measured: Measured, load: Load) -> list[Slope]:
    """The figures after the warm-up."""
    after = load.seconds * WARM_UP
    samples = [(at, sample) for at, sample in measured.samples if after <= at <= load.seconds]
    found = [
        slope_of("resident memory", [(at, sample.rss_mb) for at, sample in samples]),
        slope_of("descriptors", [(at, sample.descriptors) for at, sample in samples]),
        slope_of("threads", [(at, sample.threads) for at, sample in samples]),
    ]
    for name, points in (("accept", measured.accepted), ("turn", measured.answered)):
        kept = [(at, value) for at, value in points if at >= after]
        for share in (0.5, 0.99):
            figure = f"{name} p{share * 100:.0f}"
            found.append(slope_of(figure, windowed(kept, share, WINDOW_SECONDS)))
    return found


def wrong(measured: Measured, found: list[Slope], ledger: list[str]) -> list[str]:
    """Everything that is not as it must be."""
    assert measured.idle_before is not None
    assert measured.idle_after is not None
    problems = [f"{slope.name} grows: {slope.row()}" for slope in found if not slope.is_flat]
    deaf = [told for told in measured.told if told != measured.posted]
    if deaf:
        problems.append(f"{len(deaf)} streams were told of {deaf[:5]} ends of {measured.posted}")
    left = measured.idle_after.descriptors - measured.idle_before.descriptors
    if left > 0:
        problems.append(f"{left} descriptors were left when everybody had gone")
    return problems + ledger


def report(measured: Measured, load: Load, found: list[Slope]) -> str:
    """Markdown, with the machine and the date."""
    machine = f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores"
    accepted = [value for _, value in measured.accepted]
    answered = [value for _, value in measured.answered]
    return "\n".join(
        [
            f"{load.seconds / 60:g} minutes on {time.strftime('%Y-%m-%d')}, {machine}, Python "
            f"{platform.python_version()}, together with its own {load.posters} posters and "
            f"{load.streams} readers: {measured.posted} messages, one from "
            f"each poster every {load.every_seconds:g} s, each answered once and told to "
            f"each stream. Accept p50 {percentile(accepted, 0.5):.1f} ms, p99 "
            f"{percentile(accepted, 0.99):.1f} ms; a whole turn p50 "
            f"{percentile(answered, 0.5):.0f} ms, p99 {percentile(answered, 0.99):.0f} ms.",
            "",
            HEAD,
            *[slope.row() for slope in found],
            "",
        ]
    )


def main() -> int:
    """The command line."""
    parser = argparse.ArgumentParser(prog="./dev soak", description=__doc__)
    parser.add_argument("--minutes", type=float, default=3.0)
    parser.add_argument("--write", type=Path, help="a document with the soak's marks in it")
    parser.add_argument("--every", type=float, default=20.0, help="seconds between two messages")
    options = parser.parse_args()
    load = Load(seconds=options.minutes * 60, every_seconds=options.every)
    with tempfile.TemporaryDirectory(prefix="groupx-soak-") as folder:
        agents = {f"agent{n}": demo_agent() for n in range(load.agents)}
        daemon = Daemon(Path(folder), agents, limits={"sseEvents": RING_EVENTS})
        try:
            daemon.launch()
            daemon.wait_ready(120)
            daemon.wait_idle(120)
            measured = trio.run(soak, daemon, load)
            code = daemon.terminate(60)
            with reading(daemon.data / "groupx-local.db") as conn:
                ledger = ledger_problems(conn)
        finally:
            daemon.dispose()
    if code:
        ledger.append(f"the daemon stopped with {code}: {daemon.said()}")
    found = slopes(measured, load)
    text = report(measured, load, found)
    print(text)
    problems = wrong(measured, found, ledger)
    for problem in problems:
        print(f"WRONG: {problem}")
    if options.write and not problems:
        replace_part(options.write, "soak", text)
    return int(bool(problems))


if __name__ == "__main__":
    sys.exit(main())
