"""Messages sent at the moment at which some turn ends: a thousand of them with GROUPX_RACES=4."""

import os
import random

import pytest
import trio
import trio.testing

from groupx.adapters.contract import Completed
from groupx.domain.ids import ActorId
from groupx.domain.limits import Limits
from tests.actors.fakes import FakePrompt, open_room

AGENTS = tuple(ActorId(f"agent:{name}") for name in ("a", "b", "c"))
MESSAGES = 250 * int(os.environ.get("GROUPX_RACES", "1"))
POSTERS = 4
OPEN = "SELECT turn_id FROM turns WHERE terminal_event_id IS NULL LIMIT 1"
LIMITS = Limits(queue_per_agent=MESSAGES)


class Ends:
    """A script that answers in no time, and tells whoever waits that a turn is about to end."""

    def __init__(self) -> None:
        self._next = trio.Event()

    async def __call__(self, prompt: FakePrompt) -> None:
        await trio.sleep(0.01)
        prompt.say()
        prompt.finish(Completed())
        ended, self._next = self._next, trio.Event()
        ended.set()

    async def wait(self) -> None:
        await self._next.wait()


@pytest.mark.slow
async def test_each_is_one_turn_that_ends_once_in_order(jumping_clock, tmp_path) -> None:
    names = [agent.partition(":")[2] for agent in AGENTS]
    async with open_room(tmp_path, *names, limits=LIMITS) as room:
        ends = Ends()
        for agent in AGENTS:
            room.programs[agent].script = ends
        await room.ended(*await room.send("@all"))
        tasks = trio.lowlevel.current_statistics().tasks_living
        promised: list[str] = []

        async def post(seed: int) -> None:
            chance = random.Random(seed)
            for _ in range(MESSAGES // POSTERS):
                to = chance.choice([(agent,) for agent in AGENTS] + [AGENTS[:2]])
                promised.extend(await room.send(*to))
                await ends.wait()

        async with trio.open_nursery() as nursery:
            for seed in range(POSTERS):
                nursery.start_soon(post, seed)
        await room.until(lambda: room.rows(OPEN) == [])
        await trio.testing.wait_all_tasks_blocked()
        assert len(set(promised)) == len(promised) >= MESSAGES
        assert trio.lowlevel.current_statistics().tasks_living == tasks
        assert room.writer.ledger.pending == 0
        counts = room.rows(
            "SELECT target_actor_id, count(*), sum(status = 'completed') FROM turns GROUP BY 1"
        )
        assert sum(turns for _, turns, _ in counts) == len(promised) + len(AGENTS)
        assert all(turns == completed for _, turns, completed in counts)
        for agent in AGENTS:
            order = room.rows(
                "SELECT turn_id FROM turns WHERE target_actor_id = ? ORDER BY enqueue_seq", agent
            )
            for step in ("turn.dispatched", "turn.started", "turn.completed"):
                steps = room.rows(
                    "SELECT t.turn_id FROM events e JOIN turns t"
                    " ON t.turn_id = json_extract(e.body_json, '$.turnId')"
                    " WHERE e.event_type = ? AND t.target_actor_id = ? ORDER BY e.seq",
                    step, agent,
                )  # fmt: skip
                assert steps == order, (agent, step)
