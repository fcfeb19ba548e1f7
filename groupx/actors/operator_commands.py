"""What the broker does for the assistant beyond what a person can do."""

from collections.abc import Awaitable, Callable, Mapping
from types import MappingProxyType
from typing import Any

from groupx.actors.command_key import command_key
from groupx.actors.mailbox import ActorRef
from groupx.actors.messages import DispatchEvent, DispatchWork, ToStore, Write
from groupx.actors.said import check_text
from groupx.actors.terms import Terms
from groupx.domain.commands import AcceptedMessage, DispatchCommand, DispatchEventCommand
from groupx.store.transactions.operator_dispatch import dispatch_event, operator_dispatch


class OperatorCommands:
    """A part of the broker, without a mailbox of its own."""

    def __init__(self, store: ActorRef[ToStore], terms: Terms) -> None:
        self._store = store
        self._terms = terms
        self.handlers: Mapping[type[Any], Callable[[Any], Awaitable[Any]]] = MappingProxyType(
            {DispatchWork: self._dispatch, DispatchEvent: self._dispatch_event}
        )

    async def _dispatch(self, message: DispatchWork) -> AcceptedMessage:
        check_text(message.content)
        command = DispatchCommand(
            key=command_key(f"operator.{message.kind}", message),
            actor_id=message.actor_id,
            operation=message.kind,
            to=message.to,
            content=message.content,
            **self._terms.now(),
            supervision=message.supervision,
        )
        return await self._store.ask(Write(operator_dispatch, command))

    async def _dispatch_event(self, message: DispatchEvent) -> AcceptedMessage:
        command = DispatchEventCommand(
            key=command_key("operator.dispatch_event", message),
            actor_id=message.actor_id,
            event_id=message.event_id,
            to=message.to,
            **self._terms.now(),
            supervision=message.supervision,
        )
        return await self._store.ask(Write(dispatch_event, command))
