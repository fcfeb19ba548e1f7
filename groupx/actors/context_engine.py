"""The context engine: turns what the ledger knows into the text an agent is sent."""

from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from typing import Any

import trio

from groupx.actors.compaction_reading import Tail, compact_through
from groupx.actors.compactor import Compactor
from groupx.actors.context_meter import ContextMeter
from groupx.actors.mailbox import ActorRef, Letter, Mailbox
from groupx.actors.messages import (
    BuildPacket,
    CompactRoom,
    MeasureContext,
    Read,
    StopCompacting,
    ToContext,
    ToStore,
)
from groupx.actors.transcript_reading import read_inputs
from groupx.domain.compaction_failed import CompactionFailed
from groupx.domain.config import AgentConfig
from groupx.domain.context_view import KEPT_WORD_FOR_WORD, ContextView
from groupx.domain.errors import ErrorCode, GroupXError
from groupx.domain.ids import ActorId
from groupx.domain.limits import Limits
from groupx.domain.packet import Packet, build_packet, tail_beside_checkpoint
from groupx.domain.packet_inputs import PacketInputs, PacketQuery
from groupx.store.queries.compaction import standing

MAILBOX_CAPACITY = 64
BOUNDARY_BYTES = 8
"""It is told apart from all content, so it only has to be new each time; every entry pays twice."""


class ContextEngineActor:
    """Answers each request in a task of its own, which ends when its asker waits no more; what goes
    wrong is the asker's alone."""

    def __init__(
        self,
        *,
        store: ActorRef[ToStore],
        agents: Mapping[ActorId, AgentConfig],
        limits: Limits,
        entropy: Callable[[int], bytes],
        compactor: Compactor,
    ) -> None:
        self._store = store
        self._agents = agents
        self._limits = limits
        self._entropy = entropy
        self._mailbox = Mailbox[ToContext]("the context engine", MAILBOX_CAPACITY)
        self.ref: ActorRef[ToContext] = self._mailbox
        self._meter = ContextMeter(store, limits, compactor.view)
        self._compactor = compactor
        self._nursery: trio.Nursery
        self._handlers: dict[type[Any], Callable[[Any], Awaitable[Any]]] = {
            BuildPacket: self._build,
            MeasureContext: self._measure,
            CompactRoom: self._compact,
            StopCompacting: self._stop_compacting,
        }

    async def run(self) -> None:
        """Serve until cancelled."""
        letters = self._mailbox.open()
        try:
            async with trio.open_nursery() as nursery:
                self._nursery = nursery
                async for letter in letters:
                    nursery.start_soon(self._answer, letter)
        finally:
            self._mailbox.close()

    async def _answer(self, letter: Letter) -> None:
        with letter.work:
            try:
                letter.answer(await self._handlers[type(letter.message)](letter.message))
            except Exception as error:
                letter.refuse(error)

    async def _measure(self, _: MeasureContext) -> ContextView:
        return await self._meter.read()

    async def _build(self, request: BuildPacket) -> Packet:
        query = PacketQuery(turn_id=request.turn_id, native_session_id=request.native_session_id)
        inputs = await self._read(query)
        agent = self._agents.get(inputs.target_actor_id)
        if agent is None:
            raise GroupXError(
                ErrorCode.ADAPTER_NOT_FOUND,
                f"{inputs.target_actor_id} is not configured any more; its turn was not sent.",
            )
        inputs, failure = await self._compacted(query, inputs, agent)
        try:
            return self._packet(inputs, agent)
        except GroupXError as error:
            raise error if failure is None else _uncompacted(error, failure) from error

    async def _compacted(
        self, query: PacketQuery, inputs: PacketInputs, agent: AgentConfig
    ) -> tuple[PacketInputs, CompactionFailed | None]:
        """The inputs, after the room was compacted if they are too much; why it could not be."""
        while True:
            tail = tail_beside_checkpoint(inputs, agent=agent, limits=self._limits)
            if tail is None:
                return inputs, None
            if (brought_up := inputs.up_to_later_summary()) is not None:
                return brought_up, None
            if self._compactor.failed_lately(inputs.room_id) and self._fits(inputs, agent):
                return inputs, None
            joins = self._compactor.running(inputs.room_id) is not None
            kept = Tail(upper_seq=inputs.context_through_seq - 1, characters=tail)
            failure = await self._compactor.compact(self._nursery, inputs.room_id, kept)
            inputs = await self._read(query)
            if failure is not None or not joins:
                return inputs, failure

    def _fits(self, inputs: PacketInputs, agent: AgentConfig) -> bool:
        with suppress(GroupXError):
            return bool(self._packet(inputs, agent))
        return False

    def _packet(self, inputs: PacketInputs, agent: AgentConfig) -> Packet:
        boundary = self._entropy(BOUNDARY_BYTES).hex()
        return build_packet(inputs, agent=agent, limits=self._limits, boundary=boundary)

    async def _read(self, query: PacketQuery) -> PacketInputs:
        return await read_inputs(self._store, query, self._limits.context_characters)

    async def _compact(self, _: CompactRoom) -> str:
        """Begun here and answered at once; one that runs already is the answer."""
        now = await self._store.ask(Read(standing, None))
        tail = Tail(upper_seq=now.newest_seq, messages=KEPT_WORD_FOR_WORD)
        through = await compact_through(self._store, now, tail)
        running = self._compactor.running(now.room_id)
        if running is not None:
            running.by_hand = True
            return running.compaction_id
        if through is None:
            raise GroupXError(
                ErrorCode.STORE_CONFLICT,
                f"The last checkpoint covers all but the {KEPT_WORD_FOR_WORD} newest messages or "
                "fewer, which stay as they are: there is nothing to compact, and nothing was "
                "changed.",
            )
        running = self._compactor.begin(self._nursery, now.room_id, tail, by_hand=True)
        return running.compaction_id

    async def _stop_compacting(self, _: StopCompacting) -> str:
        now = await self._store.ask(Read(standing, None))
        stopped = self._compactor.cancel(now.room_id)
        if stopped is None:
            raise GroupXError(
                ErrorCode.STORE_CONFLICT,
                "No compaction of this room runs; nothing was changed.",
            )
        return stopped


def _uncompacted(error: GroupXError, failure: CompactionFailed) -> GroupXError:
    """Too much is unread, and no checkpoint could take its place."""
    return GroupXError(
        error.code,
        f"{error.message} Before that GroupX tried to compact the room, but {failure.told()}",
        **error.details,
    )
