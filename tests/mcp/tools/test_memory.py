"""The memory and identity tools: kept under the caller's name, read by whom it is for."""

import pytest

from groupx.actors.messages import Remember, SetMemoryPolicy, Supersede
from groupx.domain.errors import ErrorCode
from groupx.domain.memory import MAX_RECORD_CHARACTERS
from groupx.domain.memory_commands import MemoryDraft
from groupx.mcp.tool import MAX_RESULT_BYTES
from tests.mcp.acting import acting

A, B = "agent:a", "agent:b"
KEEPING = ("memory_remember", "core_memory_remember", "identity_remember")
READING = ("memory_search", "identity_read")


@pytest.fixture
async def stage(jumping_clock, tmp_path):
    async with acting(tmp_path, "a", "b") as it:
        yield it


def contents(answer):
    return [record["content"] for record in answer["records"]]


async def test_what_one_keeps_for_the_room_all_find_and_are_told(stage):
    async def keeps(prompt):
        kept = await stage.use(
            prompt, "memory_remember", content="We use tabs", kind="decision", subject="b"
        )
        record = kept["record"]
        assert (record["authorActorId"], record["subjectActorId"]) == (A, B)
        assert (record["scopeType"], record["scopeId"]) == ("room", "room:main")
        assert (record["kind"], record["sourceKind"], record["status"]) == (
            "decision", "mcp", "active",
        )  # fmt: skip
        assert record["sourceEventId"] == stage.room.programs[A].prompts[0].source
        [(types,)] = stage.room.rows(
            "SELECT event_type FROM events WHERE event_id = '" + kept["eventId"] + "'"
        )
        assert types == "memory.remembered"

    await stage.run("a", keeps)

    async def finds(prompt):
        found = await stage.use(prompt, "memory_search", query="TABS")
        assert contents(found) == ["We use tabs"]
        assert found["records"][0]["authorActorId"] == A
        assert contents(await stage.use(prompt, "memory_search", query="spaces")) == []
        assert contents(await stage.use(prompt, "memory_search", by="b")) == []
        assert contents(await stage.use(prompt, "memory_search", kind="decision")) != []
        assert "[pinned_group_memory " in prompt.text
        assert "source=agent:a-about-agent:b" in prompt.text

    await stage.run("b", finds)
    assert len(stage.room.programs[B].prompts) == 1, "a memory wakes nobody"


async def test_core_is_the_callers_and_nobody_elses(stage):
    async def keeps(prompt):
        kept = await stage.use(prompt, "core_memory_remember", content="my secret way")
        assert (kept["record"]["scopeId"], kept["record"]["agentMemoryType"]) == (A, "core")
        found = await stage.use(prompt, "memory_search", scope="core")
        assert contents(found) == ["my secret way"]

    await stage.run("a", keeps)

    async def looks(prompt):
        for scope in ({}, {"scope": "core"}, {"history": True}, {"by": "a"}):
            assert contents(await stage.use(prompt, "memory_search", **scope)) == []
        assert "my secret way" not in prompt.text

    await stage.run("b", looks)

    async def is_told(prompt):
        assert "[agent_core_memory " in prompt.text
        assert "my secret way" in prompt.text

    await stage.run("a", is_told)


async def test_nobody_can_name_another_ones_core(stage):
    async def tries(prompt):
        for name in ("scope", "scopeId", "owner", "subject", "layer"):
            field = {name: B}
            code = await stage.refused(prompt, "core_memory_remember", content="x", **field)
            assert code is ErrorCode.INVALID_ENVELOPE

    await stage.run("a", tries)
    assert stage.room.rows("SELECT 1 FROM memory_records") == []


async def test_an_observation_stays_one(stage):
    async def observes(prompt):
        own = await stage.use(prompt, "identity_remember", content="I review")
        assert own["record"]["subjectActorId"] == A
        kept = await stage.use(prompt, "identity_remember", content="b is quick", subject="b")
        assert kept["record"]["authorActorId"] == A
        assert contents(await stage.use(prompt, "identity_read")) == ["I review"]

    await stage.run("a", observes)

    async def reads(prompt):
        found = await stage.use(prompt, "identity_read")
        [record] = found["records"]
        assert (record["subjectActorId"], record["authorActorId"]) == (B, A)
        assert contents(await stage.use(prompt, "identity_read", subject="a")) == ["I review"]
        assert "[observed_identity " in prompt.text
        assert "[self_identity " not in prompt.text
        assert "source=agent:a-about-agent:b" in prompt.text

    await stage.run("b", reads)


