"""The room's assistant with real processes: beside the room, at work in it, and over a crash."""

import secrets

import pytest

from tests.system.conftest import MakeDaemon
from tests.system.daemon import Daemon, Json
from tests.system.waiting import wait_until

pytestmark = [pytest.mark.slow, pytest.mark.timeout(120)]


def assistant(pace: float = 0.0) -> Json:
    brain = {"driver": "demo", "cwd": ".", "env": {"DEMO_AGENT_PACE": str(pace)}}
    return {"enabled": True, "name": "Ann", "brain": brain}


def say(daemon: Daemon, content: str, command: str | None = None, status: int = 202) -> Json:
    body = {"clientCommandId": command or secrets.token_hex(8), "content": content}
    return daemon.post("/api/assistant/messages", body, status=status)


def messages(daemon: Daemon) -> list[Json]:
    return daemon.get("/api/assistant/messages")["messages"]


def reply(daemon: Daemon, content: str) -> str:
    """What it answers."""
    message_id = say(daemon, content)["message"]["messageId"]

    def found() -> list[str]:
        return [m["content"] for m in messages(daemon) if m.get("replyToMessageId") == message_id]

    wait_until(lambda: bool(found()), f"a reply to {content!r}")
    return found()[0]


def events(daemon: Daemon, kind: str) -> list[Json]:
    return [event for event in daemon.history() if event["type"] == kind]


def live_text(daemon: Daemon) -> str:
    return daemon.get("/api/assistant")["assistant"].get("reply", {}).get("text", "")


def test_it_runs_the_room_for_its_user_and_is_no_member_of_it(make_daemon: MakeDaemon):
    daemon = make_daemon(assistant=assistant(0.002))
    daemon.start()
    daemon.wait_idle()
    assert daemon.get("/api/bootstrap")["assistant"] == {"enabled": True, "state": "idle"}
    assert "| ada | idle | 0 |" in reply(daemon, "status")
    assert events(daemon, "message.created") == []
    asked = reply(daemon, "ask ada and bob: who are you?")
    assert "| agent:ada | *answered*" in asked
    assert "| agent:bob | *answered*" in asked
    [dispatch] = events(daemon, "operator.dispatch")
    assert dispatch["actor"] == {
        "actorId": "user:assistant", "kind": "user", "displayName": "Ann",
        "instanceId": "instance:operator",
    }  # fmt: skip
    assert dispatch["body"]["targets"] == ["agent:ada", "agent:bob"]
    assert "I gave it to agent:bob" in reply(daemon, "dispatch to bob: look around")
    assert "woke agent:ada" in reply(daemon, "say to ada: good morning")
    daemon.wait_idle()
    assert "I gave what agent:ada said to agent:bob" in reply(daemon, "pass it on to bob")
    daemon.wait_idle()
    said = events(daemon, "message.created")
    assert [e["body"]["content"] for e in said if e["actor"]["actorId"] == "user:assistant"] == [
        "good morning"
    ]
    assert daemon.send("hello")["turns"][1]["target"] == "agent:bob"
    assert len(daemon.get("/api/bootstrap")["agents"]) == 2
    say(daemon, "slow please")
    wait_until(lambda: "Step 1" in live_text(daemon), "the first words")
    daemon.post("/api/assistant/cancel")
    wait_until(lambda: messages(daemon)[-1].get("state") == "cancelled", "the end")
    assert daemon.get("/api/assistant")["assistant"]["state"] == "idle"
    assert daemon.terminate() == 0
    daemon.assert_no_processes()
    assert daemon.run_files() == []


def test_after_a_crash_nothing_is_said_again_until_the_user_does(make_daemon: MakeDaemon):
    daemon = make_daemon(assistant=assistant(0.05))
    daemon.start()
    say(daemon, "slow please", "mine")
    wait_until(lambda: "Step 1" in live_text(daemon), "the first words")
    daemon.kill()
    daemon.start()
    daemon.wait_idle()
    [left] = messages(daemon)
    assert left["state"] == "unanswered"
    assert daemon.get("/api/assistant")["assistant"]["state"] == "idle"
    assert say(daemon, "slow please", "mine")["message"]["messageId"] == left["messageId"]
    joined = say(daemon, "slow please", "mine")
    assert joined["message"]["state"] in {"queued", "working"}
    daemon.post(
        "/api/assistant/messages", {"clientCommandId": "mine", "content": "other"}, status=409
    )
