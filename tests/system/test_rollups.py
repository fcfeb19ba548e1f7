"""A daemon that wakes up on another day has its agents write the memory of the one before."""

from pathlib import Path
from typing import Any

import pytest

from tests.system.conftest import MakeDaemon
from tests.system.daemon import TERMINAL, Daemon, of_turn
from tests.system.keeper import Keeper
from tests.system.killing.evidence import reading
from tests.system.waiting import wait_until

pytestmark = [pytest.mark.slow, pytest.mark.timeout(60)]

WEST, EAST = "Etc/GMT+12", "Etc/GMT-14"
"""Never on the same date."""


def days(daemon: Daemon) -> list[dict[str, Any]]:
    return daemon.get("/api/memory/days?agent=agent%3Aada")["days"]


KEPT = "SELECT status, agent_memory_type, content FROM memory_records"
TURNS = """
SELECT processed_at IS NOT NULL, memory_id IS NOT NULL, skipped_reason
FROM agent_dated_memory_sources
"""
WAITING = "SELECT pending_turns FROM agent_dated_memory_rollups"
UNWRITTEN = [[], [(0, 0, None)], [(1,)]]


def left(daemon: Daemon) -> list[list[Any]]:
    """What a killed daemon's database has of memories, of turns, and of those that wait."""
    [path] = daemon.data.glob("*.db")
    with reading(path) as conn:
        return [conn.execute(sql).fetchall() for sql in (KEPT, TURNS, WAITING)]


def said(daemon: Daemon, text: str) -> str:
    """A turn of ada's, which has ended."""
    turn_id = daemon.send(text, "agent:ada")["turns"][0]["turnId"]
    with daemon.stream() as events:
        events.until(of_turn(turn_id, *TERMINAL), "its end")
    return turn_id


def test_a_day_is_remembered_by_its_agent_once_it_is_over_and_once_whoever_is_killed(
    make_daemon: MakeDaemon, tmp_path: Path
) -> None:
    keeper = Keeper(tmp_path)
    daemon = make_daemon({"ada": keeper.config})
    daemon.start(TZ=WEST)
    said(daemon, "say the release is cut on Fridays")
    [day] = days(daemon)
    assert (day["waitingTurns"], "record" in day) == (1, False)
    assert daemon.get("/api/health")["rollups"] == {"state": "ok"}
    daemon.terminate()

    keeper.switch.touch()
    daemon.start(TZ=EAST)
    wait_until(keeper.prompts, "the question for the memory of the day before")
    daemon.kill()
    daemon.assert_no_processes()
    assert left(daemon) == UNWRITTEN
    keeper.switch.unlink()
    daemon.die_at("rollup.before", TZ=EAST)
    assert left(daemon) == UNWRITTEN
    daemon.die_at("rollup.committed", TZ=EAST)
    kept, turns, waiting = left(daemon)
    assert [row[:2] for row in kept] == [("active", "dated")]
    assert (turns, waiting) == ([(1, 1, None)], [(0,)])

    daemon.start(TZ=EAST)
    again = said(daemon, "say hello again")
    newest, remembered = days(daemon)
    assert ("record" in newest, newest["waitingTurns"]) == (False, 1)
    assert (remembered["localDate"], remembered["waitingTurns"]) == (day["localDate"], 0)
    record = remembered["record"]
    assert (record["authorActorId"], record["sourceKind"]) == ("agent:ada", "automatic_rollup")
    assert "Fridays" in record["content"]
    packet = daemon.get(f"/api/turns/{again}")["packet"]
    assert "agent_dated_memory" in [section["name"] for section in packet["sections"]]

    path = f"/api/memory/{record['memoryId']}/retract"
    assert (
        daemon.post(path, {"clientCommandId": "c1"}, status=200)["record"]["status"] == "retracted"
    )
    assert "record" not in days(daemon)[-1]
    daemon.terminate()
    assert [row[2] for row in left(daemon)[0]] == [kept[0][2]], "it was written once"
    daemon.assert_no_processes()
    assert daemon.run_files() == []
