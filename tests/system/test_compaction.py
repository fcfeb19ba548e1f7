"""A daemon that is killed while a room is compacted goes on from what was stored by then."""

import sqlite3
from pathlib import Path
from typing import Any

import pytest

from tests.system.conftest import MakeDaemon
from tests.system.daemon import TERMINAL, Daemon, demo_agent, of_turn
from tests.system.keeper import Keeper
from tests.system.waiting import wait_until

pytestmark = [pytest.mark.slow, pytest.mark.timeout(120)]

LIMITS = {"contextCharacters": 20_000}
FILLER = "word " * 600


def say(daemon: Daemon, to: str, number: int) -> str:
    """A long message; its turn."""
    accepted = daemon.send(f"say nothing, {number}: {FILLER}", f"agent:{to}")
    return accepted["turns"][0]["turnId"]


def end_of(daemon: Daemon, turn_id: str) -> str:
    with daemon.stream() as events:
        return events.until(of_turn(turn_id, *TERMINAL), "its end")["type"]


def rows(daemon: Daemon, sql: str) -> list[Any]:
    [path] = daemon.data.glob("*.db")
    with sqlite3.connect(path) as conn:
        return conn.execute(sql).fetchall()


SUMMARIES = "SELECT status, from_seq, through_seq, content FROM summaries ORDER BY rowid"


def test_a_kill_in_the_middle_loses_nothing_and_sends_nothing_twice(
    make_daemon: MakeDaemon, tmp_path: Path
) -> None:
    keeper = Keeper(tmp_path)
    daemon = make_daemon({"keeper": keeper.config, "ada": demo_agent()}, limits=LIMITS)
    daemon.start()
    daemon.wait_idle()
    unread_for_ada = [say(daemon, "keeper", number) for number in range(5)]
    assert {end_of(daemon, turn) for turn in unread_for_ada} == {"turn.completed"}
    keeper.switch.touch()
    waiting = say(daemon, "ada", 5)
    wait_until(keeper.prompts, "the question for a checkpoint")
    assert daemon.get(f"/api/turns/{waiting}")["turn"]["status"] == "queued"
    daemon.kill()
    daemon.assert_no_processes()
    assert rows(daemon, SUMMARIES) == []

    keeper.switch.unlink()
    daemon.die_at("checkpoint.before")
    assert rows(daemon, SUMMARIES) == []
    daemon.die_at("checkpoint.committed")
    [(status, first, through, content)] = kept = rows(daemon, SUMMARIES)
    assert status == "active"
    assert "messages by user:web" in content

    daemon.start()
    assert end_of(daemon, waiting) == "turn.completed"
    assert rows(daemon, SUMMARIES) == kept, "it is gone on with, and not made anew"

    unread_for_keeper = [say(daemon, "ada", number) for number in range(6, 11)]
    assert {end_of(daemon, turn) for turn in unread_for_keeper} == {"turn.completed"}
    assert len(rows(daemon, SUMMARIES)) == 1, "ada was sent it all"
    assert end_of(daemon, say(daemon, "keeper", 11)) == "turn.completed"
    before, after = rows(daemon, SUMMARIES)
    assert before == ("superseded", first, through, content)
    assert after[:2] == ("active", first)
    assert after[2] > through
    assert after[3].startswith(content)

    invoked = "FROM turn_attempts WHERE prompt_invoked_at IS NOT NULL"
    [counted] = rows(daemon, f"SELECT count(*), count(DISTINCT turn_id) {invoked}")
    assert counted == (12, 12)
    assert len(keeper.prompts()) == 1
    assert daemon.terminate() == 0
    daemon.assert_no_processes()
    assert daemon.run_files() == []
