"""A daemon that wakes up on another day has its agents write the memory of the one before."""

from typing import Any

import pytest

from tests.system.conftest import MakeDaemon
from tests.system.daemon import TERMINAL, Daemon, demo_agent, of_turn
from tests.system.waiting import wait_until

pytestmark = [pytest.mark.slow, pytest.mark.timeout(60)]

WEST, EAST = "Etc/GMT+12", "Etc/GMT-14"
"""Never on the same date."""


def days(daemon: Daemon) -> list[dict[str, Any]]:
    return daemon.get("/api/memory/days?agent=agent%3Aada")["days"]


def test_a_day_is_remembered_by_its_agent_once_it_is_over(make_daemon: MakeDaemon) -> None:
    daemon = make_daemon({"ada": demo_agent()})
    daemon.start(TZ=WEST)
    turn = daemon.send("say the release is cut on Fridays", "agent:ada")["turns"][0]["turnId"]
    with daemon.stream() as events:
        events.until(of_turn(turn, *TERMINAL), "its end")
    [day] = days(daemon)
    assert (day["waitingTurns"], "record" in day) == (1, False)
    assert daemon.get("/api/health")["rollups"] == {"state": "ok"}
    daemon.terminate()

    daemon.start(TZ=EAST)
    wait_until(lambda: days(daemon)[0].get("record"), "the memory of the day before")
    [remembered] = days(daemon)
    assert (remembered["localDate"], remembered["waitingTurns"]) == (day["localDate"], 0)
    record = remembered["record"]
    assert (record["authorActorId"], record["sourceKind"]) == ("agent:ada", "automatic_rollup")
    assert "Fridays" in record["content"]
    again = daemon.send("say hello again", "agent:ada")["turns"][0]["turnId"]
    with daemon.stream() as events:
        events.until(of_turn(again, *TERMINAL), "its end")
    packet = daemon.get(f"/api/turns/{again}")["packet"]
    assert "agent_dated_memory" in [section["name"] for section in packet["sections"]]

    path = f"/api/memory/{record['memoryId']}/retract"
    assert (
        daemon.post(path, {"clientCommandId": "c1"}, status=200)["record"]["status"] == "retracted"
    )
    assert "record" not in days(daemon)[-1]
    daemon.terminate()
    daemon.assert_no_processes()
