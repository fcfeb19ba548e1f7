"""A thousand questions among eight agents, at least eight at once, and their latencies.

`./dev asks [--asks 1000] [--at-once 12] [--write docs/agents.md]`. Exit code 1 when a question was
lost, took longer than it may, or left something behind.
"""
# ruff: noqa: T201

import argparse
import os
import platform
import sys
import tempfile
import time
from pathlib import Path

from tests.system.asking.load import LIMITS, Load, agents_of, figures, put_all, wrong
from tests.system.daemon import Daemon
from tests.system.marked_part import replace_part


def main() -> int:
    """The command line."""
    parser = argparse.ArgumentParser(prog="./dev asks", description=__doc__)
    parser.add_argument("--asks", type=int, default=1000)
    parser.add_argument("--at-once", type=int, default=12)
    parser.add_argument("--write", type=Path, help="a document with the marks of `asks` in it")
    options = parser.parse_args()
    load = Load(asks=options.asks, at_once=options.at_once)
    with tempfile.TemporaryDirectory(prefix="groupx-asks-") as name:
        folder = Path(name)
        daemon = Daemon(folder, agents_of(load, folder), limits=LIMITS)
        try:
            daemon.start()
            began = time.monotonic()
            measured = put_all(daemon, load, folder)
            seconds = time.monotonic() - began
            code = daemon.terminate(60)
            daemon.assert_no_processes()
            problems = wrong(measured, load, daemon.data / "groupx-local.db")
        finally:
            daemon.dispose()
    if code:
        problems.append(f"the daemon stopped with {code}: {daemon.said()}")
    machine = f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores"
    text = (
        f"{len(measured.records)} questions in {seconds:.0f} s on {time.strftime('%Y-%m-%d')}, "
        f"{machine}, Python {platform.python_version()}, up to {measured.at_once} calls at once:"
        "\n\n"
        f"{figures(measured)}"
    )
    print(text)
    for problem in problems:
        print(f"WRONG: {problem}")
    if options.write and not problems:
        replace_part(options.write, "asks", text)
    return int(bool(problems))


if __name__ == "__main__":
    sys.exit(main())
