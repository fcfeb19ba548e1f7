"""A daemon of our own for one row: temporary folder, free port, demo agents without delay."""

import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import attrs
import trio

from benchmarks.client import Connection

START_SECONDS = 30.0


@attrs.frozen(kw_only=True)
class Daemon:
    """A running daemon."""

    port: int
    token: str
    pid: int

    async def connect(self) -> Connection:
        """A fresh connection with the token."""
        return await Connection.open(self.port, self.token)

    def rss_mb(self) -> float:
        """Resident memory of the daemon process alone, in MB."""
        out = subprocess.run(
            ["ps", "-o", "rss=", "-p", str(self.pid)], capture_output=True, text=True, check=True
        )
        return int(out.stdout) / 1024


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


async def _until_ready(port: int, process: subprocess.Popen[bytes]) -> None:
    with trio.fail_after(START_SECONDS):
        while True:
            if process.poll() is not None:
                raise RuntimeError(f"the daemon ended with {process.returncode} while starting")
            try:
                connection = await Connection.open(port, "")
                _, health = await connection.get("/api/health")
                await connection.aclose()
                if health["status"] == "ready":
                    return
            except OSError:
                pass
            await trio.sleep(0.02)


@contextmanager
def daemon(agents: int = 1) -> Iterator[Daemon]:
    """Start, wait until ready, and stop again; its folder is removed."""
    home = Path(tempfile.mkdtemp(prefix="groupx-bench-"))
    port = _free_port()
    config = {
        "transport": "structured",
        "server": {"port": port},
        "limits": {"queuePerAgent": 100_000},
        "agents": {
            f"agent{n}": {"driver": "demo", "cwd": str(home), "env": {"DEMO_AGENT_PACE": "0"}}
            for n in range(agents)
        },
    }
    (home / "groupx.json").write_text(json.dumps(config))
    environment = {k: v for k, v in os.environ.items() if not k.startswith("GROUPX_")}
    process = subprocess.Popen(
        [sys.executable, "-m", "groupx", "run", "--no-open", "--config", home / "groupx.json"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env=environment,
    )
    try:
        trio.run(_until_ready, port, process)
        token = (home / ".groupx" / "token").read_text().strip()
        yield Daemon(port=port, token=token, pid=process.pid)
    finally:
        process.terminate()
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        shutil.rmtree(home)
