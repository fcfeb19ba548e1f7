"""Cancels that only ACP has: lost before the first update, and the program that they brick."""

from conformance.scenario import CANCELLED, ends, fails, says
from groupx.adapters.acp.drivers import HERMES
from groupx.adapters.contract import Cancelled, ContentDelta, Failed

AS_HERMES = [{"result": {"protocolVersion": 1, "agentInfo": {"name": "hermes-agent"}}}]


async def test_one_lost_before_the_first_update_is_sent_again(scripted):
    steps = [CANCELLED, says("I heard nothing"), CANCELLED, ends("cancelled")]
    async with scripted({"session/prompt": [steps]}) as rig:
        turn = await rig.cancelled()
        assert rig.session.usable
    assert turn.end == Cancelled()


async def test_answered_by_the_error_for_it(scripted):
    steps = [says("a"), CANCELLED, fails(-32800, "Request cancelled")]
    async with scripted({"session/prompt": [steps]}) as rig:
        turn = await rig.cancelled(ContentDelta)
        assert rig.session.usable
    assert turn.end == Cancelled()


class TestHermes:
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
