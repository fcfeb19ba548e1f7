"""The store's ref, its after-commit hook, and what its death means."""

import pytest
import trio

from groupx.actors.messages import Read, Write
from groupx.actors.store_writer import StoreDied
from groupx.domain.commits import CommitFacts, Frame
from groupx.domain.ids import ActorId
from groupx.store.queries.lane import lane_head
from groupx.store.transactions.requeue import requeue
from tests.actors.fakes import open_room

A = ActorId("agent:a")


async def test_frames_and_bells_come_before_the_answer(jumping_clock, tmp_path) -> None:
    async with open_room(tmp_path, "a", started=False) as room:
        room.bells.of(A).lane.silence()
        end = room.hub.ring.end
        seen = []
        store_write = room.writer.ledger.write

        async def watched(run, command):
            result = await store_write(run, command)
            seen.append((room.hub.ring.end > end, room.bells.of(A).lane.rung))
            return result

        room.writer.ledger.write = watched
        await room.send(A)
        assert seen == [(True, True)]
        assert not room.bells.of(A).cancel.rung


async def test_reads_and_writes_go_to_the_ledger(jumping_clock, tmp_path) -> None:
    async with open_room(tmp_path, "a", started=False) as room:
        assert await room.store.ask(Read(lane_head, A)) is None
        [turn] = await room.send(A)
        assert await room.store.ask(Write(requeue, turn)) == "queued"


async def test_a_lane_that_is_not_configured_has_no_bell(jumping_clock, tmp_path) -> None:
    async with open_room(tmp_path, "a", started=False) as room:
        facts = CommitFacts(
            frames=(Frame(1, "room:main", "x", b"{}"),), lanes=frozenset({ActorId("agent:gone")})
        )
        room.writer._after_commit(facts)
        with pytest.raises(KeyError):
            room.bells.of(ActorId("agent:gone"))


async def test_the_death_of_the_thread_ends_the_actor(jumping_clock, tmp_path) -> None:
    async with open_room(tmp_path, "a", started=False) as room:
        ended = []

        async def run() -> None:
            with pytest.raises(StoreDied) as died:
                await room.writer.run()
            ended.append(died.value.__cause__)

        async with trio.open_nursery() as nursery:
            nursery.start_soon(run)
            await trio.testing.wait_all_tasks_blocked()
            room.writer.ledger.death = OSError("disk on fire")
            room.writer.ledger.died.set()
        assert isinstance(ended[0], OSError)
