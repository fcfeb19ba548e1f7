"""`groupx run` on databases of older formats: upgraded, then a room like any other."""

import hashlib
import signal
import sqlite3
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from groupx.process.killing import KILL_VARIABLE
from tests.store.released import DATABASES, copy_of, reading
from tests.system.conftest import MakeDaemon
from tests.system.daemon import TERMINAL, Daemon, of_turn
from tests.system.old_room import database, old_room
from tests.system.waiting import wait_until

pytestmark = [pytest.mark.slow, pytest.mark.timeout(120)]

NAMES = ["format-1", "format-4", "format-9", "format-9-crashed"]
_BAK = ".before-format-10.bak"

_PROGRAM = """
import os, threading
import trio
from groupx.runtime_upgrade import UpgradeReport
from groupx.supervisor.tree import Supervisor

given_up = threading.Event()
stop = Supervisor.stop

def stop_last(self):
    "The store's thread is quicker than the tree to hear of the stop."
    async def after_the_store():
        for thread in threading.enumerate():
            if thread.name == "groupx-store":
                await trio.to_thread.run_sync(thread.join)
        stop(self)
    trio.lowlevel.spawn_system_task(after_the_store)

Supervisor.stop = stop_last

def reached(self, found):
    if found == {point!r}:
        os.write(1, b'HELD\\n')
        given_up.wait()

def give_up(self):
    self._given_up = True
    given_up.set()

UpgradeReport.reached = reached
UpgradeReport.give_up = give_up
import groupx.cli
groupx.cli.main()
"""


def held_at(daemon: Daemon, point: str) -> None:
    daemon.program = [sys.executable, "-c", _PROGRAM.format(point=point)]


def not_held(daemon: Daemon) -> None:
    daemon.program = [sys.executable, "-m", "groupx"]


def old_events(name: str, folder: Path) -> list[dict[str, Any]]:
    """What the old program stored of room:main, in order."""
    with reading(copy_of(name, folder)) as conn:
        conn.row_factory = sqlite3.Row
        found = conn.execute("SELECT * FROM events WHERE room_id = 'room:main' ORDER BY seq")
        return [dict(row) for row in found]


def table(daemon: Daemon, sql: str) -> list[tuple[Any, ...]]:
    with reading(database(daemon)) as conn:
        return conn.execute(sql).fetchall()


@pytest.mark.parametrize("name", NAMES)
def test_an_old_room_goes_on(name: str, make_daemon: MakeDaemon, tmp_path: Path):
    before = old_events(name, tmp_path / "before")
    with reading(copy_of(name, tmp_path / "before")) as conn:
        memories = conn.execute("SELECT memory_id, content FROM memory_records").fetchall()
    daemon = old_room(make_daemon, name)
    daemon.start()
    health = daemon.get("/api/health")
    assert health["status"] == "ready"
    assert health["database"]["format"] == 10
    (notice, *_) = daemon.get("/api/bootstrap")["notices"]
    assert notice["code"] == "upgraded"
    number = DATABASES[name]["format"]
    assert f"from format {number} to 10" in notice["message"]
    assert f"groupx-local.db{_BAK}" in notice["message"]

    history = daemon.history()
    assert len(before) <= len(history)
    for old, now in zip(before, history, strict=False):
        shown = (now["seq"], now["eventId"], now["type"], now["actor"]["actorId"])
        assert shown == (old["seq"], old["event_id"], old["event_type"], old["actor_id"])
        assert now["correlationId"] == old["correlation_id"]

    with daemon.stream() as events:
        turn_id = daemon.send("请继续 / please go on", "agent:grok")["turns"][0]["turnId"]
        events.until(of_turn(turn_id, "turn.completed"), "the answer to a new message")
    detail = daemon.get(f"/api/turns/{turn_id}")
    assert detail["turn"]["status"] == "completed"
    assert detail["packet"]["characters"] > 0

    wait_until(lambda: "indexing" not in daemon.get("/api/search?q=x"), "all of it is indexed")
    said = "/api/search?q=has:history+before:2100-01-01&rooms=all&limit=50"
    assert {hit["id"] for hit in daemon.get(said)["results"]} >= {key for key, *_ in memories}

    assert daemon.terminate() == 0
    daemon.assert_no_processes()
    left = table(daemon, "SELECT DISTINCT status FROM turns WHERE terminal_event_id IS NULL")
    assert set(left) <= {("queued",)}  # what the stop came before
    now = table(daemon, "SELECT memory_id, content FROM memory_records")
    assert set(memories) <= set(now)
    assert table(daemon, "PRAGMA integrity_check") == [("ok",)]
    assert table(daemon, "PRAGMA foreign_key_check") == []
    newest = table(daemon, "SELECT max(seq) FROM events")
    assert table(daemon, "SELECT indexed_through_seq FROM search_state") == newest

    daemon.start()
    assert daemon.get("/api/bootstrap")["notices"] == []
    assert [event["seq"] for event in daemon.history()][: len(history)] == [
        event["seq"] for event in history
    ]


