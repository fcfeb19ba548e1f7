"""What the assistant remembers for the user is the room's, under its own name."""

from groupx.actors.messages import Remember
from groupx.domain.errors import ErrorCode
from groupx.domain.memory_commands import MemoryDraft
from tests.mcp.tools.test_operator import operating

A = "agent:a"


def contents(answer):
    return [record["content"] for record in answer["records"]]


async def test_it_keeps_finds_and_takes_back_for_the_room(jumping_clock, tmp_path):
    async with operating(tmp_path, "a") as operator:
        given = {"content": "We use tabs", "kind": "decision", "clientCommandId": "1"}
        kept = await operator.use("memory_remember", **given)
        record = kept["record"]
        assert (record["authorActorId"], record["sourceKind"]) == ("user:assistant", "operator")
        assert (record["scopeType"], record["scopeId"]) == ("room", "room:main")
        assert await operator.use("memory_remember", **given) == kept
        assert contents(await operator.use("memory_search", query="tabs")) == ["We use tabs"]
        gone = await operator.use("memory_retract", memoryId=record["memoryId"])
        assert gone["record"]["status"] == "retracted"
        assert contents(await operator.use("memory_search")) == []
        assert contents(await operator.use("memory_search", history=True)) == ["We use tabs"]
        assert operator.room.programs[A].prompts == []


async def test_what_an_agent_keeps_for_itself_is_not_its_business(jumping_clock, tmp_path):
    async with operating(tmp_path, "a") as operator:
        draft = MemoryDraft(layer="core", owner=A, kind="note", content="private")
        core = await operator.room.broker.ref.ask(Remember(client_command_id="u", draft=draft))
        assert contents(await operator.use("memory_search", history=True)) == []
        memory_id = core.record.memory_id
        code = await operator.refused("memory_retract", memoryId=memory_id)
        assert code is ErrorCode.MCP_BINDING_MISMATCH
        for given in ({"scope": "core"}, {"scopeId": A}, {"layer": "dated"}):
            code = await operator.refused("memory_remember", content="x", **given)
            assert code is ErrorCode.INVALID_ENVELOPE
        assert await operator.refused("memory_retract", memoryId="mem_none") == "NOT_FOUND"
