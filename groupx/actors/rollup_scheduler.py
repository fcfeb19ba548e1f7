"""The rollup scheduler: has agents write the memories of their own days.

It is woken by a bell (a turn completed, a room was compacted) and by the clock, and reads from the
ledger what is due. No turn waits for it: it takes one of the places beside the room at most.
"""

from collections.abc import Callable

import attrs
import trio

from groupx.actors.directory import AgentDirectory
from groupx.actors.mailbox import ActorRef, Bell
from groupx.actors.messages import READ_DEADLINE_MS, Read, ToStore, Write
from groupx.actors.side_sessions import INVALID, MARK_BYTES, Asks, SideFailure
from groupx.actors.steadfast import insist
from groupx.domain.context_usage import side_usage
from groupx.domain.errors import ErrorCode, GroupXError
from groupx.domain.packet_entries import unforgeable
from groupx.domain.rollup import (
    Batch,
    FailBatch,
    FinishBatch,
    Now,
    PendingDay,
    days_to_write,
    material,
    memory_of,
    rollup_prompt,
)
from groupx.process.killing import passed
from groupx.store.queries.rollups import batch_pairs, pending_days
from groupx.store.transactions.context_usage import record_usage
from groupx.store.transactions.rollup import begin_batch, fail_batch, finish_batch
from groupx.store.transactions.rollup_recovery import recover_rollups

LOOK_SECONDS = 60.0
"""While anything waits: the quiet window, the date, a clock that jumped and an owner that is back
are noticed so late at most."""


@attrs.frozen(kw_only=True)
class RollupPorts:
    """What batches are made with. `local_date` is the daemon's, as `2026-02-01`."""

    store: ActorRef[ToStore]
    side: Asks
    directory: AgentDirectory
    bell: Bell
    """Rung after a commit that completed a turn, and when a room was compacted."""
    entropy: Callable[[int], bytes]
    now_ms: Callable[[], int]
    local_date: Callable[[], str]


class RollupSchedulerActor:
    """One batch at a time, so that a place beside the room is left for its compaction; an agent
    that is not there is waited for, and nobody else writes for it."""

    def __init__(self, ports: RollupPorts) -> None:
        self._ports = ports

    async def run(self) -> None:
        """Until cancelled, at any moment: what was begun is taken up again by the next run."""
        await insist(self._ports.store, Write(recover_rollups, None))
        while True:
            days = await self._waiting()
            batch = await self._begun(days)
            if batch is not None:
                await self._work(batch)
                continue
            with trio.move_on_after(LOOK_SECONDS if days else float("inf")):
                await self._ports.bell.wait()

    async def _waiting(self) -> tuple[PendingDay, ...]:
        """The days of those who may write them, whether they are there now or not."""
        owners = tuple(view.actor_id for view in self._ports.directory.views() if view.enabled)
        return await insist(self._ports.store, Read(pending_days, owners, READ_DEADLINE_MS))

    async def _begun(self, days: tuple[PendingDay, ...]) -> Batch | None:
        """The first batch that is due of an owner that is there; None while there is none."""
        now = Now(self._ports.now_ms(), self._ports.local_date())
        there = {view.actor_id for view in self._ports.directory.well()}
        for key in days_to_write(days, now):
            if key.actor_id not in there:
                continue
            batch = await insist(self._ports.store, Write(begin_batch, key))
            if batch is not None:
                return batch
        return None

    async def _work(self, batch: Batch) -> None:
        code = await self._failure(batch)
        if code is not None:
            await insist(self._ports.store, Write(fail_batch, FailBatch(batch=batch, code=code)))

    async def _failure(self, batch: Batch) -> str | None:
        """Ask the owner and keep what it answers; the code of why that could not be."""
        ports = self._ports
        try:
            pairs = await insist(ports.store, Read(batch_pairs, batch, READ_DEADLINE_MS))
            mark = unforgeable(ports.entropy(MARK_BYTES).hex(), material(batch, pairs))
            prompt = rollup_prompt(batch, pairs, mark)
            answer = await ports.side.ask(batch.key.actor_id, prompt)
        except SideFailure as error:
            return error.code
        except GroupXError as error:
            return _conflict(error)
        tokens = answer.usage and answer.usage.input_tokens
        code = await self._kept(batch, answer.text, mark, len(prompt), tokens)
        if code is not None:
            key = batch.key
            usage = side_usage("rollup", key.actor_id, key.room_id, len(prompt), tokens)
            await insist(ports.store, Write(record_usage, usage))
        return code

    async def _kept(
        self, batch: Batch, answer: str, mark: str, characters: int, tokens: int | None
    ) -> str | None:
        """Make the day's memory of an answer; the code of why it is none."""
        try:
            content = memory_of(answer, mark)
        except ValueError:
            return INVALID
        done = FinishBatch(
            batch=batch, content=content, prompt_characters=characters, tokens=tokens
        )
        passed("rollup.before")
        try:
            await insist(self._ports.store, Write(finish_batch, done))
        except GroupXError as error:
            return _conflict(error)
        return None


def _conflict(error: GroupXError) -> str:
    """The code of an end that came too late; every other fault is raised."""
    if error.code is not ErrorCode.STORE_CONFLICT:
        raise error
    return str(error.code)
