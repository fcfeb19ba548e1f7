"""A real room whose files are taken away while it runs: it says so, and promises nothing more."""

import shutil
from pathlib import Path

import pytest

from tests.system.conftest import MakeDaemon
from tests.system.daemon import Daemon, demo_agent, of_turn
from tests.system.waiting import wait_until

pytestmark = [pytest.mark.slow, pytest.mark.timeout(120)]


def store_state(daemon: Daemon) -> str:
    return daemon.get("/api/health")["store"]["state"]


def database(daemon: Daemon) -> Path:
    [found] = daemon.data.glob("*.db")
    return found


def test_what_was_taken_away_is_said_without_a_post(make_daemon: MakeDaemon) -> None:
    """A replaced database heals when it is back; one without its -wal stops in order."""
    daemon = make_daemon({"ada": demo_agent(pace=0.05)})
    daemon.start()
    file = database(daemon)
    away = file.with_name("away")
    file.rename(away)
    shutil.copy(away, file)
    wait_until(lambda: store_state(daemon) == "failed", "a store that says it failed")
    status = daemon.cli("status").stdout
    assert f"{file} was removed, moved or replaced" in status
    message = {"clientCommandId": "once", "to": ["agent:ada"], "content": "a long answer please"}
    refused = daemon.post("/api/messages", message, status=503)
    assert refused["error"]["code"] == "STORE_UNAVAILABLE"
    assert [event for event in daemon.history() if event["type"] == "message.created"] == []

    away.rename(file)
    wait_until(lambda: store_state(daemon) == "ok", "a store that is well")
    with daemon.stream() as events:
        turn_id = daemon.post("/api/messages", message)["turns"][0]["turnId"]
        events.until(of_turn(turn_id, "turn.content.delta"), "the first words")
    known = [event["eventId"] for event in daemon.history()]

    file.with_name(f"{file.name}-wal").unlink()
    wait_until(lambda: store_state(daemon) == "failed", "a store that says it failed again")
    assert daemon.terminate() == 0
    daemon.start()
    assert [event["eventId"] for event in daemon.history()][: len(known)] == known
    assert daemon.terminate() == 0


def test_a_lost_lease_ends_the_room_and_leaves_the_second_alone(make_daemon: MakeDaemon) -> None:
    daemon = make_daemon({"ada": demo_agent()})
    daemon.start()
    second = Daemon(daemon.folder, {"ada": demo_agent()})
    for lock_file in daemon.data.glob("*.lock"):
        lock_file.unlink()
    second.start()
    try:
        assert daemon.wait() == 70
        assert "lock file" in daemon.said()
        assert "another GroupX can open this room" in daemon.said()
        second.wait_idle()
        with second.stream() as events:
            turn_id = second.send("hello")["turns"][0]["turnId"]
            events.until(of_turn(turn_id, "turn.completed"), "the answer of the second")
        assert second.cli("status").returncode == 0
        assert second.terminate() == 0
        second.assert_no_processes()
    finally:
        second.dispose()
