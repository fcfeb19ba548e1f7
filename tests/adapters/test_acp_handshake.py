"""Everything before the first prompt: versions, login, modes, refusals, silence, death."""

import sys

import attrs
import pytest

from conformance.scenario import HANG, fails
from groupx.adapters.acp.drivers import ACP, DEMO, GROK, HERMES, KIMI
from groupx.adapters.contract import AdapterStartError, McpServer, SessionProfile
from groupx.domain.errors import ErrorCode
from groupx.domain.limits import Timeouts

SHORT = Timeouts(handshake=150)


def greeting(**fields):
    return [{"result": {"protocolVersion": 1, **fields}}]


def session(**fields):
    return [{"result": {"sessionId": "session-1", **fields}}]


def mode_option(current, *values):
    choices = [{"value": value, "name": value} for value in values]
    return {
        "id": "mode-x",
        "category": "mode",
        "type": "select",
        "currentValue": current,
        "options": choices,
    }


async def refused(scripted, scenario, **fields):
    with pytest.raises(AdapterStartError) as caught:
        async with scripted(scenario, **fields):
            pass
    return caught.value


async def test_what_is_said_and_what_is_learnt(scripted, tmp_path):
    scenario = {"initialize": greeting(agentInfo={"name": "x", "version": "2"})}
    async with scripted(scenario) as rig:
        facts = rig.session.facts
    assert (facts.native_session_id, facts.protocol, facts.continuity) == (
        "session-1",
        "acp",
        "new",
    )
    assert (facts.program_name, facts.program_version) == ("x", "2")
    assert facts.capabilities["resume"] == "unsupported"
    assert facts.argv[0] == sys.executable
    initialize, new = rig.frames
    assert initialize["params"]["protocolVersion"] == 1
    assert initialize["params"]["clientCapabilities"] == {
        "fs": {"readTextFile": False, "writeTextFile": False},
        "terminal": False,
    }
    assert new["params"] == {"cwd": str(tmp_path), "mcpServers": []}


async def test_a_version_in_vendor_fields(scripted):
    async with scripted({"initialize": greeting(_meta={"agentVersion": "1.0.41"})}) as rig:
        assert rig.session.facts.program_version == "1.0.41"


def nested(depth):
    value = []
    for _ in range(depth):
        value = [value]
    return value


@pytest.mark.parametrize("version", [2, "1", None, True, nested(900), 10**400])
async def test_another_protocol_version_is_refused(scripted, version):
    error = await refused(scripted, {"initialize": [{"result": {"protocolVersion": version}}]})
    assert (error.code, error.transient) == (ErrorCode.ADAPTER_START_FAILED, False)
    assert len(error.message) < 1_000


async def test_what_a_program_calls_itself_is_cut(scripted):
    info = {"name": "n" * 100_000, "version": "é" * 100_000}
    async with scripted({"initialize": greeting(agentInfo=info)}) as rig:
        facts = rig.session.facts
    assert (facts.program_name, facts.program_version) == ("n" * 200, "é" * 100)


@pytest.mark.parametrize("name", ["", "s" * 1025, "é" * 513])
async def test_a_session_without_a_usable_name(scripted, name):
    error = await refused(scripted, {"session/new": [{"result": {"sessionId": name}}]})
    assert error.code is ErrorCode.ADAPTER_START_FAILED
    assert len(error.message) < 200


@pytest.mark.parametrize("method", ["authenticate", "session/set_mode"])
async def test_one_request_is_waited_for_no_longer_than_its_own_bound(scripted, method):
    login = {"id": "codex-api-key", "name": "API key"}
    modes = {"availableModes": [{"id": "auto", "name": "Auto"}], "currentModeId": "plan"}
    error = await refused(
        scripted,
        {
            "initialize": [{"result": {"protocolVersion": 1, "authMethods": [login]}}],
            "authenticate": [{"result": {}}],
            "session/new": [{"result": {"sessionId": "s", "modes": modes}}],
            method: [HANG],
        },
        mode="auto",
        env={"CODEX_API_KEY": "k"},
        timeouts=Timeouts(request=150),
    )
    assert (error.code, error.transient) == (ErrorCode.PROTOCOL_HANDSHAKE_TIMEOUT, True)
    assert f"did not answer {method} within 0.15 s" in error.message
    assert "timeouts.request" in error.message


async def test_a_tombstone_says_what_to_install(scripted):
    steps = [{"raw": "kimi-cli is no longer maintained.\n"}, {"exit": 0}]
    error = await refused(scripted, {"start": steps}, driver=KIMI)
    assert (error.code, error.transient) == (ErrorCode.ADAPTER_START_FAILED, False)
    assert "no longer maintained" in error.message
    assert "npm install -g @moonshot-ai/kimi-code" in error.message


