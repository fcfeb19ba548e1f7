"""A disk that fails under a working room: commands are refused, reading and the program go on."""

import pytest
import trio

from groupx.actors.messages import Read, SendMessage
from groupx.domain.errors import ErrorCode, GroupXError
from groupx.domain.ids import ActorId
from groupx.store.executor import PROBE_SECONDS
from groupx.store.queries.lane import lane_head
from tests.actors.fakes import Room, open_room

A, B = ActorId("agent:a"), ActorId("agent:b")


class Disk:
    """Genuine faults of SQLite: it takes no write, or has no more room."""

    def __init__(self, room: Room) -> None:
        self._conn = room.conn

    def fails(self, how: str) -> None:
        if how == "read only":
            self._conn.execute("PRAGMA query_only = ON")
        else:
            (pages,) = self._conn.execute("PRAGMA page_count").fetchone()
            self._conn.execute(f"PRAGMA max_page_count = {pages}")

    def is_well(self) -> None:
        self._conn.execute("PRAGMA query_only = OFF")
        self._conn.execute("PRAGMA max_page_count = 1000000")


def long_message(command: str, to: ActorId) -> SendMessage:
    return SendMessage(client_command_id=command, to=(to,), content="x" * 60_000)


@pytest.mark.parametrize("how", ["read only", "full"])
async def test_the_same_command_after_the_fault_is_done_once(jumping_clock, tmp_path, how) -> None:
    async with open_room(tmp_path, "a", "b") as room:
        disk, asked = Disk(room), long_message("again", B)
        [running] = await room.send(A)
        prompt = await room.programs[A].next_prompt()
        disk.fails(how)
        frames = room.hub.ring.end
        for _ in range(2):
            with pytest.raises(GroupXError) as caught:
                await room.broker.ref.ask(asked)
            assert caught.value.code is ErrorCode.STORE_UNAVAILABLE
        fault = room.writer.ledger.fault
        assert fault is not None
        assert "by itself" in fault.message
        assert room.hub.ring.end == frames, "nothing is shown that is not there"
        assert not room.bells.of(B).lane.rung
        assert await room.store.ask(Read(lane_head, B)) is None, "reading goes on"
        disk.is_well()
        await trio.sleep(PROBE_SECONDS)
        first = await room.broker.ref.ask(asked)
        assert await room.broker.ref.ask(asked) == first
        assert room.writer.ledger.fault is None
        prompt.answer()
        (await room.programs[B].next_prompt()).answer()
        await room.ended(running, first.turns[0].turn_id)
        assert len(room.programs[B].prompts) == 1
        [(messages,)] = room.rows("SELECT count(*) FROM events WHERE event_type='message.created'")
        assert messages == 4


async def test_an_end_that_cannot_be_written_is_written_when_it_can(
    jumping_clock, tmp_path
) -> None:
    async with open_room(tmp_path, "a") as room:
        disk = Disk(room)
        [turn] = await room.send(A)
        prompt = await room.programs[A].next_prompt()
        prompt.say("half ")
        await trio.sleep(5)
        disk.fails("read only")
        prompt.answer("whole")
        await trio.sleep(60)
        assert room.status(turn) == "running"
        assert len(room.programs[A].prompts) == 1
        disk.is_well()
        await room.ended(turn)
        assert room.turn(turn) == ("completed", None, "delivered")
        assert room.events("message.created")[-1]["content"] == "half whole"


async def test_nothing_leaves_for_an_agent_while_its_claim_cannot_be_written(
    jumping_clock, tmp_path
) -> None:
    async with open_room(tmp_path, "a", started=False) as room:
        disk = Disk(room)
        [turn] = await room.send(A)
        room.nursery.start_soon(room.tree.run)
        await trio.sleep(0.01)
        disk.fails("read only")
        await trio.sleep(120)
        assert room.programs[A].prompts == []
        assert room.status(turn) == "queued"
        disk.is_well()
        (await room.programs[A].next_prompt()).answer()
        await room.ended(turn)
        assert room.turn(turn) == ("completed", None, "delivered")
        assert len(room.programs[A].prompts) == 1
