"""Packets on request: fresh boundaries, and errors that stay with their asker."""

import re

import pytest

from groupx.actors.messages import BuildPacket, Read, Remember, SendMessage
from groupx.actors.side_sessions import SideAnswer, SideFailure
from groupx.domain.errors import ErrorCode, GroupXError
from groupx.domain.ids import ActorId
from groupx.domain.limits import Limits
from groupx.domain.memory_commands import MemoryDraft
from groupx.store.queries.turn_detail import turn_detail
from tests.actors.fakes import answers, open_room

A, B = ActorId("agent:a"), ActorId("agent:b")


def mark(packet) -> str:
    return re.findall(r"\[groupx_protocol (\w{16})\]", packet.text)[0]


async def test_every_packet_has_a_boundary_of_its_own(jumping_clock, tmp_path) -> None:
    async with open_room(tmp_path, "a", started=False) as room:
        [turn] = await room.send(A)
        request = BuildPacket(turn_id=turn, native_session_id=None)
        first, second = [await room.context.ref.ask(request) for _ in range(2)]
        assert mark(first) != mark(second)
        assert first.text.replace(mark(first), mark(second)) == second.text
        assert first.record == second.record
        assert first.context_through_seq == 1


SAY_OK = """
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3000)
INSERT INTO events (event_id, schema_version, room_id, event_type, actor_id, actor_kind,
  actor_display_name, targets_json, correlation_id, occurred_at, body_json)
SELECT printf('evt_%032x', i), 'groupx.event/0.1', 'room:main', 'message.created', 'user:web',
  'user', 'You', '[]', 'corr', 'now', '{"content":"ok"}' FROM n
"""


@pytest.mark.slow
async def test_a_long_room_is_bounded_by_characters_alone(jumping_clock, tmp_path) -> None:
    """What the refusal of a smaller limit tells the user to do is what helps."""
    for limit, status in ((256_000, "failed"), (1_000_000, "completed")):
        folder = tmp_path / str(limit)
        folder.mkdir()
        async with open_room(folder, "a", limits=Limits(context_characters=limit)) as room:
            room.programs[A].script = answers
            room.side = NoCheckpoint()
            room.conn.execute(SAY_OK)
            [turn] = await room.send(A)
            await room.ended(turn)
            assert room.status(turn) == status
            if status == "failed":
                [refusal] = room.events("turn.failed")
                assert refusal["errorCode"] == "CONTEXT_BUDGET_EXCEEDED"
                assert "Raise limits.contextCharacters" in refusal["message"]
                assert "a has no quota" in refusal["message"]
            else:
                [prompt] = room.programs[A].prompts
                assert prompt.text.count("\nok\n") == 3_000


class NoCheckpoint:
    """No program of the room writes any."""

    async def ask(self, actor_id: ActorId, text: str) -> SideAnswer:
        raise SideFailure("NATIVE_QUOTA_EXCEEDED", f"{actor_id[6:]} has no quota")


async def test_an_unknown_turn_is_refused(jumping_clock, tmp_path) -> None:
    async with open_room(tmp_path, "a", started=False) as room:
        with pytest.raises(GroupXError) as refused:
            await room.context.ref.ask(BuildPacket(turn_id="turn_x", native_session_id=None))
        assert refused.value.code is ErrorCode.NOT_FOUND


async def test_a_defect_fails_the_one_turn_visibly_and_nothing_else(
    jumping_clock, tmp_path
) -> None:
    async with open_room(tmp_path, "a", "b") as room:
        for program in room.programs.values():
            program.script = answers
        build = room.context._handlers[BuildPacket]

        async def defective(request):
            packet = await build(request)
            if "poison" in packet.text.rsplit("[current_message", 1)[1]:
                raise ZeroDivisionError("a defect")
            return packet

        room.context._handlers[BuildPacket] = defective
        [bad] = await room.send(A, content="poison")
        [good] = await room.send(A, content="fine")
        await room.ended(bad, good)
        assert room.turn(bad) == ("failed", "INTERNAL_ERROR", None)
        assert "a defect" in room.events("turn.failed")[0]["message"]
        assert room.status(good) == "completed"


async def test_a_thread_goes_on_that_its_session_has_though_it_is_over_the_limit(
    jumping_clock, tmp_path
) -> None:
    async with open_room(tmp_path, "a", limits=Limits(context_characters=6_000)) as room:
        program = room.programs[A]
        program.script = answers
        reply_to = None
        for number in range(8):
            message = SendMessage(
                client_command_id=f"m{number}", to=(A,), content=f"{number}:" + "x" * 500,
                reply_to_event_id=reply_to,
            )  # fmt: skip
            [turn] = (await room.broker.ref.ask(message)).turns
            await room.ended(turn.turn_id)
            assert room.status(turn.turn_id) == "completed"
            [(reply_to,)] = room.rows(
                "SELECT response_event_id FROM turns WHERE turn_id = ?", turn.turn_id
            )
        texts = [prompt.text for prompt in program.prompts]
        assert "0:x" in texts[3]
        assert "0:x" not in texts[-1]
        assert texts[-1].count("already in your session") == 14
        assert max(map(len, texts)) <= 6_000


async def test_a_turns_detail_says_what_its_packet_held_and_left_out(
    jumping_clock, tmp_path
) -> None:
    async with open_room(tmp_path, "a", limits=Limits(context_characters=6_000)) as room:
        room.programs[A].script = answers
        for number in range(20):
            draft = MemoryDraft(layer="room", kind="note", content="x" * 300)
            await room.broker.ref.ask(Remember(client_command_id=f"m{number}", draft=draft))
        [turn] = await room.send(A)
        await room.ended(turn)
        told = (await room.store.ask(Read(turn_detail, turn))).packet
        [prompt] = room.programs[A].prompts
        assert told["characters"] == len(prompt.text)
        entries = {section["name"]: section["entries"] for section in told["sections"]}
        omitted = {left["section"]: left["count"] for left in told["omitted"]}
        assert entries.keys() == {
            "groupx_protocol", "configured_agent_identity", "pinned_group_memory",
            "current_message",
        }  # fmt: skip
        assert entries["pinned_group_memory"] == prompt.text.count("x" * 300) > 0
        assert omitted == {"pinned_group_memory": 20 - entries["pinned_group_memory"]}
