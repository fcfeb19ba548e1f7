"""The assistant on real programs: its tools reach the room, its session is told who it is."""

import os

import pytest

from conformance.real_programs import PROGRAMS
from tests.system.daemon import Daemon, demo_agent
from tests.system.real_turns import prompts
from tests.system.test_real_room import TIMEOUTS, agent_of
from tests.system.waiting import wait_until

pytestmark = [pytest.mark.real, pytest.mark.slow, pytest.mark.timeout(120)]

DRIVEN = PROGRAMS if "GX_TEST_REAL" in os.environ else ("claude",)
"""One that does not speak ACP: the demo agent, with which the rest is tested, does."""


@pytest.fixture
def daemon(tmp_path, model, program):
    brain = agent_of(program, tmp_path / "home", model)
    daemon = Daemon(
        tmp_path,
        {"helper": demo_agent()},
        assistant={"enabled": True, "name": "Ann", "brain": brain},
        timeouts=TIMEOUTS,
    )
    yield daemon
    daemon.dispose()


def reply(daemon, content):
    """What it answers."""
    said = daemon.post("/api/assistant/messages", {"content": content})["message"]["messageId"]

    def found():
        messages = daemon.get("/api/assistant/messages")["messages"]
        [asked] = [m for m in messages if m["messageId"] == said]
        assert asked["state"] in {"queued", "working", "answered"}, asked
        return [m["content"] for m in messages if m.get("replyToMessageId") == said]

    wait_until(lambda: bool(found()), "a reply", 90)
    return found()[0]


@pytest.mark.parametrize("program", DRIVEN, indirect=True)
def test_it_gives_work_and_answers_beside_the_room(daemon, model, program):
    daemon.start()
    daemon.wait_idle()
    assert reply(daemon, "SAY:here marker-first") == "here"
    first = prompts(model, program, "marker-first")[-1]
    assert "You are the assistant of a room" in first["user"]
    reply(daemon, program.uses("worker_ask", to=["helper"], content="given-by-the-assistant"))
    events = daemon.history()
    [dispatch] = [event for event in events if event["type"] == "operator.dispatch"]
    assert dispatch["body"]["content"] == "given-by-the-assistant"
    assert dispatch["actor"]["actorId"] == "user:assistant"
    assert [event["type"] for event in events].count("turn.completed") == 1
    assert reply(daemon, "SAY:again marker-second") == "again"
    second = prompts(model, program, "marker-second")[-1]
    assert "You are the assistant of a room" not in second["user"]
    assert "marker-first" in second["earlier"]
    assert daemon.terminate() == 0
    daemon.assert_no_processes()
