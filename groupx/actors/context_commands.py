"""What the broker does for the room's context."""

from collections.abc import Awaitable, Callable, Mapping
from types import MappingProxyType
from typing import Any

from groupx.actors.command_key import command_key
from groupx.actors.mailbox import ActorRef
from groupx.actors.messages import (
    CancelCompaction,
    CompactContext,
    CompactRoom,
    ResetRoom,
    StopCompacting,
    ToContext,
    ToStore,
    Write,
)
from groupx.domain.commands import RememberCommand
from groupx.domain.compaction import CompactionBegun
from groupx.domain.compaction_state import CompactionCancelled
from groupx.domain.context_reset import ContextReset, ResetContext
from groupx.domain.wire import to_wire
from groupx.store.command_rows import first_result
from groupx.store.transactions.context_reset import reset_context
from groupx.store.transactions.remember_command import remember_command


class ContextCommands:
    """A part of the broker, without a mailbox of its own."""

    def __init__(self, store: ActorRef[ToStore], context: ActorRef[ToContext]) -> None:
        self._store = store
        self._context = context
        self.handlers: Mapping[type[Any], Callable[[Any], Awaitable[Any]]] = MappingProxyType(
            {
                CompactContext: self._compact,
                CancelCompaction: self._cancel,
                ResetRoom: self._reset,
            }
        )

    async def _compact(self, message: CompactContext) -> CompactionBegun:
        """The same command begins nothing again, however far the first has got."""
        key = command_key("context.compact", message)
        known = await self._store.ask(Write(first_result, key))
        if known is None:
            begun = CompactionBegun(compaction_id=await self._context.ask(CompactRoom()))
            command = RememberCommand(key=key, result=to_wire(begun))
            known = (await self._store.ask(Write(remember_command, command))).result
        return CompactionBegun(compaction_id=known["compactionId"])

    async def _cancel(self, message: CancelCompaction) -> CompactionCancelled:
        """The same command ends none that was begun after it."""
        key = command_key("context.compact.cancel", message)
        known = await self._store.ask(Write(first_result, key))
        if known is None:
            ended = CompactionCancelled(compaction_id=await self._context.ask(StopCompacting()))
            command = RememberCommand(key=key, result=to_wire(ended))
            known = (await self._store.ask(Write(remember_command, command))).result
        return CompactionCancelled(compaction_id=known["compactionId"])

    async def _reset(self, message: ResetRoom) -> ContextReset:
        command = ResetContext(
            key=command_key("context.reset", message),
            by=message.actor_id,
            reset_native_sessions=message.reset_native_sessions,
        )
        return await self._store.ask(Write(reset_context, command))
