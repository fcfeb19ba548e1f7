"""What the broker does for the room's context."""

from collections.abc import Awaitable, Callable, Mapping
from types import MappingProxyType
from typing import Any

from groupx.actors.command_key import command_key
from groupx.actors.mailbox import ActorRef
from groupx.actors.messages import ResetRoom, ToStore, Write
from groupx.domain.context_reset import ContextReset, ResetContext
from groupx.store.transactions.context_reset import reset_context


class ContextCommands:
    """A part of the broker, without a mailbox of its own."""

    def __init__(self, store: ActorRef[ToStore]) -> None:
        self._store = store
        self.handlers: Mapping[type[Any], Callable[[Any], Awaitable[Any]]] = MappingProxyType(
            {ResetRoom: self._reset}
        )

    async def _reset(self, message: ResetRoom) -> ContextReset:
        command = ResetContext(
            key=command_key("context.reset", message),
            by=message.actor_id,
            reset_native_sessions=message.reset_native_sessions,
        )
        return await self._store.ask(Write(reset_context, command))
