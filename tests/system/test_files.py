"""Files of a real room: made while it runs and when it does not, and brought back."""

import json
import os
import sqlite3
import subprocess
from pathlib import Path

import pytest

from tests.system.conftest import MakeDaemon
from tests.system.daemon import Daemon, demo_agent, of_turn

pytestmark = [pytest.mark.slow, pytest.mark.timeout(120)]


def say(daemon: Daemon, text: str, to: str = "agent:ada") -> str:
    return daemon.send(text, to)["turns"][0]["turnId"]


def finished(daemon: Daemon, text: str) -> None:
    with daemon.stream() as events:
        turn_id = say(daemon, text)
        events.until(of_turn(turn_id, "turn.completed"), "the answer")


def exported(path: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in path.read_bytes().splitlines()]


def test_a_backup_while_a_turn_streams(make_daemon: MakeDaemon):
    daemon = make_daemon({"ada": demo_agent(pace=0.05)})
    daemon.start()
    with daemon.stream() as events:
        turn_id = say(daemon, "a long answer please")
        events.until(of_turn(turn_id, "turn.content.delta"), "the first words")
        made = daemon.post("/api/backup", status=200)
        daemon.post(f"/api/turns/{turn_id}/cancel")
        end = events.until(of_turn(turn_id, "turn.cancelled"), "the end of the turn")
    copy = sqlite3.connect(made["path"])
    (newest,) = copy.execute("SELECT max(seq) FROM events").fetchone()
    (status,) = copy.execute("SELECT status FROM turns").fetchone()
    assert copy.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    copy.close()
    assert newest < end["seq"]
    assert status == "running"
    assert os.path.dirname(made["path"]) == str(daemon.data / "backups")
    assert made["bytes"] == os.path.getsize(made["path"])
    assert os.stat(made["path"]).st_mode & 0o777 == 0o600


def test_an_export_is_the_same_whoever_writes_it(daemon: Daemon):
    finished(daemon, "hello")
    online, offline = daemon.folder / "online.jsonl", daemon.folder / "offline.jsonl"
    daemon.cli("export", "--output", str(online))
    daemon.kill()
    daemon.assert_no_processes()
    daemon.cli("export", "--output", str(offline))
    assert offline.read_bytes() == online.read_bytes()

    done = daemon.cli("export", "--output", str(online), check=False)
    assert done.returncode == 1
    assert "exists already" in done.stderr
    assert daemon.cli("export").stdout.encode() == online.read_bytes()


def test_what_an_orderly_stop_adds_is_all_that_is_new(daemon: Daemon):
    finished(daemon, "hello")
    online, offline = daemon.folder / "online.jsonl", daemon.folder / "offline.jsonl"
    daemon.cli("export", "--output", str(online))
    daemon.terminate()
    daemon.cli("export", "--output", str(offline))
    before = [line for line in exported(online) if line["line"] == "event"]
    after = [line for line in exported(offline) if line["line"] == "event"]
    assert after[: len(before)] == before
    assert {line["type"] for line in after[len(before) :]} <= {"session.stopped"}


@pytest.mark.parametrize("form", ["markdown", "html"])
def test_people_can_read_it(daemon: Daemon, form: str):
    finished(daemon, "hello")
    text = daemon.cli("export", "--format", form).stdout
    assert "hello" in text
    assert "end of the export" in text
    daemon.terminate()
    assert "hello" in daemon.cli("export", "--format", form, "--reasoning").stdout


def test_back_to_a_backup(make_daemon: MakeDaemon):
    """What was queued in it is not sent again by itself."""
    daemon = make_daemon({"ada": demo_agent(pace=0.05)})
    daemon.start()
    with daemon.stream() as events:
        running = say(daemon, "a long answer please")
        events.until(of_turn(running, "turn.content.delta"), "the first words")
        queued = say(daemon, "after that")
        backup = daemon.folder / "kept.db"
        said = daemon.cli("backup", str(backup)).stdout
        assert f"groupx restore {backup}" in said
        refused = daemon.cli("restore", str(backup), check=False)
        assert refused.returncode == 1
        assert "groupx stop" in refused.stderr
        daemon.post(f"/api/turns/{running}/cancel")
        events.until(of_turn(queued, "turn.completed"), "the second answer")
    daemon.terminate()

    said = daemon.cli("restore", str(backup)).stdout
    assert "Unfinished turns in it: 2" in said
    (kept,) = daemon.data.glob("groupx-local.db.replaced-*")
    assert str(kept) in said
    daemon.start()
    with daemon.stream() as events:
        events.until(of_turn(running, "turn.interrupted"), "what ran is closed")
        (agent,) = daemon.get("/api/bootstrap")["agents"]
        assert agent["paused"]
        assert agent["lane"]["queued"] == 1
        daemon.post("/api/lanes/ada/resume")
        events.until(of_turn(queued, "turn.completed"), "it goes on once the user says so")


def test_into_a_new_database(daemon: Daemon):
    finished(daemon, "hello")
    file, new = daemon.folder / "room.jsonl", daemon.folder / "new.db"
    daemon.cli("export", "--output", str(file))
    events = daemon.history()
    bring = [*daemon.program, "import", str(file), "--into", str(new)]
    for said in ("Imported", "nothing was changed"):
        assert said in _run(daemon, bring)
    daemon.terminate()
    daemon.start(GROUPX_DB=str(new))
    assert daemon.history()[: len(events)] == events
    finished(daemon, "and on")


def test_offline_backups_and_what_is_refused(make_daemon: MakeDaemon):
    daemon = make_daemon()
    for command in (("backup",), ("export",), ("restore", "nothing.db")):
        done = daemon.cli(*command, check=False)
        assert done.returncode == 1
        assert "Traceback" not in done.stderr
        assert ("there is no database" in done.stderr) == (command[0] != "restore")
    daemon.start()
    daemon.kill()
    daemon.assert_no_processes()
    said = daemon.cli("backup").stdout
    (made,) = (daemon.data / "backups").iterdir()
    assert str(made) in said
    daemon.start()
    other = daemon.cli("export", check=False, GROUPX_DB=str(daemon.data / "groupx-local.db"))
    assert other.returncode == 0


def _run(daemon: Daemon, argv: list[str]) -> str:
    return subprocess.run(
        argv,
        env=daemon.env,
        cwd=daemon.folder,
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    ).stdout
