"""Counting how full the room's context is: what was counted once is not counted again."""

from collections.abc import Callable

import attrs
import trio

from groupx.actors.mailbox import ActorRef
from groupx.actors.messages import Read, ToStore
from groupx.domain.compaction_state import CompactionView
from groupx.domain.context_view import ContextStart, ContextView, SaidSize, context_view
from groupx.domain.ids import RoomId
from groupx.domain.limits import Limits
from groupx.store.queries.context_size import SLICE_SEQS, SizeQuery, context_start, said_size
from groupx.store.queries.context_usage import usage_by_source

SLICE_DEADLINE_MS = 250


@attrs.frozen(kw_only=True)
class _Counted:
    """What is known of (base_seq, through_seq] of one room; events there never change."""

    room_id: RoomId
    base_seq: int
    through_seq: int
    said: SaidSize = SaidSize()

    def is_of(self, start: ContextStart) -> bool:
        """Whether it goes on from there: neither another room nor a new base came since."""
        return (self.room_id, self.base_seq) == (start.room_id, start.base_seq)


class ContextMeter:
    """A part of the context engine. Its count is a cache: a new one counts the same."""

    def __init__(
        self,
        store: ActorRef[ToStore],
        limits: Limits,
        compaction: Callable[[RoomId], CompactionView | None],
    ) -> None:
        """`compaction`: how the last one of a room stands."""
        self._store = store
        self._compaction = compaction
        self._limits = limits
        self._one_at_a_time = trio.Lock()
        self._counted: _Counted | None = None

    async def read(self) -> ContextView:
        """The active room's, by now: one slice for what is new, and writers go between slices.

        Raises STORE_BUSY, STORE_UNAVAILABLE; what was counted by then is kept.
        """
        async with self._one_at_a_time:
            start = await self._store.ask(Read(context_start, None))
            said = await self._said(start)
            usage = await self._store.ask(Read(usage_by_source, start.room_id))
        return context_view(start, said, usage, self._limits, self._compaction(start.room_id))

    async def _said(self, start: ContextStart) -> SaidSize:
        counted = self._counted
        if counted is None or not counted.is_of(start):
            counted = _Counted(
                room_id=start.room_id,
                base_seq=start.base_seq,
                through_seq=max(start.base_seq, start.first_seq - 1),
            )
        while counted.through_seq < start.newest_seq:
            through = min(counted.through_seq + SLICE_SEQS, start.newest_seq)
            query = SizeQuery(
                room_id=counted.room_id,
                base_seq=counted.base_seq,
                after_seq=counted.through_seq,
                through_seq=through,
            )
            more = await self._store.ask(Read(said_size, query, SLICE_DEADLINE_MS))
            counted = self._counted = attrs.evolve(
                counted, through_seq=through, said=counted.said.plus(more)
            )
        return counted.said
