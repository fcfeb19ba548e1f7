"""The real daemon, with demo agents as real processes: start, talk, stop, be killed, come back."""

import json
import os
import secrets
import signal
import stat
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from groupx.process.environment import RUN_VARIABLE, run_mark
from groupx.process.run_end import end_run
from tests.system.conftest import MakeDaemon
from tests.system.daemon import TERMINAL, Daemon, demo_agent, of_turn
from tests.system.waiting import wait_until

pytestmark = [pytest.mark.slow, pytest.mark.timeout(120)]


def answers(daemon: Daemon) -> dict[str, str]:
    """What agents said: actor → content."""
    return {
        event["actor"]["actorId"]: event["body"]["content"]
        for event in daemon.history()
        if event["type"] == "message.created" and event["actor"]["kind"] == "agent"
    }


def turn_ids(accepted: dict[str, Any]) -> dict[str, str]:
    """Target → turn id."""
    return {turn["target"]: turn["turnId"] for turn in accepted["turns"]}


def assert_sound(daemon: Daemon) -> None:
    """Every event once, in order, and at most one end for each turn."""
    events = daemon.history()
    seqs = [event["seq"] for event in events]
    assert seqs == sorted(set(seqs))
    assert len({event["eventId"] for event in events}) == len(events)
    ends = Counter(event["body"]["turnId"] for event in events if event["type"] in TERMINAL)
    assert all(count == 1 for count in ends.values()), ends


def test_a_message_to_everyone_is_answered_by_each_and_the_stop_leaves_nothing(daemon: Daemon):
    with daemon.stream() as events:
        accepted = daemon.send("hello")
        turns = turn_ids(accepted)
        assert set(turns) == {"agent:ada", "agent:bob"}
        for turn_id in turns.values():
            events.until(of_turn(turn_id, "turn.completed"), f"the end of {turn_id}")
    said = answers(daemon)
    assert set(said) == {"agent:ada", "agent:bob"}
    assert all("hello" in text for text in said.values())
    assert len(daemon.left_processes()) >= 2
    assert_sound(daemon)

    assert daemon.terminate() == 0
    daemon.assert_no_processes()
    daemon.assert_no_port()
    assert daemon.run_files() == []
    assert "Traceback" not in daemon.said()


def test_the_stop_is_an_order_everyone_is_told_about(make_daemon: MakeDaemon):
    daemon = make_daemon({"ada": demo_agent(pace=0.05)})
    daemon.start()
    with daemon.stream() as events:
        turn_id = turn_ids(daemon.send("a long answer please"))["agent:ada"]
        events.until(lambda event: event["type"] == "turn.content.delta", "the first words")
        queued = turn_ids(daemon.send("hello"))["agent:ada"]
        assert daemon.terminate() == 0
        while events.next() is not None:  # the stream ends by itself
            pass
    daemon.assert_no_processes()
    daemon.start()
    with daemon.stream() as events:
        end = events.until(of_turn(turn_id, *TERMINAL), "the end of the running turn")
        assert end["type"] == "turn.cancelled"
        assert end["body"]["reason"] == "runtime_stop"
        events.until(of_turn(queued, "turn.completed"), "the queued turn runs after the restart")
    assert_sound(daemon)


def test_a_killed_daemon_leaves_no_agent_and_the_next_one_goes_on(make_daemon: MakeDaemon):
    daemon = make_daemon({"ada": demo_agent(pace=0.05), "bob": demo_agent()})
    daemon.start()
    with daemon.stream() as events:
        running = turn_ids(daemon.send("a long answer please", "agent:ada"))["agent:ada"]
        events.until(of_turn(running, "turn.content.delta"), "the first words")
        waiting = [turn_ids(daemon.send(f"hello {n}", "agent:ada"))["agent:ada"] for n in (1, 2)]
    before = daemon.history()
    daemon.kill()
    daemon.assert_no_processes()

    daemon.start()
    with daemon.stream() as events:
        end = events.until(of_turn(running, *TERMINAL), "the end of the interrupted turn")
        for turn_id in waiting:
            events.until(of_turn(turn_id, "turn.completed"), f"queued {turn_id} runs")
    assert end["type"] == "turn.interrupted"
    assert end["body"]["errorCode"] == "TURN_INTERRUPTED"
    assert end["body"]["deliveryCertainty"] == "delivered"
    after = daemon.history()
    assert after[: len(before)] == before
    assert_sound(daemon)
    (notice,) = daemon.get("/api/bootstrap")["notices"]
    assert "1 turn interrupted" in notice["message"]

    settled = daemon.history()
    assert daemon.terminate() == 0
    daemon.start()
    kept = [event for event in daemon.history() if not event["type"].startswith("session.")]
    assert kept == [event for event in settled if not event["type"].startswith("session.")]
    assert daemon.get("/api/bootstrap")["notices"] == []


def test_a_second_run_is_told_of_the_first(daemon: Daemon):
    for port in (str(daemon.port), "0"):
        second = daemon.cli("run", "--port", port, check=False)
        assert second.returncode == 1
        assert f"already runs on http://127.0.0.1:{daemon.port}/" in second.stderr
    assert daemon.get("/api/health")["status"] == "ready"


