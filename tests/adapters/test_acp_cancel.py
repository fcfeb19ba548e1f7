"""Cancel: early, mid-stream, in a tool, ignored, lost, too late, and the program it bricks."""

import trio
import trio.testing

from conformance.scenario import CANCELLED, HANG, asks, ends, fails, says, tool
from groupx.adapters.acp import session as acp_session
from groupx.adapters.acp.drivers import HERMES
from groupx.adapters.contract import Cancelled, Completed, Exited, Failed

AS_HERMES = [{"result": {"protocolVersion": 1, "agentInfo": {"name": "hermes-agent"}}}]


async def cancelled_once_begun(rig):
    """Prompt, cancel at the first sign of life, and the turn as it ended."""
    async with trio.open_nursery() as nursery:
        turn = Turn()
        nursery.start_soon(run, rig, turn)
        await turn.began.wait()
        await rig.session.cancel()
    return turn


class Turn:
    def __init__(self):
        self.events, self.end, self.began = [], None, trio.Event()

    def sink(self, event):
        self.events.append(event)
        self.began.set()


async def run(rig, turn):
    turn.end = await rig.session.prompt("go", turn.sink)


async def test_mid_stream(scripted):
    prompts = [[says("a"), CANCELLED, says("b"), ends("cancelled")], [says("c"), ends()]]
    async with scripted({"session/prompt": prompts}) as rig:
        turn = await cancelled_once_begun(rig)
        again = await rig.prompt()
    assert turn.end == Cancelled()
    assert (again.text, again.end) == ("c", Completed())
    assert len(rig.sent("session/cancel")) == 1


async def test_in_a_tool(scripted):
    steps = [tool(title="sleep 30", status="in_progress"), CANCELLED, ends("cancelled")]
    async with scripted({"session/prompt": [steps]}) as rig:
        turn = await cancelled_once_begun(rig)
    assert turn.end == Cancelled()
    assert turn.events[-1].status == "cancelled"


async def test_never_before_the_prompt_and_never_when_idle(scripted):
    async with scripted({"session/prompt": [[CANCELLED, ends("cancelled")]]}) as rig:
        await rig.session.cancel()
        async with trio.open_nursery() as nursery:
            turn = Turn()
            nursery.start_soon(run, rig, turn)
            await trio.testing.wait_all_tasks_blocked()
            await rig.session.cancel()
        await rig.session.cancel()
        await rig.prompt()
    assert turn.end == Cancelled()
    methods = [frame["method"] for frame in rig.frames if "method" in frame]
    assert methods[2:] == ["session/prompt", "session/cancel", "session/prompt"]


async def test_one_lost_before_the_first_update_is_sent_again(scripted):
    steps = [CANCELLED, says("I heard nothing"), CANCELLED, ends("cancelled")]
    async with scripted({"session/prompt": [steps]}) as rig:
        async with trio.open_nursery() as nursery:
            turn = Turn()
            nursery.start_soon(run, rig, turn)
            await trio.testing.wait_all_tasks_blocked()
            await rig.session.cancel()
        assert rig.session.usable
    assert turn.end == Cancelled()


async def test_one_without_an_answer_is_repeated(scripted, monkeypatch):
    monkeypatch.setattr(acp_session, "CANCEL_REPEAT_SECONDS", 0.02)
    steps = [says("a"), CANCELLED, CANCELLED, CANCELLED, ends("cancelled")]
    async with scripted({"session/prompt": [steps]}) as rig:
        turn = await cancelled_once_begun(rig)
    assert turn.end == Cancelled()


async def test_a_question_on_the_way_is_answered_and_moot(scripted):
    steps = [says("a"), CANCELLED, asks(), {"await": 0}, ends("cancelled")]
    async with scripted({"session/prompt": [steps]}) as rig:
        turn = await cancelled_once_begun(rig)
    assert turn.end == Cancelled()


async def test_too_late_is_completed(scripted):
    async with scripted({"session/prompt": [[says("a"), CANCELLED, ends()]]}) as rig:
        turn = await cancelled_once_begun(rig)
        assert rig.session.usable
    assert turn.end == Completed()


