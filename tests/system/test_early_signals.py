"""A signal at any point of a start means an orderly end: exit code 0, and nothing is left."""

import itertools
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.system.daemon import Daemon, demo_agent

pytestmark = pytest.mark.slow

MODULES = [
    "groupx.cli.failures",
    "click",
    "attr",
    "trio",
    "structlog",
    "hypercorn",
    "groupx.runtime",
]
"""Imported on the way, in about this order; `-X importtime` says when each has been."""
SIGNALS = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP]
EVERY = os.environ.get("GROUPX_SIGNALS") == "all"
WHEN = list(
    itertools.product(MODULES, SIGNALS) if EVERY else zip(MODULES, itertools.cycle(SIGNALS))
)
"""Each moment with one signal, and each signal at two moments or more; GROUPX_SIGNALS=all: all."""


@pytest.mark.parametrize(("module", "number"), WHEN)
def test_while_it_is_still_being_imported(tmp_path: Path, module: str, number: signal.Signals):
    daemon = Daemon(tmp_path, {"ada": demo_agent()})
    said = _signalled(daemon, lambda line: line.split("|")[-1].strip() == module, number)
    assert "Traceback" not in said
    daemon.assert_no_processes()
    assert not daemon.run_files()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_when_it_begins_again_without_the_mark(tmp_path: Path, number: signal.Signals):
    daemon = Daemon(tmp_path, {"ada": demo_agent()})
    daemon.env["GROUPX_RUN"] = "of-another-room"
    starts: list[str] = []

    def due(line: str) -> bool:
        module = line.rsplit("|", maxsplit=1)[-1].strip()
        if module == "site":  # every interpreter imports it once
            starts.append(module)
        return module == "groupx.runtime" and len(starts) == 2

    said = _signalled(daemon, due, number)
    assert "Traceback" not in said
    daemon.assert_no_processes()


@pytest.mark.parametrize("made", ["runtime.lock", "token", "groupx-local.db", "run/runtime.json"])
def test_while_the_room_is_being_opened(tmp_path: Path, made: str):
    daemon = Daemon(tmp_path, {"ada": demo_agent()})
    daemon.launch()
    assert daemon.process is not None
    try:
        while not (daemon.data / made).exists():
            assert daemon.process.poll() is None, daemon.said()
        assert daemon.terminate() == 0
    finally:
        daemon.dispose()
    assert "Traceback" not in daemon.said()
    daemon.assert_no_processes()
    assert not daemon.run_files()


def _signalled(daemon: Daemon, due: Callable[[str], bool], number: signal.Signals) -> str:
    """What it printed, without the import times; it must have ended with 0."""
    said: list[str] = []
    process = subprocess.Popen(
        [sys.executable, "-X", "importtime", "-m", "groupx", "run", "--config", str(daemon.config)],
        env=daemon.env, cwd=daemon.folder, text=True,
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
    )  # fmt: skip
    assert process.stderr is not None
    with process.stderr:
        for line in process.stderr:
            if not line.startswith("import time:"):
                said.append(line)
            elif due(line):
                process.send_signal(number)
                break
        said += [line for line in process.stderr if not line.startswith("import time:")]
    assert process.wait(30) == 0, said
    return "".join(said)