def test_a_room_of_another_config_on_the_port_is_left_alone(
    daemon: Daemon, make_daemon: MakeDaemon
):
    other = make_daemon()
    refused = other.cli("run", "--port", str(daemon.port), check=False)
    assert refused.returncode == 1
    assert "another config" in refused.stderr
    assert not other.data.exists()
    for command in ("stop", "status"):
        assert str(daemon.port) not in other.cli(command, check=False).stdout
    assert daemon.get("/api/health")["status"] == "ready"


def test_two_configs_never_share_a_database(daemon: Daemon, make_daemon: MakeDaemon):
    (database,) = daemon.data.glob("groupx*.db")
    other = make_daemon(storage={"path": str(database)})
    refused = other.cli("run", check=False)
    assert refused.returncode == 1
    assert str(database) in refused.stderr
    assert "Traceback" not in refused.stderr
    assert daemon.get("/api/health")["status"] == "ready"


def test_an_agent_that_cannot_start_holds_up_nobody(make_daemon: MakeDaemon):
    missing = {"driver": "acp", "command": "/nonexistent/agent", "cwd": "."}
    daemon = make_daemon({"ada": demo_agent(), "lost": missing})
    daemon.start()
    with daemon.stream() as events:
        turns = turn_ids(daemon.send("hello"))
        events.until(of_turn(turns["agent:ada"], "turn.completed"), "ada's answer")
        failed = events.until(of_turn(turns["agent:lost"], "turn.failed"), "lost fails", 60)
    assert failed["body"]["errorCode"] == "ADAPTER_START_FAILED"
    assert failed["body"].get("deliveryCertainty", "not_delivered") == "not_delivered"
    assert daemon.get("/api/health")["agents"]["agent:lost"] == "failed"
    assert daemon.terminate() == 0
    daemon.assert_no_processes()


def test_ctrl_c_twice_is_quicker_and_still_orderly(make_daemon: MakeDaemon):
    daemon = make_daemon({"ada": demo_agent(pace=0.05)})
    daemon.start()
    with daemon.stream() as events:
        turn_id = turn_ids(daemon.send("please ignore cancel"))["agent:ada"]
        events.until(of_turn(turn_id, "turn.content.delta"), "the first words")
        assert daemon.process is not None
        daemon.process.send_signal(signal.SIGINT)
        while events.next() is not None:
            pass
        assert daemon.signal(signal.SIGINT, 10) == 0
    daemon.assert_no_processes()
    daemon.assert_no_port()
    assert daemon.run_files() == []


def test_a_room_that_is_still_starting_can_be_stopped(make_daemon: MakeDaemon):
    daemon = make_daemon()
    daemon.launch()
    wait_until(lambda: "runtime.json" in daemon.run_files(), "the port is written down")
    assert daemon.terminate() == 0
    daemon.assert_no_processes()
    assert daemon.run_files() == []
    assert "Traceback" not in daemon.said()


def test_everything_in_the_data_directory_is_private(make_daemon: MakeDaemon):
    daemon = make_daemon()
    before = os.umask(0)
    try:
        daemon.start()
    finally:
        os.umask(before)
    with daemon.stream() as events:
        turns = turn_ids(daemon.send("hello", "agent:ada"))
        events.until(of_turn(turns["agent:ada"], "turn.completed"), "ada's answer")
    for path in (daemon.data, *daemon.data.rglob("*")):
        mode = stat.S_IMODE(path.stat().st_mode)
        assert mode == (0o700 if path.is_dir() else 0o600), path


def test_no_secret_is_printed_or_in_an_argv(daemon: Daemon):
    opened = daemon.cli("open", DISPLAY="", WAYLAND_DISPLAY="")
    code = opened.stdout.strip().rpartition("code=")[2]
    assert len(code) > 20
    assert daemon.terminate() == 0
    assert daemon.token not in daemon.said()
    assert "code=" not in daemon.said()


def test_start_status_restart_stop(make_daemon: MakeDaemon):
    daemon = make_daemon()
    assert daemon.cli("status", check=False).returncode == 1
    started = daemon.cli("start", "--no-open")
    assert "The room runs on http://127.0.0.1:" in started.stdout
    try:
        first = json.loads(daemon.cli("status", "--json").stdout)
        daemon.port = int(first["url"].rsplit(":", 1)[1].rstrip("/"))
        assert first["health"]["status"] == "ready"
        assert "agent:ada" in daemon.cli("status").stdout
        assert "already runs" in daemon.cli("start").stdout
        with daemon.stream() as events:
            turn_id = turn_ids(daemon.send("hello", "agent:ada"))["agent:ada"]
            events.until(of_turn(turn_id, "turn.completed"), "ada's answer")
            old = daemon.left_processes()
            assert "was restarted" in daemon.cli("restart").stdout
        assert not set(old) & set(daemon.left_processes())
        second = json.loads(daemon.cli("status", "--json").stdout)
        daemon.port = int(second["url"].rsplit(":", 1)[1].rstrip("/"))
        assert set(answers(daemon)) == {"agent:ada"}
    finally:
        stopped = daemon.cli("stop")
    assert "is stopped" in stopped.stdout
    daemon.assert_no_processes()
    daemon.assert_no_port()
    assert daemon.run_files() == []
    assert "No room" in daemon.cli("stop").stdout
    log = (daemon.data / "groupx.log").read_text()
    assert daemon.token not in log
    assert "code=" not in log


