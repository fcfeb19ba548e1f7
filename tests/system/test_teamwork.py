"""Agents that call one another while they work: real processes, real tools, one ledger."""

import pytest

from tests.system.conftest import MakeDaemon
from tests.system.daemon import Daemon, demo_agent, of_turn
from tests.system.stream import Event

pytestmark = [pytest.mark.slow, pytest.mark.timeout(120)]

TEAM = {name: demo_agent() for name in ("planner", "builder", "reviewer")}


def messages(daemon: Daemon) -> list[Event]:
    events = daemon.get("/api/bootstrap")["events"]
    return [event for event in events if event["type"] == "message.created"]


def test_a_planner_asks_collects_and_publishes(make_daemon: MakeDaemon):
    daemon = make_daemon(TEAM)
    daemon.start()
    with daemon.stream() as events:
        turn_id = daemon.send("plan a release", "agent:planner")["turns"][0]["turnId"]
        events.until(of_turn(turn_id, "turn.completed"), "the plan")
    said = messages(daemon)
    by = [event["actor"]["actorId"] for event in said]
    assert by[:2] == ["user:web", "agent:planner"]
    assert sorted(by[2:4]) == ["agent:builder", "agent:reviewer"]
    assert by[4:] == ["agent:planner", "agent:planner"]
    _, asked, *_, published, answer = said
    assert asked["to"] == ["agent:builder", "agent:reviewer"]
    assert asked["provenance"]["sourceKind"] == "mcp"
    assert asked["parentTurnId"] == turn_id
    assert published["to"] == []
    assert "The plan" in published["body"]["content"]
    assert answer["body"]["turnId"] == turn_id
    detail = daemon.get(f"/api/turns/{turn_id}")
    children = {child["targetActorId"]: child["status"] for child in detail["children"]}
    assert children == {"agent:builder": "completed", "agent:reviewer": "completed"}
    assert {child["triggerKind"] for child in detail["children"]} == {"automatic"}


def test_two_that_go_on_for_ever_are_stopped_and_the_user_lets_them_go_on_once(
    make_daemon: MakeDaemon,
):
    daemon = make_daemon(TEAM, limits={"hopCount": 3})
    daemon.start()
    with daemon.stream() as events:
        daemon.send("loop with reviewer", "agent:builder")
        stopped = events.until(lambda e: e["type"] == "routing.loop_stopped", "the stop")
        body = stopped["body"]
        assert (body["limit"], body["bound"]) == ("hopCount", 3)
        assert [link["actorId"] for link in body["chain"]] == [
            "agent:builder", "agent:reviewer", "agent:builder", "agent:reviewer"
        ]  # fmt: skip
        daemon.post(f"/api/roots/{body['rootCorrelationId']}/continue")
        events.until(lambda e: e["type"] == "routing.loop_continued", "the user's word")
        again = events.until(
            lambda e: e["type"] == "routing.loop_stopped" and e["seq"] > stopped["seq"],
            "the next stop",
        )
        assert again["body"]["bound"] > 3


def test_what_one_was_told_to_remember_is_called_up_by_a_message_to_another(
    make_daemon: MakeDaemon,
):
    daemon = make_daemon(TEAM)
    daemon.start()

    def answered(content: str, to: str) -> tuple[str, str]:
        turn_id = daemon.send(content, to)["turns"][0]["turnId"]
        events.until(of_turn(turn_id, "turn.completed"), "the answer")
        return turn_id, messages(daemon)[-1]["body"]["content"]

    with daemon.stream() as events:
        answered("Remember of builder: it likes short functions", "agent:planner")
        turn_id, said = answered("What do you know about builder?", "agent:reviewer")
        _, elsewhere = answered("What do you know about tables?", "agent:reviewer")
    assert "| relevant_memory | agent:planner-about-agent:builder |" in said
    assert "nothing that is remembered" in elsewhere
    [record] = daemon.get("/api/identity?subject=agent:builder")["records"]
    found = daemon.get(f"/api/turns/{turn_id}")["packet"]["relevant"]
    assert found == {"ids": [record["identityId"]], "candidates": 1}