async def test_a_program_that_is_not_there(spawner, tmp_path):
    from groupx.adapters.acp.adapter import AcpAdapter

    profile = SessionProfile(
        agent_id="a", command=("/nowhere/kimi",), cwd=str(tmp_path), run_dir=str(tmp_path)
    )
    with pytest.raises(AdapterStartError) as caught:
        await AcpAdapter(KIMI).serve(profile, spawner)
    assert (caught.value.code, caught.value.transient) == (ErrorCode.ADAPTER_START_FAILED, False)
    assert "npm install" in caught.value.message


class TestLogin:
    METHODS = greeting(authMethods=[{"id": "grok.com"}, {"id": "xai.api_key"}])

    async def test_with_the_key_at_hand(self, scripted):
        scenario = {"initialize": self.METHODS}
        async with scripted(scenario, driver=GROK, env={"XAI_API_KEY": "k"}) as rig:
            pass
        [login] = rig.sent("authenticate")
        assert login["params"] == {"methodId": "xai.api_key"}

    async def test_without_it_nothing_is_tried(self, scripted, monkeypatch):
        monkeypatch.delenv("XAI_API_KEY", raising=False)
        async with scripted({"initialize": self.METHODS}, driver=GROK) as rig:
            pass
        assert rig.sent("authenticate") == []

    async def test_a_bad_key(self, scripted):
        scenario = {"initialize": self.METHODS, "authenticate": [fails(-32000, "bad key")]}
        error = await refused(scripted, scenario, driver=GROK, env={"XAI_API_KEY": "k"})
        assert (error.code, error.transient) == (ErrorCode.NATIVE_LOGIN_REQUIRED, False)
        assert "XAI_API_KEY" in error.message


class TestMode:
    OFFER = session(
        configOptions=[mode_option("default", "default", "yolo")],
        modes={"currentModeId": "default", "availableModes": [{"id": "default"}, {"id": "yolo"}]},
    )

    async def test_a_config_option_is_preferred(self, scripted):
        done = [{"result": {"configOptions": [mode_option("yolo", "default", "yolo")]}}]
        scenario = {"session/new": self.OFFER, "session/set_config_option": done}
        async with scripted(scenario, mode="yolo") as rig:
            assert rig.session.facts.capabilities["mode"] == "probed"
        [change] = rig.sent("session/set_config_option")
        assert change["params"] == {
            "sessionId": "session-1",
            "configId": "mode-x",
            "value": "yolo",
        }
        assert rig.sent("session/set_mode") == []

    async def test_modes_where_there_is_no_option(self, scripted):
        offer = session(modes={"availableModes": [{"id": "yolo"}]})
        async with scripted({"session/new": offer}, mode="yolo") as rig:
            assert rig.session.facts.capabilities["mode"] == "advertised", "it does not confirm it"
        [change] = rig.sent("session/set_mode")
        assert change["params"] == {"sessionId": "session-1", "modeId": "yolo"}

    async def test_already_set(self, scripted):
        offer = session(configOptions=[mode_option("yolo", "default", "yolo")])
        async with scripted({"session/new": offer}, mode="yolo") as rig:
            assert rig.session.facts.capabilities["mode"] == "probed"
        assert len(rig.frames) == 2

    async def test_grouped_values(self, scripted):
        option = mode_option("default")
        option["options"] = [{"group": "g", "name": "G", "options": [{"value": "yolo"}]}]
        done = [{"result": {"configOptions": [mode_option("yolo", "yolo")]}}]
        scenario = {
            "session/new": session(configOptions=[option]),
            "session/set_config_option": done,
        }
        async with scripted(scenario, mode="yolo") as rig:
            pass
        assert len(rig.sent("session/set_config_option")) == 1

    async def test_not_offered_leaves_it_as_it_is(self, scripted):
        async with scripted({"session/new": self.OFFER}, mode="bypass") as rig:
            assert rig.session.facts.capabilities["mode"] == "not_observed"
        assert len(rig.frames) == 2

    async def test_silently_downgraded(self, scripted):
        kept = [{"result": {"configOptions": [mode_option("default", "default", "yolo")]}}]
        scenario = {"session/new": self.OFFER, "session/set_config_option": kept}
        error = await refused(scripted, scenario, mode="yolo")
        assert (error.code, error.transient) == (ErrorCode.NATIVE_POLICY_BLOCKED, False)
        assert 'stayed in "default"' in error.message

    @pytest.mark.parametrize(("driver", "mode"), [(KIMI, "auto"), (HERMES, "dont_ask")])
    async def test_the_drivers_own_must_be_set(self, scripted, driver, mode):
        name = {"agentInfo": {"name": "hermes-agent"}}
        scenario = {
            "initialize": greeting(**name),
            "session/new": session(configOptions=[mode_option("default", "auto")]),
            "session/set_mode": [fails(-32602, "Unknown modeId")],
        }
        error = await refused(scripted, scenario, driver=driver)
        assert error.code is ErrorCode.NATIVE_POLICY_BLOCKED
        assert f"'{mode}'" in error.message
        async with scripted({**scenario, "session/set_mode": session()}, driver=driver) as rig:
            pass
        [change] = rig.sent("session/set_mode")
        assert change["params"]["modeId"] == mode