@pytest.mark.parametrize("how", ["run", "start"])
def test_a_room_that_an_agent_starts_is_not_a_straggler_of_the_agents_room(
    how: str, make_daemon: MakeDaemon
):
    daemon = make_daemon({"ada": demo_agent()})
    other = secrets.token_hex(16)
    mark = {RUN_VARIABLE: f"{other}.1"}
    if how == "run":
        daemon.start(**mark)
    else:
        daemon.cli("start", **mark)
    try:
        assert end_run(run_mark(other), {}, seconds=5) == set()
        assert "ready on" in daemon.cli("status").stdout
    finally:
        daemon.cli("stop")
    daemon.assert_no_processes()


def test_a_start_that_fails_shows_why(make_daemon: MakeDaemon):
    daemon = make_daemon()
    daemon.data.mkdir()
    (daemon.data / "groupx-local.db").write_bytes(b"x" * 5000)
    failed = daemon.cli("start", check=False)
    assert failed.returncode == 1
    assert failed.stderr.count("not a database") == 1
    assert (daemon.data / "groupx-local.db").read_bytes() == b"x" * 5000
    foreground = daemon.cli("run", check=False)
    assert foreground.returncode == 1
    assert foreground.stderr.count("not a database") == 1
    assert "Traceback" not in foreground.stderr
    daemon.assert_no_processes()
    assert daemon.run_files() == []


def test_what_is_odd_about_a_config_is_said_at_the_start_and_in_the_room(make_daemon: MakeDaemon):
    brain = {"driver": "demo", "cwd": ".", "env": {"KEY": "secret"}}
    daemon = make_daemon(assistant={"enabled": False, "name": "Helper", "brain": brain})
    daemon.config.chmod(0o644)
    for started in (daemon.start, lambda: daemon.cli("start")):
        done = started()
        said = daemon.said() if done is None else done.stderr
        assert said.count("chmod 600") == 1
        if done is None:
            codes = [notice["code"] for notice in daemon.get("/api/bootstrap")["notices"]]
            assert codes == ["config_readable"]
            assert daemon.terminate() == 0
    daemon.cli("stop")


def test_a_damaged_token_is_refused_before_anything_starts(make_daemon: MakeDaemon):
    daemon = make_daemon()
    daemon.data.mkdir()
    (daemon.data / "token").write_text("short\n")
    refused = daemon.cli("run", check=False)
    assert refused.returncode == 1
    assert "holds no token" in refused.stderr
    assert "Traceback" not in refused.stderr


def test_a_room_in_memory_is_gone_with_the_daemon(make_daemon: MakeDaemon):
    daemon = make_daemon({"ada": demo_agent()})
    daemon.env["GROUPX_DB"] = ":memory:"
    daemon.start()
    with daemon.stream() as events:
        turn_id = turn_ids(daemon.send("hello"))["agent:ada"]
        events.until(of_turn(turn_id, "turn.completed"), "ada's answer")
    assert daemon.get("/api/bootstrap")["database"]["path"] == ":memory:"
    assert not list(daemon.data.glob("*.db*"))
    assert daemon.cli("stop").returncode == 0
    assert daemon.wait() == 0
    daemon.start()
    assert answers(daemon) == {}
    assert daemon.terminate() == 0


def test_the_demo_runs_without_a_config(tmp_path: Path, make_daemon: MakeDaemon):
    daemon = make_daemon()
    environment = {"XDG_DATA_HOME": str(tmp_path / "home")}
    demo = tmp_path / "home/groupx/demo"
    daemon.env |= environment
    daemon.data = demo / ".groupx"
    daemon.argv = lambda *argv: [*Daemon.argv(daemon, *argv)[:-2], "--demo"]
    daemon.start("--port", "0", "--reset")
    with daemon.stream() as events:
        for turn_id in turn_ids(daemon.send("hello")).values():
            events.until(of_turn(turn_id, "turn.completed"), f"the end of {turn_id}")
    assert len(answers(daemon)) == 3
    assert "running" in daemon.cli("run", "--reset", check=False).stderr
    assert daemon.terminate() == 0
    daemon.start("--port", "0")
    assert len(answers(daemon)) == 3
    assert daemon.terminate() == 0


def test_a_daemon_that_loses_its_terminal_still_stops(daemon: Daemon):
    assert daemon.signal(signal.SIGHUP) == 0
    wait_until(lambda: not daemon.run_files(), "an empty run folder")
    daemon.assert_no_processes()
