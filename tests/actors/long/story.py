"""What happens in the long room: three days and six lives."""

from collections.abc import Awaitable, Callable
from pathlib import Path

import trio
import trio.testing

from groupx.actors.messages import ResetRoom, SetMemoryPolicy
from tests.actors.long.cast import A, B, C, D
from tests.actors.long.life import DAY_MS, Life, alive
from tests.actors.long.teller import MINUTE, Teller

MESSAGES = 5_000
SECOND_DAY, THIRD_DAY, LAST_MIDNIGHT = (1_769_990_400 + n * DAY_MS // 1000 for n in (1, 2, 3))
"""The midnights of the story, in seconds since the epoch; it begins on 2026-02-02."""


BEGUN = """
SELECT count(*) FROM agent_dated_memory_rollups
WHERE last_attempt_at IS NOT NULL AND next_attempt_at IS NULL
"""
"""Batches that run."""


async def tell(folder: Path) -> Teller:
    """All of it, in `folder` and those beside it; its teller, to be asked."""
    teller = Teller(folder)
    for part in LIVES:
        async with alive(Life(teller.folder, teller.cast)) as teller.life:
            await part(teller)
        await trio.sleep(10 * MINUTE)
    return teller


async def first_day(it: Teller) -> None:
    """Work, and an ordered stop; `d` is never remembered for."""
    policy = {"use_memories": True, "generation": "excluded", "expected_revision": 0}
    await it.command(SetMemoryPolicy, agent=D, **policy)
    await it.rounds(12, (20, 15, 40, 60))
    await it.note(500)
    await it.ask(C)
    await trio.sleep(10 * MINUTE)
    it.listen()
    await it.stop()


async def over_midnight(it: Teller) -> None:
    """Programs that write no checkpoint, a midnight during a turn, a message that is taken back;
    then killed with a turn at work and one behind it."""
    await it.rounds(6, (30, 50))
    await _without_checkpoint(it)
    await it.until(SECOND_DAY - 5)
    await it.ask(A, B)
    await trio.sleep(5 * MINUTE)
    await it.rounds(8, (30, 45, 15))
    await _withdraw(it)
    sent = it.cast.expect("turn")
    await it.send(A)
    await it.send(A)
    await sent.wait()
    await it.crash()


async def _without_checkpoint(it: Teller) -> None:
    """What fits is sent all the same; later the next agent writes it for the one that cannot."""
    it.cast.ill = frozenset((A, B, C, D))
    await it.note(220)
    await it.ask(B)
    assert it.life.streamed("context.compaction.failed") != []
    it.cast.ill = frozenset((A,))
    await it.note(60)
    await trio.sleep(2 * MINUTE)
    await it.ask(B)
    await it.rounds(2, (200,))
    it.cast.ill = frozenset()


async def _withdraw(it: Teller) -> None:
    """A checkpoint that tells of what is taken back ends; the one before it is gone on with."""
    await it.life.set_lane(C, "paused")
    [turn] = await it.send(C)
    await it.note(40)
    await it.compact()
    await it.life.withdraw(turn)
    await it.life.set_lane(C, "runnable")
    await it.note(150)
    await it.ask(C)


async def second_day(it: Teller) -> None:
    """The turn at work is interrupted, the one behind it sent. A reset; then killed while memories
    are written."""
    await trio.sleep(MINUTE)
    newest = it.life.rows("SELECT status FROM turns ORDER BY enqueue_seq DESC LIMIT 2")
    assert newest == [("completed",), ("interrupted",)]
    await it.rounds(8, (15, 40))
    await it.command(ResetRoom, reset_native_sessions=True)
    await it.rounds(12, (15, 30, 50))
    for _ in range(8):
        await it.ask(A, B)
    asked = it.cast.expect("memory")
    await asked.wait()
    await trio.testing.wait_all_tasks_blocked()
    assert it.life.rows(BEGUN) == [(1,)]
    await it.crash()


async def second_evening(it: Teller) -> None:
    """The same memories are asked for again. Past midnight killed while a checkpoint is written."""
    await trio.sleep(2 * MINUTE)
    await it.rounds(8, (40, 15))
    await it.until(THIRD_DAY + 2 * MINUTE)
    asked = it.cast.expect("checkpoint")
    await it.note(400)
    await it.send(B)
    await asked.wait()
    await it.crash()


async def third_day(it: Teller) -> None:
    """The turn that waited for it was not sent, and is now; then stopped with a turn at work."""
    await trio.sleep(2 * MINUTE)
    assert it.life.rows("SELECT DISTINCT status FROM turns WHERE terminal_event_id IS NULL") == []
    await it.rounds(16, (20, 10, 40))
    sent = it.cast.expect("turn")
    await it.send(C)
    await sent.wait()
    it.listen()
    await it.stop()


async def last_day(it: Teller) -> None:
    """Until all has been said, and the last midnight is past."""
    await it.rounds(8, (25,))
    await it.note(MESSAGES - 42 - len(it.heard))
    await it.ask(A)
    await it.note(40)
    await it.compact()
    await it.until(LAST_MIDNIGHT + 10 * MINUTE)
    it.listen()
    await it.stop()


LIVES: tuple[Callable[[Teller], Awaitable[None]], ...] = (
    first_day,
    over_midnight,
    second_day,
    second_evening,
    third_day,
    last_day,
)
