"""A daemon that is killed while a room is compacted goes on as if it had not been begun."""

import json
import shlex
import sqlite3
import sys
from pathlib import Path
from typing import Any

import pytest

from conformance.scenario import Step
from tests.system.conftest import MakeDaemon
from tests.system.daemon import TERMINAL, Daemon, demo_agent, of_turn
from tests.system.waiting import wait_until

pytestmark = [pytest.mark.slow, pytest.mark.timeout(120)]

SCRIPTED = Path(__file__).parents[2] / "conformance" / "agents" / "acp_scripted.py"
HANGS: Step = {"hang": True}
LIMITS = {"contextCharacters": 20_000}
FILLER = "word " * 600


class Keeper:
    """The first agent of the config; while `hangs`, each new program of it never answers."""

    def __init__(self, folder: Path) -> None:
        self.switch = folder / "hangs"
        self.log = folder / "log.jsonl"
        self.scenario = folder / "scenario.json"
        self.scenario.write_text(json.dumps({"session/prompt": [[HANGS]]}))

    @property
    def config(self) -> dict[str, Any]:
        python, switch = shlex.quote(sys.executable), shlex.quote(str(self.switch))
        files = " ".join(shlex.quote(str(it)) for it in (SCRIPTED, self.scenario, self.log))
        words = (
            f"if [ -e {switch} ]; then exec {python} -E -s -S {files}; "
            f"else exec {python} -m groupx.demo_agent --name keeper --pace 0; fi"
        )
        return {"driver": "acp", "command": ["sh", "-c", words], "cwd": "."}

    def prompts(self) -> list[str]:
        """What its hanging programs were asked."""
        if not self.log.exists():
            return []
        frames = [json.loads(line) for line in self.log.read_bytes().split(b"\n")[:-1]]
        return [
            frame["params"]["prompt"][0]["text"]
            for frame in frames
            if frame.get("method") == "session/prompt"
        ]


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
    daemon.start()
    assert end_of(daemon, waiting) == "turn.completed"
    [(status, first, through, content)] = rows(daemon, SUMMARIES)
    assert status == "active"
    assert "messages by user:web" in content

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
