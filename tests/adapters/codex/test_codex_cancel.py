"""Interrupts: early, mid-stream, in a command, refused, ignored, too late."""

import pytest
import trio
import trio.testing

from conformance.app_server_scenario import BEGINS, INTERRUPT, INTERRUPTED, asks, ends, opens, says
from conformance.scenario import HANG, fails
from groupx.adapters.codex import session as codex_session
from groupx.adapters.contract import Cancelled, Completed, Exited


class Turn:
    def __init__(self):
        self.events, self.end, self.began = [], None, trio.Event()

    def sink(self, event):
        self.events.append(event)
        self.began.set()


async def run(rig, turn):
    turn.end = await rig.session.prompt("go", turn.sink)


async def cancelled(rig, *, early=False):
    """Prompt, cancel at once or at the first sign of life, and the turn as it ended."""
    async with trio.open_nursery() as nursery:
        turn = Turn()
        nursery.start_soon(run, rig, turn)
        if early:
            await trio.testing.wait_all_tasks_blocked()
        else:
            await turn.began.wait()
        await rig.session.cancel()
    return turn


async def test_mid_stream(app_server):
    first = [*BEGINS, says("a"), INTERRUPT, says("b"), INTERRUPTED]
    scenario = {"turn/start": [first, [*BEGINS, says("c"), ends()]]}
    async with app_server(scenario) as rig:
        turn = await cancelled(rig)
        again = await rig.prompt()
    assert turn.end == Cancelled()
    assert (again.text, again.end) == ("c", Completed())
    [interrupt] = rig.sent("turn/interrupt")
    assert interrupt["params"] == {"threadId": "thread-1", "turnId": "turn-1"}


async def test_never_before_the_turn_has_started(app_server):
    steps = [{"turn": "answer"}, {"await": "x"}, {"turn": "started"}, INTERRUPT, INTERRUPTED]
    async with app_server({"turn/start": [steps]}) as rig, trio.open_nursery() as nursery:
        turn = Turn()
        nursery.start_soon(run, rig, turn)
        await trio.testing.wait_all_tasks_blocked()
        await rig.session.cancel()
        await trio.testing.wait_all_tasks_blocked(0.05)
        assert rig.sent("turn/interrupt") == []
        rig.session.connection.notify("x", None)
    assert turn.end == Cancelled()


async def test_in_a_command_that_goes_on_running(app_server):
    steps = [*BEGINS, opens(command="sleep 300"), INTERRUPT, INTERRUPTED]
    async with app_server({"turn/start": [steps]}) as rig:
        turn = await cancelled(rig)
        assert rig.session.usable
    assert turn.end == Cancelled()
    assert turn.events[-1].status == "cancelled"
    [clean] = rig.sent("thread/backgroundTerminals/clean")
    assert clean["params"] == {"threadId": "thread-1"}


@pytest.mark.parametrize(
    "answer", [fails(-32600, "unknown variant"), {"await": "end"}, {"exit": 0}]
)
async def test_a_command_that_cannot_be_ended_costs_the_session(app_server, monkeypatch, answer):
    monkeypatch.setattr(codex_session, "CLEAN_SECONDS", 0.1)
    steps = [*BEGINS, opens(command="sleep 300"), INTERRUPT, INTERRUPTED]
    scenario = {"turn/start": [steps], "thread/backgroundTerminals/clean": [answer]}
    async with app_server(scenario) as rig:
        turn = await cancelled(rig)
        assert not rig.session.usable
    assert turn.end == Cancelled()


async def test_never_when_idle(app_server):
    async with app_server() as rig:
        await rig.session.cancel()
        await rig.prompt()
        await rig.session.cancel()
        await rig.prompt()
    assert rig.sent("turn/interrupt") == []


async def test_one_that_was_refused_is_sent_again(app_server, monkeypatch):
    monkeypatch.setattr(codex_session, "INTERRUPT_REPEAT_SECONDS", 0.02)
    steps = [*BEGINS, says("a"), INTERRUPT, INTERRUPT, INTERRUPT, INTERRUPTED]
    async with app_server({"turn/start": [steps]}) as rig:
        turn = await cancelled(rig)
    assert turn.end == Cancelled()


async def test_too_late_is_completed(app_server):
    async with app_server({"turn/start": [[*BEGINS, says("a"), INTERRUPT, ends()]]}) as rig:
        turn = await cancelled(rig)
        assert rig.session.usable
    assert turn.end == Completed()


async def test_a_question_on_the_way_is_answered_and_moot(app_server):
    steps = [*BEGINS, says("a"), INTERRUPT, asks(), {"await": 0}, INTERRUPTED]
    async with app_server({"turn/start": [steps]}) as rig:
        turn = await cancelled(rig)
    assert turn.end == Cancelled()


async def test_ignored_until_killed(app_server):
    async with app_server({"turn/start": [[*BEGINS, says("a"), INTERRUPT, HANG]]}) as rig:
        async with trio.open_nursery() as nursery:
            turn = Turn()
            nursery.start_soon(run, rig, turn)
            await turn.began.wait()
            await rig.session.cancel()
            await trio.testing.wait_all_tasks_blocked()
            rig.session.kill()
        assert not rig.session.usable
    assert turn.end == Exited(returncode=-9)


async def test_an_exit_while_it_is_waited_for(app_server):
    async with app_server({"turn/start": [[{"turn": "answer"}, {"exit": 3}]]}) as rig:
        turn = await cancelled(rig, early=True)
    assert turn.end == Exited(returncode=3)


async def test_a_cancelled_caller_leaves_the_session_unusable(app_server):
    async with app_server({"turn/start": [[*BEGINS, says("a"), HANG]]}) as rig:
        async with trio.open_nursery() as nursery:
            turn = Turn()
            nursery.start_soon(run, rig, turn)
            await turn.began.wait()
            nursery.cancel_scope.cancel()
        assert turn.end is None
        assert not rig.session.usable
