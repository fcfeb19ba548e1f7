"""The bearer that a program is given comes back in nothing that is read of it."""

import sys

import attrs
import pytest
import trio

from conformance.dialects.acp import AcpDialect
from conformance.dialects.app_server import AppServerDialect
from conformance.dialects.stream_json import StreamJsonDialect
from groupx.adapters.acp.adapter import AcpAdapter
from groupx.adapters.acp.drivers import ACP
from groupx.adapters.claude.adapter import ClaudeAdapter
from groupx.adapters.codex.adapter import CodexAdapter
from groupx.adapters.contract import AdapterStartError, McpServer, SessionProfile
from groupx.domain.limits import Timeouts
from groupx.process.hiding import PLACE
from tests.adapters.codex.socket_server import serve

BEARER = "5ec2e7" * 10
MCP = McpServer(name="groupx", url="http://127.0.0.1:1/mcp", bearer=BEARER)
HIDDEN = PLACE.decode()
PEERS = {
    "acp": (AcpAdapter(ACP), AcpDialect, "initialize", "session/prompt"),
    "codex": (CodexAdapter(), AppServerDialect, "initialize", "turn/start"),
    "claude": (ClaudeAdapter(), StreamJsonDialect, "initialize", "user"),
}
SAYS = f"Authorization: Bearer {BEARER}"
LAST_WORDS = {
    "stderr": [{"stderr": f"{SAYS}\n"}, {"exit": 1}],
    "stdout": [{"raw": f"{SAYS}\n"}, {"exit": 1}],
    "cut short": [{"stderr": "x" * 570 + SAYS}, {"exit": 1}],
    "an object": [{"raw": f'{{"a": "{SAYS}"}}\n'}, {"await": "end"}],
}


@pytest.fixture(params=PEERS)
def peer(request):
    return PEERS[request.param]


def whole(error):
    """All that a user could read of it."""
    return f"{error.message} {error!r}"


@pytest.mark.parametrize("how", LAST_WORDS)
async def test_a_start_that_failed_does_not_tell_it(scripted, peer, how):
    adapter, dialect, first, _ = peer
    scenario = {first: LAST_WORDS[how]}
    with pytest.raises(AdapterStartError) as caught:
        async with scripted(scenario, adapter=adapter, program=dialect.agent, mcp=MCP):
            pass
    told = whole(caught.value)
    assert "Bearer" in told
    assert BEARER[:6] not in told


@pytest.mark.parametrize("how", ["stderr", "an object"])
async def test_a_turn_that_failed_does_not_tell_it(scripted, peer, how):
    adapter, dialect, _, prompting = peer
    scenario = {prompting: [LAST_WORDS[how]]}
    async with scripted(scenario, adapter=adapter, program=dialect.agent, mcp=MCP) as rig:
        turn = await rig.prompt()
    told = repr((turn.end, turn.events))
    assert "Bearer" in told
    assert BEARER[:6] not in told


async def test_what_a_socket_says_does_not_tell_it(spawner, tmp_path):
    refused = {"thread/start": [{"error": {"code": -32000, "message": SAYS}}]}
    async with serve(spawner, tmp_path, "ws", refused) as server:
        profile = SessionProfile(
            agent_id="codex",
            cwd=str(tmp_path),
            command=(server.address,),
            timeouts=Timeouts(handshake=2_000, close=1_000),
            run_dir=str(tmp_path),
            mcp=MCP,
        )
        with pytest.raises(AdapterStartError) as caught:
            await CodexAdapter().serve(profile, spawner)
    assert HIDDEN in caught.value.message
    assert BEARER[:6] not in whole(caught.value)


async def test_a_program_without_secrets_is_read_as_it_is(spawner):
    script = f"import sys; print('{BEARER}'); print('{BEARER}', file=sys.stderr)"
    argv = (sys.executable, "-E", "-s", "-S", "-c", script)
    for secrets, said in (((), BEARER), (("",), BEARER), ((BEARER,), HIDDEN)):
        async with spawner.open(argv, secrets=secrets) as child:
            with trio.fail_after(10):
                assert await child.next_line() == said.encode()
                await child.exited.wait()
            assert child.stderr_excerpt(1_000) == f"{said}\n"


def test_a_profile_names_what_its_program_is_told():
    profile = SessionProfile(agent_id="a", command=(), cwd="/", run_dir="/", mcp=MCP)
    assert profile.secrets == (BEARER,)
    assert attrs.evolve(profile, mcp=None).secrets == ()
