"""What the broker does for memories, identities and memory policies."""

from collections.abc import Awaitable, Callable, Mapping
from types import MappingProxyType
from typing import Any

from groupx.actors.command_key import command_key
from groupx.actors.mailbox import ActorRef
from groupx.actors.messages import (
    Remember,
    Retract,
    SetMemoryPolicy,
    Supersede,
    ToStore,
    Write,
)
from groupx.actors.said import check_text
from groupx.domain.ids import OPERATOR_BINDING, WEB_BINDING
from groupx.domain.memory import RecordSource
from groupx.domain.memory_commands import (
    MemoryDraft,
    Recorded,
    RememberRecord,
    RetractRecord,
    SupersedeRecord,
)
from groupx.domain.memory_policy import MemoryPolicy, SetPolicy
from groupx.store.transactions.memory_policy import set_policy
from groupx.store.transactions.remember import remember_record
from groupx.store.transactions.retract import retract_record
from groupx.store.transactions.supersede import supersede_record

_PEOPLE: Mapping[str, RecordSource] = MappingProxyType(
    {WEB_BINDING: "web", OPERATOR_BINDING: "operator"}
)


class MemoryCommands:
    """A part of the broker, without a mailbox of its own."""

    def __init__(self, store: ActorRef[ToStore]) -> None:
        self._store = store
        self.handlers: Mapping[type[Any], Callable[[Any], Awaitable[Any]]] = MappingProxyType(
            {
                Remember: self._remember,
                Supersede: self._supersede,
                Retract: self._retract,
                SetMemoryPolicy: self._set_policy,
            }
        )

    async def _remember(self, message: Remember) -> Recorded:
        check_text(message.draft.content)
        family = "memory" if isinstance(message.draft, MemoryDraft) else "identity"
        command = RememberRecord(
            key=command_key(f"{family}.remember", message),
            by=message.actor_id,
            source=_source(message),
            parent_turn_id=message.parent_turn_id,
            draft=message.draft,
        )
        return await self._store.ask(Write(remember_record, command))

    async def _supersede(self, message: Supersede) -> Recorded:
        check_text(message.content)
        command = SupersedeRecord(
            key=command_key(f"{message.family}.supersede", message),
            by=message.actor_id,
            source=_source(message),
            parent_turn_id=message.parent_turn_id,
            family=message.family,
            record_id=message.record_id,
            layer=message.layer,
            kind=message.new_kind,
            content=message.content,
            source_event_id=message.source_event_id,
        )
        return await self._store.ask(Write(supersede_record, command))

    async def _retract(self, message: Retract) -> Recorded:
        command = RetractRecord(
            key=command_key(f"{message.family}.retract", message),
            by=message.actor_id,
            source=_source(message),
            parent_turn_id=message.parent_turn_id,
            family=message.family,
            record_id=message.record_id,
        )
        return await self._store.ask(Write(retract_record, command))

    async def _set_policy(self, message: SetMemoryPolicy) -> MemoryPolicy:
        command = SetPolicy(
            key=command_key("memory.policy", message),
            by=message.actor_id,
            actor_id=message.agent,
            expected_revision=message.expected_revision,
            use_memories=message.use_memories,
            generation=message.generation,
            reason=message.reason,
        )
        return await self._store.ask(Write(set_policy, command))


def _source(message: Remember | Supersede | Retract) -> RecordSource:
    return _PEOPLE.get(message.binding_id, "mcp")
