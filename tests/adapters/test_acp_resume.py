"""Going on with an earlier session: only where the program proves that it knows it."""

import pytest

from conformance.scenario import HANG, ends, fails, says
from groupx.adapters.acp.drivers import DEMO, HERMES, KIMI
from groupx.adapters.contract import AdapterStartError, Completed
from groupx.domain.errors import ErrorCode
from groupx.domain.limits import Timeouts

EARLIER = "session-1"
NEW = [{"result": {"sessionId": "session-2"}}]


def program(*, name="scripted", load=True, resume=False):
    can = {"loadSession": load, "sessionCapabilities": {"resume": {}} if resume else {}}
    return [
        {
            "result": {
                "protocolVersion": 1,
                "agentCapabilities": can,
                "agentInfo": {"name": name, "version": "1"},
            }
        }
    ]


def scenario(*load, method="session/load", **more):
    return {"initialize": program(), "session/new": NEW, method: list(load), **more}


def opened(rig):
    facts = rig.session.facts
    return facts.native_session_id, facts.continuity


async def test_a_known_session_goes_on(scripted, tmp_path):
    async with scripted(scenario({"result": {}}), resume=EARLIER) as rig:
        assert opened(rig) == (EARLIER, "resumed")
        assert rig.session.facts.capabilities["resume"] == "probed"
        assert (await rig.prompt()).end == Completed()
    [load] = rig.sent("session/load")
    assert load["params"] == {"sessionId": EARLIER, "cwd": str(tmp_path), "mcpServers": []}
    assert rig.sent("session/new") == []
    assert rig.sent("session/prompt")[0]["params"]["sessionId"] == EARLIER


async def test_an_empty_answer_is_enough_for_plain_acp(scripted):
    async with scripted(scenario({"result": None}), resume=EARLIER) as rig:
        assert opened(rig) == (EARLIER, "resumed")


async def test_without_an_earlier_session_there_is_nothing_to_load(scripted):
    async with scripted(scenario({"result": {}})) as rig:
        assert opened(rig) == ("session-2", "new")
        assert rig.session.facts.capabilities["resume"] == "advertised"
    assert rig.sent("session/load") == []


async def test_resume_where_load_is_not_offered(scripted):
    offer = {"initialize": program(load=False, resume=True)}
    async with scripted(
        scenario({"result": {}}, method="session/resume", **offer), resume=EARLIER
    ) as rig:
        assert opened(rig) == (EARLIER, "resumed")
    assert rig.sent("session/load") == []


async def test_neither_offered(scripted):
    offer = {"initialize": program(load=False)}
    async with scripted(scenario({"result": {}}, **offer), resume=EARLIER) as rig:
        assert opened(rig) == ("session-2", "new")
        assert rig.session.facts.capabilities["resume"] == "unsupported"
    assert len(rig.frames) == 2


async def test_what_is_replayed_is_not_part_of_the_next_turn(scripted):
    told = {
        "sessionUpdate": "user_message_chunk",
        "content": {"type": "text", "text": "<reminder>"},
    }
    replay = [{"update": told}, says("what I said then"), {"result": {}}]
    prompts = [[says("what I say now"), ends()]]
    async with scripted(scenario(*replay, **{"session/prompt": prompts}), resume=EARLIER) as rig:
        turn = await rig.prompt()
    assert turn.text == "what I say now"


@pytest.mark.parametrize(
    "answer",
    [
        fails(-32602, "Unknown session"),
        fails(-32002, "Resource not found"),
        fails(-32603, "Path not found.", {"code": "FS_NOT_FOUND"}),
        {"result": {"sessionId": "another"}},
    ],
)
async def test_an_unknown_session_is_a_new_one_in_the_same_process(scripted, answer):
    async with scripted(scenario(answer), resume=EARLIER) as rig:
        assert opened(rig) == ("session-2", "new")
        assert (await rig.prompt()).end == Completed()
    assert len(rig.sent("initialize")) == 1
    assert rig.sent("session/prompt")[0]["params"]["sessionId"] == "session-2"


async def test_hermes_answers_an_unknown_id_as_if_all_were_well(scripted):
    offer = {"initialize": program(name="hermes-agent")}
    async with scripted(scenario({"result": {}}, **offer), driver=HERMES, resume=EARLIER) as rig:
        assert opened(rig) == ("session-2", "new")
    known = {"result": {"modes": {"currentModeId": "default", "availableModes": []}}}
    async with scripted(scenario(known, **offer), driver=HERMES, resume=EARLIER) as rig:
        assert opened(rig) == (EARLIER, "resumed")
    [mode] = rig.sent("session/set_mode")
    assert mode["params"] == {"sessionId": EARLIER, "modeId": "dont_ask"}


@pytest.mark.parametrize("steps", [[{"exit": 0}], [{"raw": "panic!\n"}, HANG]])
async def test_a_load_that_breaks_the_program_asks_for_a_fresh_one(scripted, steps):
    timeouts = Timeouts(handshake=10_000, request=150)
    with pytest.raises(AdapterStartError) as caught:
        async with scripted(scenario(*steps), resume=EARLIER, timeouts=timeouts):
            pass
    assert (caught.value.code, caught.value.transient) == (
        ErrorCode.NATIVE_RESUME_UNSUPPORTED,
        True,
    )


class TestMode:
    """A session that is gone on with may have fallen back to the mode that asks."""

    async def test_is_set_again(self, scripted):
        modes = {"currentModeId": "default", "availableModes": [{"id": "default"}, {"id": "yolo"}]}
        loaded = {"result": {"modes": modes}}
        async with scripted(scenario(loaded), resume=EARLIER, mode="yolo") as rig:
            assert opened(rig) == (EARLIER, "resumed")
        assert len(rig.sent("session/set_mode")) == 1

    async def test_of_the_driver(self, scripted):
        async with scripted(scenario({"result": {}}), driver=KIMI, resume=EARLIER) as rig:
            assert opened(rig) == (EARLIER, "resumed")
        [mode] = rig.sent("session/set_mode")
        assert mode["params"] == {"sessionId": EARLIER, "modeId": "auto"}

    async def test_not_mentioned_is_asked_for(self, scripted):
        async with scripted(scenario({"result": {}}), resume=EARLIER, mode="yolo") as rig:
            assert opened(rig) == (EARLIER, "resumed")
        assert len(rig.sent("session/set_mode")) == 1

    async def test_refused_there_is_a_new_session(self, scripted):
        refusing = {"session/set_mode": [fails(-32602, "no such mode")]}
        async with scripted(
            scenario({"result": {}}, **refusing), resume=EARLIER, mode="yolo"
        ) as rig:
            assert opened(rig) == ("session-2", "new")
        assert len(rig.sent("session/set_mode")) == 1


async def test_the_demo_agent_goes_on_with_any_session_of_its_own(spawner, tmp_path):
    from tests.adapters.test_demo_agent import open_demo

    async with open_demo(spawner, tmp_path) as session:
        earlier = session.facts.native_session_id
    for resume, continuity in ((earlier, "resumed"), ("demo-1-1", "new")):
        async with open_demo(spawner, tmp_path, resume=resume) as session:
            assert session.facts.continuity == continuity
            assert (session.facts.native_session_id == resume) == (continuity == "resumed")
    assert DEMO.quirks.resumed_says is None
