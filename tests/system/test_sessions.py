"""Rooms as sessions with a real daemon, and on its database while there is none."""

import json
import os
import shutil
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from tests.system.conftest import MakeDaemon
from tests.system.daemon import Daemon, demo_agent, of_turn
from tests.system.terminal import Terminal

pytestmark = [pytest.mark.slow, pytest.mark.timeout(120)]

LONG_AGO = "2020-01-01T00:00:00.000Z"


def finished(daemon: Daemon, text: str) -> None:
    with daemon.stream() as events:
        turn_id = daemon.send(text, "agent:ada")["turns"][0]["turnId"]
        events.until(of_turn(turn_id, "turn.completed"), "the answer")


def listed(daemon: Daemon, *options: str) -> list[dict[str, Any]]:
    return json.loads(daemon.cli("session", "list", "--format", "json", *options).stdout)["rooms"]


def said_in(daemon: Daemon, room_id: str) -> list[str]:
    page = daemon.get(f"/api/history?roomId={room_id}&limit=200")
    return [e["body"]["content"] for e in page["events"] if e["type"] == "message.created"]


def sessions_in(daemon: Daemon, room_id: str) -> list[tuple[str, str | None]]:
    page = daemon.get(f"/api/history?roomId={room_id}&limit=200")
    return [
        (event["type"], event["body"].get("continuity"))
        for event in page["events"]
        if event["type"] in {"session.ready", "session.resumed"}
    ]


def age(daemon: Daemon, room_id: str) -> None:
    """Make a room old; the daemon is not there."""
    [database] = daemon.data.glob("groupx*.db")
    with sqlite3.connect(database) as conn:
        conn.execute("UPDATE events SET occurred_at = ? WHERE room_id = ?", (LONG_AGO, room_id))
        conn.execute("UPDATE rooms SET created_at = ? WHERE room_id = ?", (LONG_AGO, room_id))
    conn.close()


def test_a_new_room_begins_anew_and_stays_so_over_a_restart(daemon: Daemon):
    finished(daemon, "the old plan")
    shown = daemon.cli("session", "new", "--title", "Second").stdout
    new = daemon.get("/api/bootstrap")["room"]
    assert (new["title"], new["active"]) == ("Second", True)
    assert new["roomId"] in shown
    with daemon.stream() as events:
        turn_id = daemon.send("hello again", "agent:ada")["turns"][0]["turnId"]
        events.until(of_turn(turn_id, "turn.completed"), "the answer in the new room")
    assert set(sessions_in(daemon, new["roomId"])) == {("session.ready", "new")}
    assert "the old plan" in said_in(daemon, "room:main")
    assert "the old plan" not in said_in(daemon, new["roomId"])
    assert [room["roomId"] for room in listed(daemon)] == [new["roomId"]]
    [old] = listed(daemon, "--archived")
    assert (old["roomId"], old["active"], old["turns"]) == ("room:main", False, 1)
    daemon.cli("session", "new")
    daemon.kill()
    daemon.start()
    newest = daemon.get("/api/bootstrap")["room"]["roomId"]
    finished(daemon, "after the restart")
    assert [continuity for _, continuity in sessions_in(daemon, newest)][-1] == "new"


def test_no_new_room_while_a_turn_runs(make_daemon: MakeDaemon):
    daemon = make_daemon({"ada": demo_agent(pace=0.05)})
    daemon.start()
    with daemon.stream() as events:
        turn_id = daemon.send("a long answer please", "agent:ada")["turns"][0]["turnId"]
        events.until(of_turn(turn_id, "turn.content.delta"), "the first words")
        refused = daemon.cli("session", "new", check=False)
        assert refused.returncode == 1
        assert "1 turn(s) still wait or run" in refused.stderr
        daemon.post(f"/api/turns/{turn_id}/cancel")
        events.until(of_turn(turn_id, "turn.cancelled"), "its end")
    daemon.cli("session", "new")


def test_the_same_with_and_without_a_daemon(daemon: Daemon):
    finished(daemon, "hello")
    daemon.cli("session", "new", "--title", "Two")
    active = daemon.get("/api/bootstrap")["room"]["roomId"]
    refused = daemon.cli("session", "archive", active, check=False)
    assert (refused.returncode, "cannot be archived" in refused.stderr) == (1, True)
    daemon.cli("session", "unarchive", "room:main")
    online = listed(daemon, "--all")
    daemon.terminate()
    offline = listed(daemon, "--all")
    ids = [room["roomId"] for room in online]
    assert [room["roomId"] for room in offline] == ids
    assert offline[1] == online[1]
    assert listed(daemon) == offline
    table = daemon.cli("session", "list").stdout.splitlines()
    assert [line.split()[0] for line in table] == ["ROOM", *ids]
    daemon.cli("session", "archive", "room:main")
    assert [room["roomId"] for room in listed(daemon, "--archived")] == ["room:main"]
    refused = daemon.cli("session", "archive", "room:none", check=False)
    assert (refused.returncode, "no room 'room:none'" in refused.stderr) == (1, True)
    daemon.cli("session", "new", "--title", "Three")
    daemon.start()
    assert daemon.get("/api/bootstrap")["room"]["title"] == "Three"


