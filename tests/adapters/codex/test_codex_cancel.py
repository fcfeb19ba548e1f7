"""Interrupts: what is sent when, and what becomes of a command that they stop."""

import pytest
import trio
import trio.testing

from conformance.app_server_scenario import BEGINS, INTERRUPT, INTERRUPTED, ends, opens, says
from conformance.scenario import fails
from groupx.adapters.codex import session as codex_session
from groupx.adapters.contract import Cancelled, Completed, Exited, Started


async def test_mid_stream(app_server):
    first = [*BEGINS, says("a"), INTERRUPT, says("b"), INTERRUPTED]
    scenario = {"turn/start": [first, [*BEGINS, says("c"), ends()]]}
    async with app_server(scenario) as rig:
        turn = await rig.cancelled(Started)
        again = await rig.prompt()
    assert turn.end == Cancelled()
    assert (again.text, again.end) == ("c", Completed())
    [interrupt] = rig.sent("turn/interrupt")
    assert interrupt["params"] == {"threadId": "thread-1", "turnId": "turn-1"}


async def test_never_before_the_turn_has_started(app_server):
    steps = [{"turn": "answer"}, {"await": "x"}, {"turn": "started"}, INTERRUPT, INTERRUPTED]
    async with app_server({"turn/start": [steps]}) as rig, trio.open_nursery() as nursery:
        ended = []

        async def run():
            ended.append((await rig.cancelled()).end)

        nursery.start_soon(run)
        await trio.testing.wait_all_tasks_blocked()
        await trio.testing.wait_all_tasks_blocked(0.05)
        assert rig.sent("turn/interrupt") == []
        rig.session.connection.notify("x", None)
    assert ended == [Cancelled()]


async def test_in_a_command_that_goes_on_running(app_server):
    steps = [*BEGINS, opens(command="sleep 300"), INTERRUPT, INTERRUPTED]
    async with app_server({"turn/start": [steps]}) as rig:
        turn = await rig.cancelled(Started)
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
        turn = await rig.cancelled(Started)
        assert not rig.session.usable
    assert turn.end == Cancelled()


async def test_an_exit_while_it_is_waited_for(app_server):
    async with app_server({"turn/start": [[{"turn": "answer"}, {"exit": 3}]]}) as rig:
        turn = await rig.cancelled()
    assert turn.end == Exited(returncode=3)