async def test_answered_by_the_error_for_it(scripted):
    steps = [says("a"), CANCELLED, fails(-32800, "Request cancelled")]
    async with scripted({"session/prompt": [steps]}) as rig:
        turn = await cancelled_once_begun(rig)
        assert rig.session.usable
    assert turn.end == Cancelled()


async def test_answered_by_another_error_leaves_doubt(scripted):
    steps = [says("a"), CANCELLED, fails(-32603, "aborted")]
    async with scripted({"session/prompt": [steps]}) as rig:
        turn = await cancelled_once_begun(rig)
        assert not rig.session.usable
    assert isinstance(turn.end, Failed)
    assert not turn.end.session_usable


async def test_ignored_until_killed(scripted):
    async with scripted({"session/prompt": [[says("a"), CANCELLED, HANG]]}) as rig:
        async with trio.open_nursery() as nursery:
            turn = Turn()
            nursery.start_soon(run, rig, turn)
            await turn.began.wait()
            await rig.session.cancel()
            await trio.testing.wait_all_tasks_blocked()
            rig.session.kill()
        assert not rig.session.usable
    assert turn.end == Exited(returncode=-9)


async def test_a_cancelled_caller_leaves_the_session_unusable(scripted):
    async with scripted({"session/prompt": [[says("a"), HANG]]}) as rig:
        async with trio.open_nursery() as nursery:
            turn = Turn()
            nursery.start_soon(run, rig, turn)
            await turn.began.wait()
            nursery.cancel_scope.cancel()
        assert turn.end is None
        assert not rig.session.usable


class TestHermes:
    async def test_confirmed_is_usable(self, scripted):
        steps = [says("a"), CANCELLED, ends("cancelled")]
        scenario = {"initialize": AS_HERMES, "session/prompt": [steps]}
        async with scripted(scenario, driver=HERMES) as rig:
            turn = await cancelled_once_begun(rig)
            assert rig.session.usable
        assert turn.end == Cancelled()

    async def test_bricked_by_a_cancel_in_a_tool(self, scripted):
        error = fails(-32603, "Internal error", {"details": "'NoneType' object has no …"})
        steps = [tool(title="terminal: sleep 30"), CANCELLED, error]
        scenario = {"initialize": AS_HERMES, "session/prompt": [steps]}
        async with scripted(scenario, driver=HERMES) as rig:
            turn = await cancelled_once_begun(rig)
            assert not rig.session.usable
        assert turn.end == Cancelled()

    async def test_too_late_may_have_bricked_it(self, scripted):
        steps = [says("a"), CANCELLED, ends()]
        scenario = {"initialize": AS_HERMES, "session/prompt": [steps]}
        async with scripted(scenario, driver=HERMES) as rig:
            turn = await cancelled_once_begun(rig)
            assert not rig.session.usable
        assert turn.end == Completed()

    async def test_bricked_by_an_error_of_its_own(self, scripted):
        steps = [fails(-32603, "Internal error")]
        scenario = {"initialize": AS_HERMES, "session/prompt": [steps]}
        async with scripted(scenario, driver=HERMES) as rig:
            turn = await rig.prompt()
            assert not rig.session.usable
        assert isinstance(turn.end, Failed)

    async def test_a_queued_message_was_not_run(self, scripted):
        steps = [says("Queued for the next turn. (1 queued)"), ends()]
        scenario = {"initialize": AS_HERMES, "session/prompt": [steps]}
        async with scripted(scenario, driver=HERMES) as rig:
            turn = await rig.prompt()
            assert not rig.session.usable
        assert isinstance(turn.end, Failed)

    async def test_a_refusal_out_of_nowhere_is_an_unknown_session(self, scripted):
        scenario = {"initialize": AS_HERMES, "session/prompt": [[ends("refusal")]]}
        async with scripted(scenario, driver=HERMES) as rig:
            turn = await rig.prompt()
            assert not rig.session.usable
        assert "no longer knows this session" in turn.end.message
