"""Parts of a real daemon that fail: an ordered stop and exit 70, or a restart that nobody feels."""

import signal
import sys
from typing import Any

import pytest

from tests.system.conftest import MakeDaemon
from tests.system.daemon import TERMINAL, Daemon, demo_agent, of_turn
from tests.system.waiting import wait_until

pytestmark = [pytest.mark.slow, pytest.mark.timeout(120)]

_PROGRAM = """
import sys, trio, importlib
module, name, method = {target!r}
cls = getattr(importlib.import_module(module), name)
original = getattr(cls, method)

async def broken(self, *args, **kwargs):
    async with trio.open_nursery() as nursery:
        nursery.start_soon(fail)
        await original(self, *args, **kwargs)
        nursery.cancel_scope.cancel()

async def fail():
    async for _ in watch():
        raise RuntimeError("broken on purpose")

async def watch():
    with trio.open_signal_receiver(__import__("signal").SIGUSR1) as signals:
        async for one in signals:
            yield one

setattr(cls, method, broken)
import groupx.cli
groupx.cli.main()
"""

FATAL = {
    "store": ("groupx.actors.store_writer", "StoreWriterActor", "run"),
    "hub": ("groupx.actors.event_hub", "EventHubActor", "run"),
    "broker": ("groupx.actors.broker", "BrokerActor", "run"),
    "web": ("groupx.web.server", "WebServer", "run"),
}


def breakable(daemon: Daemon, target: tuple[str, str, str]) -> None:
    """SIGUSR1 makes that method fail."""
    daemon.program = [sys.executable, "-c", _PROGRAM.format(target=target)]


@pytest.mark.parametrize("part", FATAL)
def test_a_part_the_room_cannot_live_without(part: str, make_daemon: MakeDaemon):
    daemon = make_daemon({"ada": demo_agent(pace=0.05)})
    breakable(daemon, FATAL[part])
    daemon.start()
    with daemon.stream() as events:
        turn_id = daemon.send("a long answer please")["turns"][0]["turnId"]
        events.until(of_turn(turn_id, "turn.content.delta"), "the first words")
        assert daemon.signal(signal.SIGUSR1) == 70
    assert f"its {part} failed" in daemon.said()
    assert daemon.said().count("broken on purpose") == 1
    daemon.assert_no_processes()
    daemon.assert_no_port()
    assert daemon.run_files() == []

    daemon.program = [sys.executable, "-m", "groupx"]
    daemon.start()
    with daemon.stream() as events:
        end = events.until(of_turn(turn_id, *TERMINAL), "the one end of the turn")
    assert end["type"] in {"turn.cancelled", "turn.interrupted"}


def test_a_context_engine_that_fails_once_is_restarted(make_daemon: MakeDaemon):
    daemon = make_daemon({"ada": demo_agent()})
    target = ("groupx.actors.context_engine", "ContextEngineActor", "run")
    breakable(daemon, target)
    daemon.start()
    assert daemon.process is not None
    daemon.process.send_signal(signal.SIGUSR1)
    with daemon.stream() as events:
        turn_id = daemon.send("hello")["turns"][0]["turnId"]
        events.until(of_turn(turn_id, "turn.completed"), "the answer")
    assert daemon.terminate() == 0


def test_an_agents_actor_that_fails_touches_no_other(make_daemon: MakeDaemon):
    daemon = make_daemon({"ada": demo_agent(pace=0.05), "bob": demo_agent(pace=0.05)})
    breakable(daemon, ("groupx.actors.agent", "AgentActor", "run"))
    daemon.start()
    with daemon.stream() as events:
        sent = daemon.send("a long answer please")["turns"]
        turns = {turn["target"]: turn["turnId"] for turn in sent}
        for turn_id in turns.values():
            events.until(of_turn(turn_id, "turn.content.delta"), "the first words")
        assert daemon.process is not None
        daemon.process.send_signal(signal.SIGUSR1)  # the last receiver gets it, and nobody else
        end = events.until(lambda event: event["type"] in TERMINAL, "the end of one turn")
        assert end["type"] == "turn.interrupted"
        broken = end["actor"]["actorId"]
        (other,) = turns.keys() - {broken}
        assert daemon.get("/api/health")["agents"][other] == "working"
        hello = daemon.send("hello", broken)["turns"][0]["turnId"]
        events.until(of_turn(hello, "turn.completed"), "the broken one works again")
        daemon.post(f"/api/turns/{turns[other]}/cancel")
        assert events.until(of_turn(turns[other], *TERMINAL), "its end")["type"] == "turn.cancelled"
    assert daemon.terminate() == 0
    daemon.assert_no_processes()


def test_an_assistant_that_fails_is_started_again_and_the_room_does_not_feel_it(
    make_daemon: MakeDaemon,
):
    brain = {"driver": "demo", "cwd": ".", "env": {"DEMO_AGENT_PACE": "0.05"}}
    assistant = {"enabled": True, "name": "Ann", "brain": brain}
    daemon = make_daemon({"ada": demo_agent()}, assistant=assistant)
    breakable(daemon, ("groupx.actors.assistant", "AssistantActor", "run"))
    daemon.start()

    def standing() -> dict[str, Any]:
        return daemon.get("/api/assistant")["assistant"]

    daemon.post("/api/assistant/messages", {"content": "slow please"})
    wait_until(lambda: "reply" in standing(), "a reply")
    assert daemon.process is not None
    daemon.process.send_signal(signal.SIGUSR1)
    wait_until(lambda: "lastError" in standing() and standing()["state"] == "idle", "its return")
    assert "broken on purpose" in standing()["lastError"]["message"]
    [message] = daemon.get("/api/assistant/messages")["messages"]
    assert message["state"] == "unanswered"
    with daemon.stream() as events:
        turn_id = daemon.send("hello")["turns"][0]["turnId"]
        events.until(of_turn(turn_id, "turn.completed"), "an answer in the room")
    assert daemon.terminate() == 0
    daemon.assert_no_processes()
