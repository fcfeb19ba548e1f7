"""Packets on request: fresh boundaries, and errors that stay with their asker."""

import re

import pytest

from groupx.actors.messages import BuildPacket
from groupx.domain.errors import ErrorCode, GroupXError
from groupx.domain.ids import ActorId
from tests.actors.fakes import answers, open_room

A, B = ActorId("agent:a"), ActorId("agent:b")


def mark(packet) -> str:
    return re.findall(r"\[groupx_protocol (\w{32})\]", packet.text)[0]


async def test_every_packet_has_a_boundary_of_its_own(jumping_clock, tmp_path) -> None:
    async with open_room(tmp_path, "a", started=False) as room:
        [turn] = await room.send(A)
        request = BuildPacket(turn_id=turn, native_session_id=None)
        first, second = [await room.context.ref.ask(request) for _ in range(2)]
        assert mark(first) != mark(second)
        assert first.text.replace(mark(first), mark(second)) == second.text
        assert first.record == second.record
        assert first.context_through_seq == 1


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
        build = room.context._build

        async def defective(request):
            packet = await build(request)
            if "poison" in packet.text.rsplit("[current_message", 1)[1]:
                raise ZeroDivisionError("a defect")
            return packet

        room.context._build = defective
        [bad] = await room.send(A, content="poison")
        [good] = await room.send(A, content="fine")
        await room.ended(bad, good)
        assert room.turn(bad) == ("failed", "INTERNAL_ERROR", None)
        assert "a defect" in room.events("turn.failed")[0]["message"]
        assert room.status(good) == "completed"