@pytest.fixture(scope="module")
def old_data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The data of an old room, with an old backup of it, and somebody else's old file."""
    daemon = Daemon(tmp_path_factory.mktemp("old"), {"ada": demo_agent(), "bob": demo_agent()})
    try:
        daemon.start()
        finished(daemon, "the old secret")
        daemon.cli("session", "new")
        finished(daemon, "something new")
        daemon.cli("backup")
        daemon.terminate()
    finally:
        daemon.dispose()
    age(daemon, "room:main")
    folder = daemon.data / "backups"
    (folder / "notes.txt").write_text("mine")
    for path in folder.iterdir():
        os.utime(path, (0, 0))
    return daemon.data


@pytest.fixture(params=["online", "offline"])
def aged(request: pytest.FixtureRequest, make_daemon: MakeDaemon, old_data: Path) -> Daemon:
    """A daemon, or only its database, with that data."""
    daemon = make_daemon()
    shutil.copytree(old_data, daemon.data)
    if request.param == "online":
        daemon.start()
    return daemon


def test_pruning_deletes_what_the_preview_said(aged: Daemon):
    [old_backup] = (aged.data / "backups").glob("*.db")
    size = old_backup.stat().st_size
    before = listed(aged, "--all")
    old = next(room for room in before if room["roomId"] == "room:main")
    said = aged.cli("session", "prune", "--older-than", "30").stdout
    assert "Without activity for 30 days: 1 room.\n  room:main\n" in said
    contents = (
        f"1 room ({old['events']} events, 1 turn) and 1 old file of this database in its folder "
        f"of backups ({size} bytes)"
    )
    assert f"--delete would delete {contents}." in said
    assert "1 old file there cannot be told to be of this database" in said
    assert listed(aged, "--all") == before

    refused = aged.cli("session", "prune", "--older-than", "30", "--delete", check=False)
    assert refused.returncode == 1
    assert "--yes" in refused.stderr
    assert listed(aged, "--all") == before

    done = aged.cli("session", "prune", "--older-than", "30", "--delete", "--yes").stdout
    assert f"Deleted {contents}." in done
    assert [room["roomId"] for room in listed(aged, "--all")] == [before[0]["roomId"]]
    assert not old_backup.exists()
    [kept] = (aged.data / "backups").glob("*.db")
    assert str(kept) in done
    assert_holds(kept, "the old secret")
    again = aged.cli("session", "prune", "--older-than", "30", "--delete", "--yes").stdout
    assert "Nothing is older" in again
    if aged.process is not None and aged.process.poll() is None:
        aged.terminate()
    [database] = aged.data.glob("groupx*.db")
    assert b"the old secret" not in b"".join(rows_of(database))


def test_pruning_archives(aged: Daemon):
    aged.cli("session", "unarchive", "room:main")
    before = listed(aged)
    assert len(before) == 2
    done = aged.cli("session", "prune", "--older-than", "30", "--archive").stdout
    assert "Archived 1 room." in done
    assert [room["roomId"] for room in listed(aged)] == [before[0]["roomId"]]
    assert len(listed(aged, "--all")) == 2
    assert len(list((aged.data / "backups").glob("*.db"))) == 1


@pytest.mark.parametrize(("answer", "left"), [("n\n", 2), ("y\n", 1)])
def test_at_a_terminal_it_asks(aged: Daemon, answer: str, left: int):
    argv = aged.argv("session", "prune", "--older-than", "30", "--delete")
    terminal = Terminal(argv, env=aged.env, cwd=aged.folder)
    try:
        terminal.until("Delete them for good?")
        terminal.type(answer)
        assert terminal.wait() == (0 if left == 1 else 1)
    finally:
        terminal.close()
    assert len(listed(aged, "--all")) == left


def assert_holds(database: Path, text: str) -> None:
    assert any(text.encode() in row for row in rows_of(database))


def rows_of(database: Path) -> list[bytes]:
    conn = sqlite3.connect(database)
    rows = [row[0].encode() for row in conn.execute("SELECT body_json FROM events")]
    conn.close()
    return rows