def test_turns_that_the_old_program_left_open_end_once(make_daemon: MakeDaemon):
    daemon = old_room(make_daemon, "format-9-crashed")
    daemon.start()
    with daemon.stream() as events:
        for turn_id in ("turn_1cb91129ca804014965ab46b0d848f66",
                        "turn_38e5eece7adc444aaeb7a4a8c37d914a"):  # fmt: skip
            events.until(of_turn(turn_id, "turn.completed"), f"queued {turn_id} runs")
    ends = {
        event["body"]["turnId"]: event["type"]
        for event in daemon.history()
        if event["type"] in TERMINAL
    }
    for turn_id in (
        "turn_72eb60d4cc9746b8a87d5170b78a5306",
        "turn_d996f1d3a5204f55a325b3f3d393bd64",
        "turn_a5cf1e1d6ac645f1abc78b2985c7401f",
    ):
        assert ends[turn_id] == "turn.interrupted"
    codes = [notice["code"] for notice in daemon.get("/api/bootstrap")["notices"]]
    assert codes == ["upgraded", "restarted"]


def test_no_copy_is_made_when_none_is_wanted(make_daemon: MakeDaemon):
    daemon = old_room(make_daemon, "format-9")
    daemon.start("--no-backup")
    assert not list(daemon.data.glob("*.bak"))
    (notice,) = daemon.get("/api/bootstrap")["notices"]
    assert "no copy" in notice["message"]


def test_start_waits_for_the_upgrade_and_shows_it(make_daemon: MakeDaemon):
    daemon = old_room(make_daemon, "format-8")
    done = daemon.cli("start", "--no-open")
    try:
        assert "The room runs on" in done.stdout
        assert table(daemon, "SELECT format FROM groupx_schema") == [(10,)]
        assert (daemon.data / f"groupx-local.db{_BAK}").exists()
        assert "upgraded the database" in (daemon.data / "groupx.log").read_text()
    finally:
        daemon.cli("stop")


def test_while_it_upgrades_the_room_says_so_and_a_stop_leaves_everything(
    make_daemon: MakeDaemon,
):
    daemon = old_room(make_daemon, "format-9-crashed")
    held_at(daemon, "upgrade.10")
    daemon.launch()
    wait_until(lambda: "HELD" in daemon.said(), "the upgrade to be in its midst")
    status = daemon.cli("status")
    assert "upgrading on http://127.0.0.1:" in status.stdout
    daemon.port = int(status.stdout.split("127.0.0.1:")[1].split("/")[0])
    health = daemon.get("/api/health")
    assert health["status"] == "upgrading"
    assert 0 < health["progress"]["done"] <= health["progress"]["total"] == 1000
    code, answer = daemon.request("GET", "/api/bootstrap")
    assert code == 503
    assert answer["error"]["code"] == "RUNTIME_STARTING"
    assert "upgrading its database (" in answer["error"]["message"]
    assert daemon.terminate() == 0, daemon.said()
    assert table(daemon, "SELECT max(version) FROM schema_migrations") == [(9,)]
    assert "Traceback" not in daemon.said()
    not_held(daemon)
    daemon.start()
    assert table(daemon, "SELECT format FROM groupx_schema") == [(10,)]
    assert len(list(daemon.data.glob("*.bak"))) == 1


@pytest.mark.parametrize("point", ["upgrade.copied", "upgrade.5", "upgrade.marked"])
def test_killed_while_it_upgrades_the_next_start_does_it(point: str, make_daemon: MakeDaemon):
    daemon = old_room(make_daemon, "format-1")
    daemon.launch(**{KILL_VARIABLE: point})
    assert daemon.wait() == -signal.SIGKILL
    daemon.assert_no_processes()
    daemon.start()
    with reading(daemon.data / f"groupx-local.db{_BAK}") as conn:
        assert conn.execute("PRAGMA user_version").fetchone() == (1,)
    assert len(daemon.history()) >= DATABASES["format-1"]["last_event_seq"] - 10
    assert len(list(daemon.data.glob("*.bak"))) == 1
    assert not list(daemon.data.glob("*.part"))


def test_a_damaged_old_database_is_refused_and_kept(make_daemon: MakeDaemon):
    daemon = old_room(make_daemon, "format-9")
    with closing(sqlite3.connect(database(daemon), isolation_level=None)) as conn:
        conn.execute("DROP INDEX events_room_seq_idx")
    before = hashlib.sha256(database(daemon).read_bytes()).digest()
    daemon.launch()
    assert daemon.wait() == 1
    assert "This database of format 9 is damaged: " in daemon.said()
    assert "missing index events_room_seq_idx" in daemon.said()
    assert "Traceback" not in daemon.said()
    assert hashlib.sha256(database(daemon).read_bytes()).digest() == before
    assert not list(daemon.data.glob("*.bak"))
