"""What became of a turn whose end nobody saw, by the thread's own record."""

import json
import sys

import pytest
import trio
import trio.testing

from conformance.scenario import HANG, fails
from groupx.adapters.codex.adapter import CodexAdapter
from groupx.adapters.codex.reconciling import MAX_TURNS
from groupx.adapters.contract import (
    Cancelled,
    Completed,
    ContentDelta,
    Failed,
    Heartbeat,
    PastAttempt,
    ReasoningDelta,
    Reconciled,
    SessionProfile,
    Started,
    ToolUpdate,
)
from groupx.domain.attempts import Reconciliation
from groupx.domain.errors import ErrorCode
from groupx.domain.limits import Timeouts
from tests.adapters.codex.conftest import PROGRAM
from tests.adapters.codex.socket_server import serve

TIMEOUTS = Timeouts(handshake=5_000, request=2_000, close=200)


def user(client_id=None, text="go"):
    return {
        "type": "userMessage",
        "id": "u",
        "clientId": client_id,
        "content": [{"type": "text", "text": text}],
    }


def agent(text, item_id="m"):
    return {"type": "agentMessage", "id": item_id, "text": text}


def turn(turn_id="turn-1", status="completed", *items, **fields):
    return {"id": turn_id, "status": status, "items": list(items), "error": None, **fields}


COMMAND = {"type": "commandExecution", "id": "c", "command": "ls", "status": "completed"}
THOUGHT = {"type": "reasoning", "id": "r", "summary": ["hm"], "content": []}


class Asked:
    def __init__(self, found, events, log):
        self.found, self.events, self.log = found, events, log

    def sent(self, method):
        frames = [json.loads(line) for line in self.log.read_text().splitlines()]
        return [frame for frame in frames if frame.get("method") == method]

    @property
    def texts(self):
        return [event.text for event in self.events if isinstance(event, ContentDelta)]


@pytest.fixture
def ask(spawner, tmp_path):
    """`await ask(scenario, turn_id=…, thread=…)`; the attempt is in `ask.attempts`."""
    asking = []

    async def ask(scenario, turn_id="turn-1", thread="thread-1", stopped=False, **fields):
        path, log = tmp_path / "scenario.json", tmp_path / "log.jsonl"
        path.write_text(json.dumps(scenario))
        values = {
            "agent_id": "codex",
            "command": (sys.executable, "-E", "-s", "-S", str(PROGRAM), str(path), str(log)),
            "cwd": str(tmp_path),
            "timeouts": TIMEOUTS,
            "run_dir": str(tmp_path),
        }
        profile = SessionProfile(**(values | fields))
        attempt = PastAttempt(
            attempt_id="attempt-9",
            native_session_id=thread,
            native_turn_id=turn_id,
        )
        if stopped:
            attempt.stop.set()
        events = []
        asking.append(attempt)
        with trio.fail_after(10):
            found = await CodexAdapter().reconcile(profile, spawner, attempt, events.append)
        return Asked(found, events, log)

    ask.attempts = asking
    return ask


async def test_a_completed_turn_is_told_whole(ask):
    items = (user(), THOUGHT, agent("one", "m1"), COMMAND, agent("two", "m2"))
    asked = await ask({"turns": [turn("turn-1", "completed", *items)]})
    assert asked.found == Reconciled(Reconciliation.MATCHED_TERMINAL, Completed(), "turn-1")
    assert asked.texts == ["one", "two"]
    assert asked.events[0] == Started("turn-1")
    assert [e.text for e in asked.events if isinstance(e, ReasoningDelta)] == ["hm"]
    tools = [event for event in asked.events if isinstance(event, ToolUpdate)]
    assert [(tool.phase, tool.name) for tool in tools] == [("started", "ls"), ("completed", "ls")]
    assert asked.sent("turn/start") == asked.sent("thread/resume") == []
    [listed] = asked.sent("thread/turns/list")
    assert listed["params"] == {"threadId": "thread-1", "limit": 1, "itemsView": "full"}


async def test_a_failed_and_a_stopped_turn(ask):
    error = {"message": "too much", "codexErrorInfo": "usageLimitExceeded"}
    asked = await ask({"turns": [turn("turn-1", "failed", user(), error=error)]})
    end = asked.found.end
    assert isinstance(end, Failed)
    assert end.code is ErrorCode.NATIVE_QUOTA_EXCEEDED
    assert "too much" in end.message
    asked = await ask({"turns": [turn("turn-1", "interrupted", user())]})
    assert asked.found == Reconciled(Reconciliation.MATCHED_TERMINAL, Cancelled(), "turn-1")


