"""The whole form: every kill point × every driver × random passings, and the table of it.

`./dev kill [--rounds N] [--seed N] [--drivers acp,codex,claude] [--write docs/reliability.md]`.
Exit code 1 when the promise was broken once; the folder of such a case is kept.
"""
# ruff: noqa: T201

import argparse
import os
import platform
import random
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import attrs

from tests.system.killing.agents import FAMILIES
from tests.system.killing.case import Case, Result, run_case
from tests.system.killing.table import HEAD, rows
from tests.system.killing.upgrading import POINTS as UPGRADE_POINTS
from tests.system.killing.upgrading import UpgradeResult, run_upgrade, upgrade_rows
from tests.system.marked_part import replace_part

PASSINGS = {
    "accept.committed": 7,
    "claim.committed": 7,
    "invoke.committed": 7,
    "prompt.first_byte": 7,
    "prompt.written": 7,
    "started.committed": 6,
    "stream.mid": 20,
    "terminal.before": 6,
    "terminal.committed": 6,
}
"""Point → how often a case passes it for sure, two lanes together."""
RECOVERIES = {"recovery.phase1": ("acp", "claude"), "recovery.phase2": ("codex",)}
"""Point → the drivers whose recovery passes it with something open: phase 2 asks the program."""
HOLDS = (0, 0, 60, 600)
"""Milliseconds that a dying run stands still, so that the agent may act on what it got."""


@attrs.frozen
class NotDone:
    """A case that could not be carried out to its end."""

    problems: tuple[str, ...]


Work = Case | str
Found = Result | UpgradeResult | NotDone


def cases(drivers: list[str], rounds: int, chance: random.Random) -> Iterator[Work]:
    """Everything that is to be run."""
    for driver in drivers:
        for point, most in PASSINGS.items():
            for _ in range(rounds):
                yield Case(orders=(_order(point, most, chance),), driver=driver)
        for point, passed_by in RECOVERIES.items():
            for _ in range(rounds if driver in passed_by else 0):
                first = chance.choice(("invoke.committed", "started.committed", "stream.mid"))
                orders = (_order(first, 4, chance), *[f"{point}:1"] * chance.randint(1, 2))
                yield Case(orders=orders, driver=driver)
    yield from UPGRADE_POINTS


def _order(point: str, most: int, chance: random.Random) -> str:
    return f"{point}:{chance.randint(1, most)}:{chance.choice(HOLDS)}"


def run(work: Work, folder: Path) -> Found:
    """One case, told when it is done."""
    began = time.monotonic()
    try:
        found = run_upgrade(work, folder) if isinstance(work, str) else run_case(work, folder)
    except Exception as error:  # the other cases are still worth their result
        found = NotDone((repr(error),))
    name = work if isinstance(work, str) else f"{work.driver}: {', '.join(work.orders)}"
    print(f"{name}: {'BROKEN' if found.problems else 'kept'} ({time.monotonic() - began:.1f} s)")
    for problem in found.problems:
        print(f"  {problem[:2000]}\n  see {folder}")
    sys.stdout.flush()
    return found


def table(found: list[Found], seed: int) -> str:
    """The Markdown, with what it was made by."""
    lines = [HEAD, *rows(one for one in found if isinstance(one, Result))]
    lines += upgrade_rows([one for one in found if isinstance(one, UpgradeResult)])
    machine = f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores"
    done = [one for one in found if not isinstance(one, NotDone)]
    broken = sum(bool(one.problems) for one in done)
    made = (
        f"{len(done)} kills on {time.strftime('%Y-%m-%d')}, {machine}, Python "
        f"{platform.python_version()}, seed {seed}: the promise was kept "
        f"{len(done) - broken} times and broken {broken} times."
    )
    if len(done) < len(found):
        made += f" {len(found) - len(done)} more could not be carried out."
    return "\n".join([made, "", *lines, ""])


def main() -> int:
    """The command line."""
    parser = argparse.ArgumentParser(prog="./dev kill", description=__doc__)
    parser.add_argument("--rounds", type=int, default=2, help="for each point and driver")
    parser.add_argument("--seed", type=int, default=random.randrange(2**32))
    parser.add_argument("--drivers", default=",".join(FAMILIES))
    parser.add_argument("--at-once", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--write", type=Path, help="a document with the table's marks in it")
    options = parser.parse_args()
    chance = random.Random(options.seed)
    work = list(cases(options.drivers.split(","), options.rounds, chance))
    print(f"{len(work)} kills, seed {options.seed}", flush=True)
    folders = [Path(tempfile.mkdtemp(prefix="groupx-kill-")) for _ in work]
    with ThreadPoolExecutor(options.at_once) as pool:
        found = list(pool.map(run, work, folders))
    text = table(found, options.seed)
    print(f"\n{text}")
    for one, folder in zip(found, folders, strict=True):
        if not one.problems:
            shutil.rmtree(folder)
    if options.write:
        replace_part(options.write, "kill table", text)
    return int(any(one.problems for one in found))


if __name__ == "__main__":
    sys.exit(main())
