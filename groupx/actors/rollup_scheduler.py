"""The rollup scheduler: has agents write the memories of their own days.

It is woken by a bell (a turn completed, a room was compacted) and by the clock, and reads from the
ledger what is due. No turn waits for it.
"""

from collections.abc import Callable

import attrs
import trio

from groupx.actors.compactor import HEALTHY, INVALID, MARK_BYTES, Asks
from groupx.actors.directory import AgentDirectory
from groupx.actors.mailbox import ActorRef, Bell
from groupx.actors.messages import Read, ToStore, Write
from groupx.actors.side_sessions import SideFailure
from groupx.actors.steadfast import insist
from groupx.domain.errors import ErrorCode, GroupXError
from groupx.domain.ids import ActorId
from groupx.domain.packet_entries import unforgeable
from groupx.domain.rollup import (
    Batch,
    DayKey,
    FailBatch,
    FinishBatch,
    Now,
    due,
    material,
    memory_of,
    rollup_prompt,
)
from groupx.store.queries.rollups import batch_pairs, pending_days
from groupx.store.transactions.rollup import begin_batch, fail_batch, finish_batch
from groupx.store.transactions.rollup_recovery import recover_rollups

AT_ONCE = 2
"""Batches; side sessions are as few."""
LOOK_SECONDS = 60.0
"""While anything waits: the quiet window, the date, a clock that jumped and an owner that is back
are noticed so late at most."""
READ_DEADLINE_MS = 250


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
    """At most two batches at once, at most one of an agent; an agent that is not there is waited
    for, and nobody else writes for it."""

    def __init__(self, ports: RollupPorts) -> None:
        self._ports = ports
        self._busy: set[ActorId] = set()

    async def run(self) -> None:
        """Until cancelled, at any moment: what was begun is taken up again by the next run."""
        self._busy.clear()
        await insist(self._ports.store, Write(recover_rollups, None))
        async with trio.open_nursery() as nursery:
            while True:
                anything = await self._look(nursery)
                with trio.move_on_after(LOOK_SECONDS if anything else float("inf")):
                    await self._ports.bell.wait()

    async def _look(self, nursery: trio.Nursery) -> bool:
        """Begin what is due and has a place; whether anything waits of those who may write it."""
        owners = tuple(view.actor_id for view in self._ports.directory.views() if view.enabled)
        days = await insist(self._ports.store, Read(pending_days, owners, READ_DEADLINE_MS))
        now = Now(self._ports.now_ms(), self._ports.local_date())
        there = self._there()
        for day in days:
            owner = day.key.actor_id
            if len(self._busy) >= AT_ONCE:
                break
            if owner in there and owner not in self._busy and due(day, now) is not None:
                self._busy.add(owner)
                nursery.start_soon(self._work, day.key)
        return bool(days)

    def _there(self) -> frozenset[ActorId]:
        """Whose program may be asked now."""
        return frozenset(
            view.actor_id
            for view in self._ports.directory.views()
            if view.enabled and view.state in HEALTHY
        )

    async def _work(self, key: DayKey) -> None:
        try:
            batch = await insist(self._ports.store, Write(begin_batch, key))
            if batch is not None:
                await self._batch(batch)
                self._ports.bell.ring()  # a place is free, and the day may have more
        finally:
            self._busy.discard(key.actor_id)

    async def _batch(self, batch: Batch) -> None:
        code = await self._failed(batch)
        if code is not None:
            await insist(self._ports.store, Write(fail_batch, FailBatch(batch=batch, code=code)))

    async def _failed(self, batch: Batch) -> str | None:
        """Ask the owner and keep what it answers; the code of why that could not be."""
        ports = self._ports
        pairs = await insist(ports.store, Read(batch_pairs, batch, READ_DEADLINE_MS))
        mark = unforgeable(ports.entropy(MARK_BYTES).hex(), material(batch, pairs))
        prompt = rollup_prompt(batch, pairs, mark)
        try:
            answer = await ports.side.ask(batch.key.actor_id, prompt)
            content = memory_of(answer.text, mark)
        except SideFailure as error:
            return error.code
        except ValueError:
            return INVALID
        done = FinishBatch(
            batch=batch,
            content=content,
            prompt_characters=len(prompt),
            tokens=answer.usage and answer.usage.input_tokens,
        )
        try:
            await insist(ports.store, Write(finish_batch, done))
        except GroupXError as error:
            if error.code is not ErrorCode.STORE_CONFLICT:
                raise
            return str(error.code)
        return None