async def test_only_the_same_turn_is_a_match(ask):
    newer = turn("turn-2", "completed", user("attempt-9"), agent("not ours"))
    older = turn("turn-1", "completed", user(), agent("ours"))
    asked = await ask({"turns": [newer, older]})
    assert (asked.texts, asked.found.native_turn_id) == (["ours"], "turn-1")
    asked = await ask({"turns": [newer]})
    assert (asked.found, asked.events) == (Reconciled(Reconciliation.NOT_FOUND), [])


async def test_a_turn_of_which_nothing_was_heard_is_known_by_its_attempt(ask):
    turns = [
        turn("turn-3", "completed", user("attempt-10"), agent("of another")),
        turn("turn-2", "completed", user("attempt-9"), agent("ours")),
    ]
    asked = await ask({"turns": turns}, turn_id=None)
    assert (asked.texts, asked.found.native_turn_id) == (["ours"], "turn-2")
    nameless = turn("turn-2", "completed", user(None), agent("who knows whose"))
    asked = await ask({"turns": [nameless]}, turn_id=None)
    assert asked.found == Reconciled(Reconciliation.NOT_FOUND)


async def test_a_turn_without_an_end(ask):
    asked = await ask({"turns": [turn("turn-1", "inProgress", user(), agent("half"))]})
    assert asked.found == Reconciled(Reconciliation.MATCHED_RUNNING, None, "turn-1")
    assert asked.events == []
    asked = await ask({"turns": [turn("turn-1", "paused", user())]})
    assert asked.found == Reconciled(Reconciliation.UNAVAILABLE)


@pytest.mark.parametrize(
    "message",
    ["thread not loaded: thread-1", "thread not found: x", "no rollout found for thread id x"],
)
async def test_a_thread_that_it_does_not_know(ask, message):
    asked = await ask({"thread/turns/list": [fails(-32600, message)]})
    assert asked.found == Reconciled(Reconciliation.NOT_FOUND)


async def test_an_attempt_without_a_thread(ask):
    with_none = await ask({}, thread=None)
    assert with_none.found == Reconciled(Reconciliation.NOT_FOUND)
    assert not with_none.log.exists()


@pytest.mark.parametrize(
    "scenario",
    [
        {"thread/turns/list": [fails(-32600, "unknown variant `thread/turns/list`")]},
        {"thread/turns/list": [{"exit": 1}]},
        {"thread/turns/list": [{"raw": "no JSON\n"}, {"raw": "at all\n"}, HANG]},
        {"initialize": [fails(-32600, "no")]},
        {"start": [{"exit": 1}]},
    ],
)
async def test_a_program_that_cannot_be_asked(ask, scenario):
    assert (await ask(scenario)).found == Reconciled(Reconciliation.UNAVAILABLE)


async def test_no_program_no_answer(ask, tmp_path):
    nowhere = (str(tmp_path / "none"),)
    assert (await ask({}, command=nowhere)).found == Reconciled(Reconciliation.UNAVAILABLE)
    nobody = (f"unix://{tmp_path}/nobody",)
    assert (await ask({}, command=nobody)).found == Reconciled(Reconciliation.UNAVAILABLE)


@pytest.mark.slow
async def test_silence_has_an_end(ask):
    impatient = Timeouts(handshake=5_000, request=100, close=100)
    asked = await ask({"thread/turns/list": [HANG]}, timeouts=impatient)
    assert asked.found == Reconciled(Reconciliation.UNAVAILABLE)


@pytest.mark.slow
async def test_a_long_thread_is_read_so_far(ask):
    turns = [turn(f"later-{n}", "completed") for n in range(MAX_TURNS)]
    asked = await ask({"turns": [*turns, turn("turn-1", "completed", agent("too far"))]})
    assert asked.found == Reconciled(Reconciliation.NOT_FOUND)
    assert len(asked.sent("thread/turns/list")) == MAX_TURNS
    asked = await ask({"turns": [*turns[1:], turn("turn-1", "completed", agent("in time"))]})
    assert asked.texts == ["in time"]


