"""Run the rows in interleaved rounds, print medians with their spread, write and compare JSON."""

import argparse
import datetime
import json
import os
import platform
import statistics
from pathlib import Path

from benchmarks.rows import accept, memory, search, search_holdup, turn, upgrade

ROWS = {
    "accept": accept.measure,
    "turn": turn.measure,
    "memory": memory.measure,
    "upgrade": upgrade.measure,
    "search": search.measure,
    "search holdup": search_holdup.measure,
}
ORDINARY = ["accept", "turn", "memory"]


def run(names: list[str], rounds: int, quick: bool) -> dict[str, list[float]]:
    """Figure name → its value in every round; the rows take turns, so that drift hits all alike."""
    figures: dict[str, list[float]] = {}
    for number in range(rounds):
        for name in names:
            print(f"round {number + 1}/{rounds}: {name}", flush=True)
            for figure, value in ROWS[name](quick).items():
                figures.setdefault(figure, []).append(value)
    return figures


def table(figures: dict[str, list[float]], baseline: dict[str, list[float]]) -> str:
    """One line per figure: median, lowest to highest, and the ratio to the baseline's median."""
    lines = [f"{'figure':34} {'median':>10} {'low':>10} {'high':>10} {'vs base':>8}"]
    for name, values in figures.items():
        middle = statistics.median(values)
        old = statistics.median(baseline[name]) if name in baseline else None
        ratio = f"{middle / old:.2f}x" if old else "-"
        lines.append(f"{name:34} {middle:10.2f} {min(values):10.2f} {max(values):10.2f} {ratio:>8}")
    return "\n".join(lines)


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(prog="benchmarks", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="only prove that every row runs")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only", choices=list(ROWS), action="append")
    parser.add_argument("--save", type=Path, help="write the figures as JSON")
    parser.add_argument("--against", type=Path, help="compare with figures saved before")
    options = parser.parse_args()
    figures = run(options.only or ORDINARY, 1 if options.quick else options.rounds, options.quick)
    baseline = json.loads(options.against.read_text())["figures"] if options.against else {}
    print(table(figures, baseline))
    if options.save:
        record = {
            "at": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
            "machine": f"{platform.machine()}, {os.cpu_count()} cores, {platform.system()}",
            "python": platform.python_version(),
            "quick": options.quick,
            "figures": figures,
        }
        options.save.write_text(json.dumps(record, indent=1) + "\n")


if __name__ == "__main__":
    main()
