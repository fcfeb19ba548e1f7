"""The context engine: turns what the ledger knows into the text an agent is sent."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

import trio

from groupx.actors.context_meter import ContextMeter
from groupx.actors.mailbox import ActorRef, Letter, Mailbox
from groupx.actors.messages import BuildPacket, MeasureContext, ToContext, ToStore
from groupx.actors.transcript_reading import read_inputs
from groupx.domain.config import AgentConfig
from groupx.domain.context_view import ContextView
from groupx.domain.errors import ErrorCode, GroupXError
from groupx.domain.ids import ActorId
from groupx.domain.limits import Limits
from groupx.domain.packet import Packet, build_packet
from groupx.domain.packet_inputs import PacketQuery

MAILBOX_CAPACITY = 64
BOUNDARY_BYTES = 8
"""It is told apart from all content, so it only has to be new each time; every entry pays twice."""


class ContextEngineActor:
    """Answers each request in a task of its own; what goes wrong is the asker's alone."""

    def __init__(
        self,
        *,
        store: ActorRef[ToStore],
        agents: Mapping[ActorId, AgentConfig],
        limits: Limits,
        entropy: Callable[[int], bytes],
    ) -> None:
        self._store = store
        self._agents = agents
        self._limits = limits
        self._entropy = entropy
        self._mailbox = Mailbox[ToContext]("the context engine", MAILBOX_CAPACITY)
        self.ref: ActorRef[ToContext] = self._mailbox
        self._meter = ContextMeter(store, limits)
        self._handlers: dict[type[Any], Callable[[Any], Awaitable[Any]]] = {
            BuildPacket: self._build,
            MeasureContext: self._measure,
        }

    async def run(self) -> None:
        """Serve until cancelled."""
        letters = self._mailbox.open()
        try:
            async with trio.open_nursery() as nursery:
                async for letter in letters:
                    nursery.start_soon(self._answer, letter)
        finally:
            self._mailbox.close()

    async def _answer(self, letter: Letter) -> None:
        try:
            letter.answer(await self._handlers[type(letter.message)](letter.message))
        except Exception as error:
            letter.refuse(error)

    async def _measure(self, _: MeasureContext) -> ContextView:
        return await self._meter.read()

    async def _build(self, request: BuildPacket) -> Packet:
        query = PacketQuery(turn_id=request.turn_id, native_session_id=request.native_session_id)
        inputs = await read_inputs(self._store, query, self._limits.context_characters)
        agent = self._agents.get(inputs.target_actor_id)
        if agent is None:
            raise GroupXError(
                ErrorCode.ADAPTER_NOT_FOUND,
                f"{inputs.target_actor_id} is not configured any more; its turn was not sent.",
            )
        boundary = self._entropy(BOUNDARY_BYTES).hex()
        return build_packet(inputs, agent=agent, limits=self._limits, boundary=boundary)
