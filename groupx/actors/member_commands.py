"""What the broker does for agents that act out of their running turns."""

from collections.abc import Awaitable, Callable, Mapping
from types import MappingProxyType
from typing import Any

from groupx.actors.command_key import command_key
from groupx.actors.mailbox import ActorRef
from groupx.actors.messages import MemberPublish, MemberSend, ToStore, Write
from groupx.actors.said import check_text
from groupx.actors.terms import Terms
from groupx.domain.commands import AcceptCommand, AcceptedMessage, PublishCommand
from groupx.domain.envelope import ASKED, Provenance
from groupx.store.transactions.accept import accept
from groupx.store.transactions.publish import publish


class MemberCommands:
    """A part of the broker, without a mailbox of its own."""

    def __init__(self, store: ActorRef[ToStore], terms: Terms) -> None:
        self._store = store
        self._terms = terms
        self.handlers: Mapping[type[Any], Callable[[Any], Awaitable[Any]]] = MappingProxyType(
            {MemberSend: self._send, MemberPublish: self._publish}
        )

    async def _send(self, message: MemberSend) -> AcceptedMessage:
        check_text(message.content)
        command = AcceptCommand(
            key=command_key("mcp.ask" if message.waits else "mcp.send", message),
            actor_id=message.actor_id,
            to=message.to,
            content=message.content,
            **self._terms.now(),
            provenance=Provenance(
                source_kind="mcp",
                author_actor_id=message.actor_id,
                labels=(ASKED,) if message.waits else None,
            ),
            trigger_kind="automatic",
            reply_to_event_id=message.reply_to_event_id,
            parent_turn_id=message.parent_turn_id,
            waits=message.waits,
            wake_me=message.wake_me,
            supervision=message.supervision,
        )
        return await self._store.ask(Write(accept, command))

    async def _publish(self, message: MemberPublish) -> AcceptedMessage:
        check_text(message.content)
        command = PublishCommand(
            key=command_key("mcp.publish", message),
            actor_id=message.actor_id,
            content=message.content,
            provenance=Provenance(source_kind="mcp", author_actor_id=message.actor_id),
            limits=self._terms.limits,
            reply_to_event_id=message.reply_to_event_id,
            parent_turn_id=message.parent_turn_id,
        )
        return await self._store.ask(Write(publish, command))
