"""One agent works and another watches: real processes, real tools, one ledger."""

import pytest

from tests.system.conftest import MakeDaemon
from tests.system.daemon import demo_agent, of_turn

pytestmark = [pytest.mark.slow, pytest.mark.timeout(120)]


def test_a_watcher_stops_a_slow_worker_and_its_guidance_runs(make_daemon: MakeDaemon):
    daemon = make_daemon({"builder": demo_agent(pace=0.01), "reviewer": demo_agent()})
    daemon.start()
    task = {
        "to": ["agent:builder"],
        "content": "Do it slowly.",
        "supervision": {"observers": ["agent:reviewer"], "mode": "live_steer"},
    }
    with daemon.stream() as events:
        accepted = daemon.post("/api/messages", task)
        [work], [watch] = accepted["turns"], accepted["watchTurns"]
        steered = events.until(lambda e: e["type"] == "supervision.steered", "the steer")["body"]
        assert steered["subjectTurnId"] == work["turnId"]
        assert (steered["action"], steered["reason"]) == ("interrupt", "It takes too long.")
        stopped = events.until(of_turn(work["turnId"], "turn.cancelled"), "the worker's stop")
        assert stopped["body"]["reason"] == "steer"
        events.until(of_turn(steered["nextTurnId"], "turn.completed"), "the guidance's turn")
        events.until(of_turn(watch["turnId"], "turn.completed"), "the watcher's end")
    told = [event for event in daemon.history() if event["type"] == "supervision.observed"]
    assert [event["body"]["snapshot"]["status"] for event in told[-2:]] == [
        "cancelled", "completed"
    ]  # fmt: skip
    said = [event for event in daemon.history() if event["type"] == "message.created"]
    [guidance] = [event for event in said if event["body"].get("kind") == "steer"]
    assert guidance["actor"]["actorId"] == "agent:reviewer"
    assert guidance["body"]["content"] == "Be brief: one sentence is enough."
