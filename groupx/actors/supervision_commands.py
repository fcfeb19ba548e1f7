"""What the broker does for observers: steer a worker, and keep what they were shown."""

from collections.abc import Awaitable, Callable, Mapping
from types import MappingProxyType
from typing import Any

from groupx.actors.bells import LaneBells
from groupx.actors.command_key import command_key
from groupx.actors.mailbox import ActorRef
from groupx.actors.messages import Observe, SteerTurn, ToStore, Write
from groupx.actors.said import check_text
from groupx.actors.terms import Terms
from groupx.domain.steering import SteerCommand, Steered
from groupx.domain.turns import TurnStatus
from groupx.domain.watching import ObserveCommand, Observed
from groupx.store.transactions.observe import observe
from groupx.store.transactions.steer import steer


class SupervisionCommands:
    """A part of the broker, without a mailbox of its own."""

    def __init__(self, store: ActorRef[ToStore], bells: LaneBells, terms: Terms) -> None:
        self._store = store
        self._bells = bells
        self._terms = terms
        self.handlers: Mapping[type[Any], Callable[[Any], Awaitable[Any]]] = MappingProxyType(
            {SteerTurn: self._steer, Observe: self._observe}
        )

    async def _steer(self, message: SteerTurn) -> Steered:
        check_text(message.content)
        check_text(message.reason)
        command = SteerCommand(
            key=command_key(f"mcp.steer.{message.action}", message),
            actor_id=message.actor_id,
            watch_turn_id=message.parent_turn_id,
            subject_turn_id=message.subject_turn_id,
            action=message.action,
            reason=message.reason,
            content=message.content,
            **self._terms.now(),
        )
        answer = await self._store.ask(Write(steer, command))
        if answer.subject_status is TurnStatus.CANCELLING:
            self._bells.ring_cancel(answer.subject_actor_id, force=False)
        return answer

    async def _observe(self, message: Observe) -> Observed:
        command = ObserveCommand(
            key=command_key("mcp.watch", message),
            actor_id=message.actor_id,
            watch_turn_id=message.parent_turn_id,
            until=message.until,
            timed_out=message.timed_out,
            snapshot=message.snapshot,
        )
        return await self._store.ask(Write(observe, command))