async def test_a_record_takes_the_place_of_ones_own(stage):
    async def corrects(prompt):
        old = await stage.use(prompt, "memory_remember", content="tabs", kind="decision")
        old_id = old["record"]["memoryId"]
        new = await stage.use(prompt, "memory_remember", content="spaces", supersedes=old_id)
        assert new["record"]["supersedesMemoryId"] == old_id
        assert new["record"]["kind"] == "decision"
        assert contents(await stage.use(prompt, "memory_search")) == ["spaces"]
        found = await stage.use(prompt, "memory_search", history=True)
        assert [it["status"] for it in found["records"]] == ["active", "superseded"]
        codes = [
            await stage.refused(prompt, tool, content="x", supersedes=record_id)
            for tool, record_id in (
                ("memory_remember", old_id),
                ("core_memory_remember", new["record"]["memoryId"]),
                ("identity_remember", new["record"]["memoryId"]),
                ("memory_remember", "mem_none"),
            )
        ]
        assert codes == ["STORE_CONFLICT", "NOT_FOUND", "NOT_FOUND", "NOT_FOUND"]

    await stage.run("a", corrects)

    async def meddles(prompt):
        found = await stage.use(prompt, "memory_search")
        code = await stage.refused(
            prompt, "memory_remember", content="x", supersedes=found["records"][0]["memoryId"]
        )
        assert code is ErrorCode.MCP_BINDING_MISMATCH

    await stage.run("b", meddles)


async def test_the_same_id_does_it_once_and_is_nothing_else(stage):
    async def repeats(prompt):
        given = {"content": "once", "clientCommandId": "1"}
        first = await stage.use(prompt, "memory_remember", **given)
        assert await stage.use(prompt, "memory_remember", **given) == first
        for tool in ("core_memory_remember", "identity_remember", "publish"):
            code = await stage.refused(prompt, tool, **given)
            assert code is ErrorCode.CLIENT_COMMAND_CONFLICT
        changed = given | {"content": "twice"}
        code = await stage.refused(prompt, "memory_remember", **changed)
        assert code is ErrorCode.CLIENT_COMMAND_CONFLICT

    await stage.run("a", repeats)
    assert stage.room.rows("SELECT count(*) FROM memory_records") == [(1,)]


async def test_bad_calls_keep_nothing(stage):
    async def tries(prompt):
        for tool in KEEPING:
            expected = {
                ErrorCode.SENDER_FIELD_FORBIDDEN: {"author": B},
                ErrorCode.MESSAGE_TOO_LARGE: {"content": "x" * 1_000_000},
                ErrorCode.NOT_FOUND: {"sourceEventId": "evt_of_another_room"},
                ErrorCode.INVALID_ENVELOPE: {"content": " \n"},
            }
            for code, given in expected.items():
                assert await stage.refused(prompt, tool, **({"content": "x"} | given)) is code
            for given in ({}, {"content": "x", "kind": "summary"}, {"content": "\ud800"}):
                code = await stage.refused(prompt, tool, **given)
                assert code is ErrorCode.INVALID_ENVELOPE
        for tool in ("memory_remember", "identity_remember"):
            code = await stage.refused(prompt, tool, content="x", subject="nobody")
            assert code is ErrorCode.UNKNOWN_ACTOR
        for tool in READING:
            code = await stage.refused(prompt, tool, limit=1_000)
            assert code is ErrorCode.INVALID_ENVELOPE

    await stage.run("a", tries)
    assert stage.room.rows("SELECT 1 FROM memory_records") == []
    assert stage.room.rows("SELECT 1 FROM identity_records") == []


async def test_after_the_turn_it_is_too_late(stage):
    async def nothing(prompt):
        return

    await stage.run("a", nothing)
    [prompt] = stage.room.programs[A].prompts
    for tool in (*KEEPING, *READING):
        given = {"content": "late"} if tool in KEEPING else {}
        code = await stage.refused(prompt, tool, **given)
        assert code is ErrorCode.SESSION_NOT_AVAILABLE


async def test_who_is_excluded_keeps_nothing_and_may_read(stage):
    await stage.room.broker.ref.ask(
        SetMemoryPolicy(
            client_command_id="p", agent=A, use_memories=True, generation="excluded",
            expected_revision=0,
        )
    )  # fmt: skip

    async def tries(prompt):
        for tool in KEEPING:
            code = await stage.refused(prompt, tool, content="x")
            assert code is ErrorCode.POLICY_EXCLUDED
        assert contents(await stage.use(prompt, "memory_search")) == []

    await stage.run("a", tries)


async def test_what_the_user_writes_into_a_core_is_told_to_that_agent(stage):
    draft = MemoryDraft(layer="core", owner=A, kind="instruction", content="be brief")
    kept = await stage.room.broker.ref.ask(Remember(client_command_id="u", draft=draft))
    edit = Supersede(
        client_command_id="e", family="memory", record_id=kept.record.memory_id, content="be terse"
    )
    await stage.room.broker.ref.ask(edit)

    async def is_told(prompt):
        assert "be terse" in prompt.text
        assert "be brief" not in prompt.text
        assert 'author=user:web subject=agent:a source=user note="instruction"' in prompt.text

    await stage.run("a", is_told)


async def test_a_long_result_goes_on_in_pages(stage):
    async def fills(prompt):
        for number in range(9):
            text = f"{number}" + "\u6c49" * (MAX_RECORD_CHARACTERS - 1)
            await stage.use(prompt, "memory_remember", content=text)
        seen, page = [], {}
        while True:
            answer = await stage.use(prompt, "memory_search", limit=50, **page)
            seen += [content[0] for content in contents(answer)]
            if "nextBefore" not in answer:
                break
            page = {"before": answer["nextBefore"]}
        assert seen == list("876543210")
        assert 9 * MAX_RECORD_CHARACTERS * 3 > 2 * MAX_RESULT_BYTES

    await stage.run("a", fills)
