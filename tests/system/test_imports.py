"""What a start does without: modules that are slow to import wait until somebody needs them."""

import subprocess
import sys

import pytest

from tests.system.conftest import MakeDaemon
from tests.system.daemon import demo_agent

pytestmark = pytest.mark.slow

A_ROOM = {
    "mcp": "no agent has used a tool",
    "pydantic": "as mcp",
    "quart": "no stream was asked for",
    "markdown_it": "nothing was looked at",
    "trio_websocket": "no agent is behind a socket",
    "groupx.adapters.codex": "no agent is driven by it",
    "groupx.adapters.claude": "the same",
    "groupx.store.exchange.html": "nothing is exported",
    "http.client": "the room calls nobody",
}
A_PROGRAM = {
    "groupx.demo_agent.__main__": ("attr", "trio", "http.client", "ssl", "asyncio", "socket"),
    "groupx.process.guardian_program": ("attr", "trio", "ssl", "json", "groupx.domain"),
    "groupx.adapters.registry": ("trio", "groupx.process", "groupx.adapters.contract"),
    "groupx.cli.status": ("trio", "structlog", "sqlite3", "groupx.store", "groupx.adapters"),
}
"""Each is started often, or is what every command needs (which drivers there are), and only some of
what the daemon imports is for it."""


def test_a_room_that_nobody_looks_at_yet(make_daemon: MakeDaemon):
    daemon = make_daemon({"ada": demo_agent()})
    daemon.program = [sys.executable, "-X", "importtime", "-m", "groupx"]
    daemon.start()
    daemon.wait_idle()
    daemon.kill()
    imported = {line.split("|")[-1].strip() for line in daemon.output if "|" in line}
    assert "groupx.runtime" in imported
    assert not imported & set(A_ROOM)


@pytest.mark.parametrize("program", A_PROGRAM)
def test_a_small_program(program: str):
    script = f"import sys, {program}; print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-S", "-c", script], capture_output=True, text=True, check=True,
        env={"PYTHONPATH": ":".join(sys.path)},
    )  # fmt: skip
    assert not set(done.stdout.split()) & set(A_PROGRAM[program])
