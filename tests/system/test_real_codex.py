"""What only Codex does: threads without turns, providers that are not there, its own ids."""

import attrs
import pytest

from conformance import real_settings
from conformance.mcp_server import McpServer as MockMcp
from groupx.adapters.contract import AdapterStartError, Completed, Failed, McpServer
from groupx.adapters.registry import adapter_for
from groupx.domain.errors import ErrorCode
from tests.system.real_turns import ask, opened

pytestmark = [
    pytest.mark.real,
    pytest.mark.slow,
    pytest.mark.timeout(120),
    pytest.mark.parametrize("program", ["codex"], indirect=True),
]


async def test_the_program_itself_is_started_and_its_turns_have_ids(profile, spawner):
    async with opened("codex", profile, spawner) as session:
        assert session.facts.program_version[0].isdigit()
        assert not session.facts.argv[0].endswith(".js")
        assert (await ask(session, "hello")).events[0].native_turn_id


async def test_a_thread_without_turns_is_a_new_one(profile, spawner):
    async with opened("codex", profile, spawner) as unused:
        pass
    again = attrs.evolve(profile, resume=unused.facts.native_session_id)
    async with opened("codex", again, spawner) as session:
        assert session.facts.continuity == "new"
        assert (await ask(session, "SAY:fresh")).outcome == ("fresh", Completed)


async def test_a_tool_of_the_room_is_named_by_its_server(profile, spawner, program):
    with MockMcp("secret-bearer") as mcp:
        given = McpServer(name="groupx", url=mcp.url, bearer=mcp.bearer)
        async with opened("codex", attrs.evolve(profile, mcp=given), spawner) as session:
            turn = await ask(session, program.uses("post", text="hi"))
            assert [tool.name for tool in turn.tools] == ["groupx.post"] * 2


@pytest.mark.parametrize(
    ("status", "code"),
    [(429, ErrorCode.NATIVE_QUOTA_EXCEEDED), (500, ErrorCode.NATIVE_TURN_FAILED)],
)
async def test_a_model_that_fails(profile, spawner, status, code):
    async with opened("codex", profile, spawner) as session:
        turn = await ask(session, f"FAIL:{status}")
        assert isinstance(turn.end, Failed)
        assert turn.end.code is code
        assert (await ask(session, "SAY:on")).text == "on"


async def test_a_model_that_is_not_there_is_given_up(profile, spawner, tmp_path):
    nowhere = real_settings.codex(tmp_path / "home", "http://127.0.0.1:9")
    async with opened("codex", attrs.evolve(profile, env=nowhere), spawner) as session:
        turn = await ask(session, "hello")
        assert isinstance(turn.end, Failed)
        assert turn.end.code is ErrorCode.NATIVE_TURN_FAILED


async def test_without_a_login_it_says_so_before_any_message(profile, spawner, tmp_path):
    home = tmp_path / "empty"
    home.mkdir()
    bare = attrs.evolve(profile, env={"HOME": str(home), "CODEX_HOME": str(home)})
    with pytest.raises(AdapterStartError) as caught:
        await adapter_for("codex").serve(bare, spawner)
    assert caught.value.code is ErrorCode.NATIVE_LOGIN_REQUIRED