async def test_another_program_under_the_name_of_hermes(scripted):
    error = await refused(scripted, {}, driver=HERMES)
    assert (error.code, error.transient) == (ErrorCode.ADAPTER_START_FAILED, False)
    assert "hermes-agent" in error.message


class TestMcp:
    SERVER = McpServer(name="groupx", url="http://127.0.0.1:1/mcp", bearer="secret")
    HTTP = greeting(agentCapabilities={"mcpCapabilities": {"http": True}})

    async def test_given_where_it_is_taken(self, scripted):
        async with scripted({"initialize": self.HTTP}, mcp=self.SERVER) as rig:
            assert rig.session.facts.mcp_injected
        [new] = rig.sent("session/new")
        assert new["params"]["mcpServers"] == [
            {
                "type": "http",
                "name": "groupx",
                "url": "http://127.0.0.1:1/mcp",
                "headers": [{"name": "Authorization", "value": "Bearer secret"}],
            }
        ]
        assert "secret" not in " ".join(rig.session.facts.argv)

    async def test_not_given_where_it_is_not(self, scripted):
        async with scripted({}, mcp=self.SERVER) as rig:
            assert not rig.session.facts.mcp_injected

    async def test_hermes_takes_it_without_saying_so(self, scripted):
        scenario = {"initialize": greeting(agentInfo={"name": "hermes-agent"})}
        async with scripted(scenario, driver=HERMES, mcp=self.SERVER) as rig:
            assert rig.session.facts.mcp_injected
            assert rig.session.facts.capabilities["mcp"] == "documented"

    @pytest.mark.parametrize(("tools", "reached"), [(1, True), (0, False), (None, True)])
    async def test_grok_is_waited_for_and_tells_whether_it_reached_it(
        self, scripted, tools, reached
    ):
        told = {"method": "_x.ai/mcp_initialized", "params": {"mcpToolCount": tools}}
        scenario = {
            "initialize": greeting(agentCapabilities={"mcpCapabilities": {"http": True}}),
            "session/new": [{"result": {"sessionId": "session-1"}}, {"send": told}],
        }
        async with scripted(scenario, driver=GROK, mcp=self.SERVER) as rig:
            assert rig.session.facts.mcp_injected is reached

    async def test_grok_is_not_waited_for_for_ever(self, scripted):
        hasty = attrs.evolve(GROK, quirks=attrs.evolve(GROK.quirks, mcp_wait_seconds=0.01))
        scenario = {"initialize": greeting(agentCapabilities={"mcpCapabilities": {"http": True}})}
        async with scripted(scenario, driver=hasty, mcp=self.SERVER) as rig:
            assert rig.session.facts.mcp_injected

    async def test_hermes_gets_the_time_that_it_takes_for_a_dead_server(self, scripted):
        scenario = {"initialize": greeting(agentInfo={"name": "hermes-agent"})}
        scenario["session/new"] = [{"pause": 0.4}, {"result": {"sessionId": "session-1"}}]
        hasty = Timeouts(handshake=10_000, request=300)
        error = await refused(scripted, scenario, driver=HERMES, timeouts=hasty)
        assert error.code is ErrorCode.PROTOCOL_HANDSHAKE_TIMEOUT
        async with scripted(scenario, driver=HERMES, timeouts=hasty, mcp=self.SERVER) as rig:
            assert rig.session.facts.mcp_injected


class TestArgv:
    PROFILE = SessionProfile(agent_id="ada", command=(), args=("{x}",), cwd="/", run_dir="/")

    @pytest.mark.parametrize(
        ("driver", "command", "argv"),
        [
            (KIMI, (), "kimi acp {x}"),
            (KIMI, ("npx", "kimi"), "npx kimi acp {x}"),
            (HERMES, (), "hermes --yolo {x} acp"),
            (
                GROK,
                (),
                "grok --no-auto-update agent --no-leader --always-approve {x} stdio",
            ),
            (ACP, ("opencode",), "opencode {x}"),
            (DEMO, (), f"{sys.executable} -P -m groupx.demo_agent --name ada {{x}}"),
        ],
    )
    def test_of(self, driver, command, argv):
        assert driver.argv(attrs.evolve(self.PROFILE, command=command)) == tuple(argv.split())


async def test_close_is_the_native_one_where_it_is_offered(scripted):
    can = {"sessionCapabilities": {"close": {}}}
    async with scripted({"initialize": greeting(agentCapabilities=can)}) as rig:
        await rig.session.close()
        await rig.session.closed.wait()
        assert not rig.session.usable
    assert len(rig.sent("session/close")) == 1
