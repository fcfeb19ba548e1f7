"""A daemon that is killed in the middle of a turn asks Codex at its next start how it ended."""

import json
import signal
import sys
from pathlib import Path
from typing import Any

import pytest

from conformance.app_server_scenario import BEGINS, ends, says
from tests.system.conftest import MakeDaemon
from tests.system.daemon import TERMINAL, Daemon, of_turn
from tests.system.waiting import wait_until

pytestmark = [pytest.mark.slow, pytest.mark.timeout(120)]

PROGRAM = Path(__file__).parents[2] / "conformance" / "agents" / "app_server_scripted.py"
HANG = {"hang": True}


class Codex:
    """A scripted app-server whose every process writes a log of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.scenario = folder / "scenario.json"

    def does(self, scenario: dict[str, Any]) -> None:
        self.scenario.write_text(json.dumps(scenario))

    @property
    def config(self) -> dict[str, Any]:
        words = f'exec "{sys.executable}" -E -s -S "{PROGRAM}" "{self.scenario}"'
        command = ["sh", "-c", f'{words} "{self.folder}/codex.$$.log"']
        return {"driver": "codex", "command": command, "cwd": "."}

    def sent(self, method: str) -> list[dict[str, Any]]:
        """What all its processes were sent."""
        lines = [
            json.loads(line)
            for log in sorted(self.folder.glob("codex.*.log"))
            for line in log.read_bytes().split(b"\n")[:-1]
        ]
        return [line for line in lines if line.get("method") == method]


@pytest.fixture
def codex(tmp_path: Path) -> Codex:
    return Codex(tmp_path)


def last_of(daemon: Daemon, turn_id: str) -> dict[str, Any]:
    with daemon.stream() as events:
        return events.until(of_turn(turn_id, *TERMINAL), "its end")


def attempt_of(daemon: Daemon, turn_id: str) -> dict[str, Any]:
    [attempt] = daemon.get(f"/api/turns/{turn_id}")["attempts"]
    return attempt


def test_a_turn_that_ended_without_us_is_completed(make_daemon: MakeDaemon, codex: Codex):
    """Killed before anything was heard of the turn: its attempt's id is the proof."""
    codex.does({"turn/start": [[HANG]]})
    daemon = make_daemon({"codex": codex.config})
    daemon.start()
    turn_id = daemon.send("please", "agent:codex")["turns"][0]["turnId"]
    wait_until(lambda: codex.sent("turn/start"), "the prompt")
    daemon.kill()

    [start] = codex.sent("turn/start")
    prompt = {"type": "userMessage", "id": "u", "clientId": start["params"]["clientUserMessageId"]}
    answer = {"type": "agentMessage", "id": "m", "text": "done without you"}
    record = {"id": "turn-1", "status": "completed", "items": [prompt, answer], "error": None}
    codex.does({"turns": [record], "turn/start": [[*BEGINS, says("on"), ends()]]})
    daemon.start()
    assert last_of(daemon, turn_id)["type"] == "turn.completed"
    said = [e["body"]["content"] for e in daemon.history() if e["type"] == "message.created"]
    assert said == ["please", "done without you"]
    attempt = attempt_of(daemon, turn_id)
    assert (attempt["reconciliation"], attempt["deliveryCertainty"]) == (
        "matched_terminal",
        "delivered",
    )
    assert len(codex.sent("turn/start")) == 1

    next_turn = daemon.send("and then?", "agent:codex")["turns"][0]["turnId"]
    assert last_of(daemon, next_turn)["type"] == "turn.completed"
    resumed = [resume["params"]["threadId"] for resume in codex.sent("thread/resume")]
    assert resumed == ["thread-1"]


def test_a_turn_that_codex_does_not_know_is_interrupted(make_daemon: MakeDaemon, codex: Codex):
    codex.does({"turn/start": [[*BEGINS, says("half"), HANG]]})
    daemon = make_daemon({"codex": codex.config})
    daemon.start()
    turn_id = daemon.send("please", "agent:codex")["turns"][0]["turnId"]
    with daemon.stream() as events:
        events.until(of_turn(turn_id, "turn.started"), "its start")
    daemon.kill()

    refusal = {"error": {"code": -32600, "message": "thread not loaded: thread-1"}}
    codex.does({"thread/turns/list": [refusal]})
    daemon.launch(GROUPX_KILL_AT="recovery.phase2")
    assert daemon.wait() == -signal.SIGKILL, daemon.said()
    daemon.start()
    end = last_of(daemon, turn_id)
    assert end["type"] == "turn.interrupted"
    assert end["body"]["errorCode"] == "TURN_INTERRUPTED"
    assert end["body"]["reconciliation"] == "not_found"
    assert end["body"]["deliveryCertainty"] == "delivered"
    assert attempt_of(daemon, turn_id)["reconciliation"] == "not_found"
    assert len(codex.sent("turn/start")) == 1
