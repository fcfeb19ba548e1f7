"""What the assistant sees of the room's context, and what it does to it for the user."""

from groupx.actors.side_sessions import SideAnswer
from tests.actors.fakes import answers
from tests.mcp.tools.test_operator import events, operating

A = "agent:a"


async def test_it_sees_how_full_the_context_is(jumping_clock, tmp_path):
    async with operating(tmp_path, "a") as operator:
        before = (await operator.use("room_status"))["context"]
        operator.room.programs[A].script = answers
        await operator.room.ended(*await operator.room.send(A, content="x" * 5_000))
        after = (await operator.use("room_status"))["context"]
        assert after.keys() == {
            "estimatedCharacters", "maxCharacters", "utilizationPercent",
            "uncompactedMessageCount", "compactable",
        }  # fmt: skip
        assert (before["uncompactedMessageCount"], after["uncompactedMessageCount"]) == (0, 2)
        assert after["estimatedCharacters"] > before["estimatedCharacters"] + 5_000


async def test_it_resets_the_context_once_for_one_command(jumping_clock, tmp_path):
    async with operating(tmp_path, "a") as operator:
        room, program = operator.room, operator.room.programs[A]
        assert (await operator.use("context_reset")) == {"throughSeq": 0, "changed": False}
        program.script = answers
        await room.ended(*await room.send(A, content="the old secret"))
        given = {"resetNativeSessions": True, "clientCommandId": "1"}
        done = await operator.use("context_reset", **given)
        assert done["changed"]
        assert await operator.use("context_reset", **given) == done
        [event] = events(operator, "context.reset")
        assert event["actor"] == "user:assistant"
        await room.ended(*await room.send(A, content="something new"))
        assert program.prompts[-1].session is program.sessions[1]
        assert "the old secret" not in program.prompts[-1].text


async def test_it_takes_no_word_for_a_flag(jumping_clock, tmp_path):
    async with operating(tmp_path, "a") as operator:
        refused = await operator.refused("context_reset", resetNativeSessions="maybe")
        assert refused == "INVALID_ENVELOPE"


class Side:
    """A program beside the room that writes checkpoints."""

    async def ask(self, actor_id, text):
        return SideAnswer(text="what was said so far")


async def test_it_asks_for_a_checkpoint(jumping_clock, tmp_path):
    async with operating(tmp_path, "a") as operator:
        room = operator.room
        room.side = Side()
        assert await operator.refused("context_compact") == "STORE_CONFLICT"
        room.programs[A].script = answers
        for number in range(8):
            await room.ended(*await room.send(A, content=f"message {number}"))
        begun = await operator.use("context_compact", clientCommandId="1")
        assert begun["compactionId"].startswith("compaction_")
        await room.until(lambda: room.streamed("context.compaction.completed") != [])
        assert await operator.use("context_compact", clientCommandId="1") == begun
        after = (await operator.use("room_status"))["context"]
        assert (after["uncompactedMessageCount"], after["compactable"]) == (12, False)