async def test_behind_a_socket(ask, spawner, tmp_path):
    record = {"turns": [turn("turn-1", "completed", user(), agent("told"))]}
    async with serve(spawner, tmp_path, "ws", record) as server:
        asked = await ask({}, command=(server.address,))
        assert asked.texts == ["told"]
        assert server.sent("thread/turns/list") != []
        await server.closed.wait()


STILL = turn("turn-1", "inProgress", user())


def ends(status, *items):
    """The running turn comes to its end."""
    over = {"threadId": "thread-1", "turn": {"id": "turn-1", "status": status}}
    return [
        {"record": [turn("turn-1", status, user(), *items)]},
        {"send": {"method": "turn/completed", "params": over}},
        {"result": {}},
    ]


async def test_a_turn_that_goes_on_behind_a_socket_is_stopped_when_asked(ask, spawner, tmp_path):
    record = {"turns": [STILL], "turn/interrupt": ends("interrupted")}
    async with (
        serve(spawner, tmp_path, "ws", record) as server,
        trio.open_nursery() as nursery,
    ):

        async def stop():
            await trio.testing.wait_all_tasks_blocked()
            [attempt] = ask.attempts
            await attempt.goes_on.wait()
            assert server.sent("turn/interrupt") == []
            attempt.stop.set()

        nursery.start_soon(stop)
        asked = await ask({}, command=(server.address,))
        assert asked.found == Reconciled(Reconciliation.MATCHED_TERMINAL, Cancelled(), "turn-1")
        [interrupt] = server.sent("turn/interrupt")
        assert interrupt["params"] == {"threadId": "thread-1", "turnId": "turn-1"}


async def test_it_is_followed_to_its_end(ask, spawner, tmp_path):
    """What it says meanwhile is a sign of life; the record then tells it whole."""
    record = {"turns": [STILL], "go": ends("completed", agent("all of it"))}
    async with (
        serve(spawner, tmp_path, "ws", record) as server,
        trio.open_nursery() as nursery,
    ):

        async def go():
            await trio.testing.wait_all_tasks_blocked()
            [attempt] = ask.attempts
            await attempt.goes_on.wait()
            delta = {"threadId": "thread-1", "turnId": "turn-1", "itemId": "m", "delta": "half"}
            await server.say({"method": "item/agentMessage/delta", "params": delta})
            await server.ask({"id": 0, "method": "go"})

        nursery.start_soon(go)
        asked = await ask({}, command=(server.address,))
        assert asked.found.end == Completed()
        assert asked.texts == ["all of it"]
        assert asked.events[0] == Heartbeat()


async def test_a_turn_that_ends_while_it_is_asked_about(ask, spawner, tmp_path):
    record = {"turns": [STILL], "thread/resume": ends("completed", agent("just done"))}
    async with serve(spawner, tmp_path, "ws", record) as server:
        asked = await ask({}, command=(server.address,))
        assert (asked.texts, asked.found.end) == (["just done"], Completed())
        assert server.sent("turn/interrupt") == []
        assert not ask.attempts[0].goes_on.is_set()


async def test_a_completion_that_beats_the_interrupt(ask, spawner, tmp_path):
    record = {"turns": [STILL], "turn/interrupt": ends("completed", agent("done"))}
    async with serve(spawner, tmp_path, "ws", record) as server:
        asked = await ask({}, command=(server.address,), stopped=True)
        assert (asked.texts, asked.found.end) == (["done"], Completed())


async def test_a_turn_that_does_not_stop(ask, spawner, tmp_path):
    stubborn = Timeouts(handshake=5_000, request=2_000, cancel=100, close=200)
    async with serve(spawner, tmp_path, "ws", {"turns": [STILL]}) as server:
        asked = await ask({}, command=(server.address,), stopped=True, timeouts=stubborn)
        assert asked.found == Reconciled(Reconciliation.MATCHED_RUNNING, None, "turn-1")


async def test_a_connection_that_is_lost_while_it_goes_on(ask, spawner, tmp_path):
    record = {"turns": [STILL], "turn/interrupt": [{"exit": 1}]}
    async with serve(spawner, tmp_path, "ws", record) as server:
        asked = await ask({}, command=(server.address,), stopped=True)
        assert asked.found == Reconciled(Reconciliation.UNAVAILABLE)
