"""A real `groupx run` for tests: its config, its process, its HTTP, and what it leaves behind."""

import http.client
import json
import os
import re
import secrets
import signal
import subprocess
import sys
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from groupx.process.killing import KILL_VARIABLE
from tests.system import processes
from tests.system.stream import Event, EventStream
from tests.system.waiting import wait_until

Json = dict[str, Any]
READY = re.compile(r"GroupX (?:is ready|can be set up) on http://127\.0\.0\.1:(\d+)/")
TERMINAL = {"turn.completed", "turn.failed", "turn.cancelled", "turn.interrupted"}


def demo_agent(pace: float = 0.0, **more: Any) -> Json:
    """The config of a demo agent that needs `pace` seconds for each word."""
    return {"driver": "demo", "cwd": ".", "env": {"DEMO_AGENT_PACE": str(pace)}, **more}


class Daemon:
    """One config in a folder of its own, and the daemon that runs it (or not)."""

    def __init__(self, folder: Path, agents: Mapping[str, Json], **config: Any) -> None:
        self.folder = folder
        self.config = folder / "groupx.json"
        self.data = folder / ".groupx"
        self.mark = secrets.token_hex(8)
        self.port = 0
        self.process: subprocess.Popen[str] | None = None
        self.output: list[str] = []
        """Lines of stdout and stderr of every run so far."""
        self.program = [sys.executable, "-m", "groupx"]
        self._readers: list[threading.Thread] = []
        self.env = {
            **{key: value for key, value in os.environ.items() if not key.startswith("GROUPX_")},
            processes.MARKER: self.mark,
            "XDG_DATA_HOME": str(folder / "xdg"),
            "PYTHONUNBUFFERED": "1",
        }
        document = {"server": {"port": 0}, "agents": agents, **config}
        self.config.write_text(json.dumps(document))
        self.config.chmod(0o600)

    # --- the process ------------------------------------------------------------------------

    def start(self, *options: str, **env: str) -> None:
        """`groupx run`, until it says that it is ready."""
        self.launch(*options, **env)
        self.wait_ready()

    def launch(self, *options: str, **env: str) -> None:
        """`groupx run`, without waiting."""
        assert self.process is None or self.process.poll() is not None
        self._settled = threading.Event()
        self.port = 0
        process = subprocess.Popen(
            self.argv("run", *options),
            env={**self.env, **env},
            cwd=self.folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
        )
        self.process = process
        reader = threading.Thread(target=self._read, args=(process, self._settled))
        reader.start()
        self._readers.append(reader)

    def wait_ready(self, seconds: float = 30.0) -> None:
        """Until the ready line."""
        assert self._settled.wait(seconds), f"not ready: {self.said()}"
        assert self.port, f"it ended: {self.said()}"

    def wait_idle(self, seconds: float = 30.0) -> None:
        """Until every agent has recovered, started its program and has nothing to do."""
        wait_until(
            lambda: set(self.get("/api/health")["agents"].values()) == {"idle"},
            "every agent at rest",
            seconds,
        )

    def terminate(self, seconds: float = 30.0) -> int:
        """SIGTERM, and its exit code."""
        return self.signal(signal.SIGTERM, seconds)

    def signal(self, number: signal.Signals, seconds: float = 30.0) -> int:
        """Any signal, and the exit code."""
        assert self.process is not None
        self.process.send_signal(number)
        return self.wait(seconds)

    def kill(self) -> None:
        """SIGKILL: no chance to tidy up."""
        assert self.signal(signal.SIGKILL) == -signal.SIGKILL

    def die_at(self, point: str, **env: str) -> None:
        """A run that kills itself there; nothing of it is left."""
        self.launch(**{KILL_VARIABLE: point}, **env)
        code = self.wait()
        assert code == -signal.SIGKILL, f"it was to die at {point}, and ended with {code}"
        self.assert_no_processes()

    def wait(self, seconds: float = 30.0) -> int:
        """Its exit code, once it has ended and everything it said has been read."""
        assert self.process is not None
        code = self.process.wait(seconds)
        for reader in self._readers:
            reader.join(10)
        return code

    def cli(self, *argv: str, check: bool = True, **env: str) -> subprocess.CompletedProcess[str]:
        """Another `groupx` command on the same config."""
        done = subprocess.run(
            self.argv(*argv),
            env={**self.env, **env},
            cwd=self.folder,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        assert not check or done.returncode == 0, (argv, done.stdout, done.stderr)
        return done

    def argv(self, *argv: str) -> list[str]:
        """`groupx …`, with this config."""
        return [*self.program, *argv, "--config", str(self.config)]

    def dispose(self) -> None:
        """Kill what is left; for the end of a test."""
        if self.process is not None and self.process.poll() is None:
            self.process.kill()
        for pid in self.left_processes():
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                continue
        if self.process is not None:
            self.wait()

    def said(self) -> str:
        """Everything it printed."""
        return "".join(self.output)

    def _read(self, process: subprocess.Popen[str], settled: threading.Event) -> None:
        assert process.stdout is not None
        with process.stdout:
            for line in process.stdout:
                self.output.append(line)
                if ready := READY.search(line):
                    self.port = int(ready[1])
                    settled.set()
        settled.set()

    # --- HTTP -------------------------------------------------------------------------------

    @property
    def token(self) -> str:
        """The bearer of its data directory."""
        return (self.data / "token").read_text().strip()

    def get(self, path: str) -> Json:
        """The JSON of a GET that succeeds."""
        status, body = self.request("GET", path)
        assert status == 200, (path, status, body)
        return body

    def post(self, path: str, body: Json | None = None, *, status: int = 202) -> Json:
        """The JSON of a POST that is answered with `status`; a command gets an id."""
        document = {"clientCommandId": secrets.token_hex(8), **(body or {})}
        found, answer = self.request("POST", path, document)
        assert found == status, (path, found, answer)
        return answer

    def request(self, method: str, path: str, body: Json | None = None) -> tuple[int, Json]:
        """One request with the token: status and JSON."""
        link = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
        headers = {"Authorization": f"Bearer {self.token}"}
        data = None
        if body is not None:
            headers["Content-Type"] = "application/json"
            data = json.dumps(body)
        try:
            link.request(method, path, body=data, headers=headers)
            response = link.getresponse()
            return response.status, json.loads(response.read() or b"null")
        finally:
            link.close()

    def send(self, content: str, *to: str) -> Json:
        """A message, to everyone unless `to` says otherwise: the accepted command."""
        return self.post("/api/messages", {"to": list(to) or ["@all"], "content": content})

    def stream(self, after_seq: int | None = 0) -> EventStream:
        """The room's events from `after_seq` on."""
        return EventStream(self.port, self.token, after_seq)

    def history(self) -> list[Event]:
        """Every durable event, oldest first."""
        events: list[Event] = []
        query = "?limit=200"
        while True:
            page = self.get(f"/api/history{query}")
            events = page["events"] + events
            if page["previousPage"] is None:
                return events
            query = f"?limit=200&beforeSeq={page['previousPage']['beforeSeq']}"

    # --- what it leaves behind --------------------------------------------------------------

    def left_processes(self) -> list[int]:
        """Processes of this daemon that live."""
        own = self.process.pid if self.process and self.process.poll() is None else 0
        return [pid for pid in processes.marked(self.mark) if pid != own]

    def assert_no_processes(self) -> None:
        """The daemon and everything it started is gone (a killed tree may need a moment)."""
        wait_until(
            lambda: not self.left_processes(),
            f"the end of {processes.describe(self.left_processes())}",
        )

    def assert_no_port(self) -> None:
        """Nobody listens any more."""
        link = http.client.HTTPConnection("127.0.0.1", self.port, timeout=5)
        try:
            link.connect()
        except ConnectionRefusedError:
            return
        finally:
            link.close()
        raise AssertionError(f"port {self.port} still answers")

    def run_files(self) -> list[str]:
        """What is in the run folder."""
        return sorted(entry.name for entry in (self.data / "run").glob("*"))


def of_turn(turn_id: str, *types: str) -> Any:
    """A predicate for events of one turn."""
    return lambda event: event["body"].get("turnId") == turn_id and event["type"] in types
