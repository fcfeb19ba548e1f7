"""A daemon without a config is set up in place. Its restart is in tests/browser/test_setup.py."""

import json
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.system.daemon import Daemon, Json, demo_agent
from tests.system.waiting import wait_until

pytestmark = pytest.mark.slow
SECRET = "not-for-the-browser"


@pytest.fixture
def bare(tmp_path: Path) -> Iterator[Daemon]:
    """A daemon in a folder without a config."""
    daemon = Daemon(tmp_path, {})
    daemon.config.unlink()
    try:
        yield daemon
    finally:
        daemon.dispose()


def status(daemon: Daemon) -> str:
    """As health says to anybody."""
    return daemon.request("GET", "/api/health")[1]["status"]


def save(daemon: Daemon, config: Json) -> tuple[int, Json]:
    """Save over what the file is now."""
    revision = daemon.get("/api/setup")["revision"]
    return daemon.request("POST", "/api/setup", {"revision": revision, "config": config})


def test_from_a_bare_folder_to_a_room_and_another_agent(bare: Daemon):
    bare.start("--port", "0")
    assert status(bare) == "setup"
    code, refused = bare.request("GET", "/api/bootstrap")
    assert (code, refused["error"]["code"]) == (503, "RUNTIME_STARTING")
    assert "set up" in refused["error"]["message"]
    assert refused["error"]["details"]["status"] == "setup"
    draft = bare.get("/api/setup")
    assert not draft["exists"]
    assert draft["config"] == {"agents": {}, "server": {"port": bare.port}}

    agent = {"driver": "demo", "cwd": ".", "env": {"A_KEY": SECRET}}
    code, refused = save(bare, {"agents": {"ada": {**agent, "cwd": "nowhere"}}})
    assert code == 400
    assert refused["error"]["details"]["path"] == "agents.ada.cwd"
    assert not bare.config.exists()
    assert status(bare) == "setup"

    code, answer = save(bare, {**draft["config"], "agents": {"ada": agent}})
    assert (code, answer["restartRequired"], answer["pendingRestart"]) == (200, False, [])
    wait_until(lambda: status(bare) == "ready", "the room on the same port")
    assert stat.S_IMODE(bare.config.stat().st_mode) == 0o600
    bare.send("hello", "agent:ada")

    draft = bare.get("/api/setup")
    assert SECRET not in json.dumps(draft)
    agents = {**draft["config"]["agents"], "bob": demo_agent()}
    code, answer = save(bare, {**draft["config"], "agents": agents})
    assert (code, answer["restartRequired"]) == (200, True)
    assert answer["pendingRestart"] == ["agent:bob"]
    assert json.loads(bare.config.read_text())["agents"]["ada"]["env"] == {"A_KEY": SECRET}
    assert bare.get("/api/health")["agents"]["agent:bob"] == "pending_restart"
    code, refused = bare.request(
        "POST", "/api/messages", {"clientCommandId": "c", "to": ["agent:bob"], "content": "hi"}
    )
    assert (code, refused["error"]["code"]) == (404, "UNKNOWN_TARGET")

    assert bare.terminate() == 0
    bare.assert_no_processes()
    bare.assert_no_port()


def test_a_signal_ends_the_setup_and_a_second_run_is_refused(bare: Daemon):
    bare.start("--port", "0")
    second = bare.cli("run", "--port", "0", check=False)
    assert second.returncode == 1
    assert "already runs" in second.stderr
    assert bare.terminate() == 0
    assert bare.run_files() == []
    assert not bare.config.exists()
    bare.assert_no_processes()
    bare.assert_no_port()
