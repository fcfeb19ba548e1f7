"""Commands that keep, change and take back memories, and what the model expects of them."""

from typing import Any, Literal

import attrs

from groupx.domain.commands import CommandKey
from groupx.domain.ids import USER_WEB, ActorId
from groupx.domain.memory_commands import (
    MemoryDraft,
    Recorded,
    RememberRecord,
    RetractRecord,
    SupersedeRecord,
)
from groupx.store.transactions.remember import remember_record
from groupx.store.transactions.retract import retract_record
from groupx.store.transactions.supersede import supersede_record
from tests.store.machine.judging import Bench, Reasons
from tests.store.machine.model import Memory
from tests.store.machine.world import Step

Verb = Literal["supersede", "retract"]


@attrs.frozen(kw_only=True)
class Hand:
    """Who writes, through which session, out of which turn, under which id."""

    by: ActorId
    binding: str
    parent: str | None
    cid: str | None


class Remembering(Bench):
    """Builds the steps; each says what the model expects of it."""

    def remember(self, hand: Hand, layer: Literal["room", "core"], of: ActorId) -> Step:
        request = {"layer": layer, "of": of}
        owner = of if layer == "core" else None
        draft = MemoryDraft(layer=layer, owner=owner, kind="note", content="kept")
        command = RememberRecord(**self._fields("memory.remember", request, hand), draft=draft)

        def reasons() -> Reasons:
            found = self._hand_reasons(hand)
            if layer == "core" and hand.by not in (USER_WEB, of):
                found.add("MCP_BINDING_MISMATCH")
            return found | self._excluded(hand)

        def done(answer: Recorded) -> None:
            scope = of if layer == "core" else self.model.room
            self._keep(answer, Memory(layer, scope, hand.by))

        return self.once(
            "remember", remember_record, command,
            asked=("memory.remember", request), reasons=reasons, done=done,
        )  # fmt: skip

    def change(self, hand: Hand, verb: Verb, memory_id: str) -> Step:
        request = {"memoryId": memory_id}
        kind = f"memory.{verb}"
        fields = self._fields(kind, request, hand)
        about: dict[str, Any] = {"family": "memory", "record_id": memory_id}
        run: Any = supersede_record if verb == "supersede" else retract_record
        if verb == "supersede":
            command: Any = SupersedeRecord(**fields, **about, content="better")
        else:
            command = RetractRecord(**fields, **about)

        def done(answer: Recorded) -> None:
            old = self.model.memories[memory_id]
            old.status = "superseded" if verb == "supersede" else "retracted"
            if verb == "supersede":
                self._keep(answer, Memory(old.layer, old.owner, hand.by, supersedes=memory_id))

        return self.once(
            verb, run, command,
            asked=(kind, request), done=done,
            reasons=lambda: self._change_reasons(hand, verb, memory_id),
        )  # fmt: skip

    def _change_reasons(self, hand: Hand, verb: Verb, memory_id: str) -> Reasons:
        found = self._hand_reasons(hand)
        if verb == "supersede":
            found |= self._excluded(hand)
        memory = self.model.memories.get(memory_id)
        if memory is None:
            return found | {"NOT_FOUND"}
        if hand.by != USER_WEB:
            if memory.layer in ("core", "dated") and memory.owner != hand.by:
                return found | {"NOT_FOUND"}
            if memory.author != hand.by or memory.layer == "dated":
                found.add("MCP_BINDING_MISMATCH")
        elif memory.layer == "dated" and verb == "supersede":
            found.add("MCP_BINDING_MISMATCH")
        elsewhere = memory.layer == "room" and memory.owner != self.model.room
        if elsewhere or memory.status != "active":
            found.add("STORE_CONFLICT")
        return found

    def _excluded(self, hand: Hand) -> Reasons:
        """An agent that is to make no memories keeps none."""
        generation, _ = self.model.days.policy(self.model.room, hand.by)
        return {"POLICY_EXCLUDED"} if generation == "excluded" else set()

    def _hand_reasons(self, hand: Hand) -> Reasons:
        found = self.model.sender_reasons(hand.binding, hand.by)
        if hand.by != USER_WEB:
            found |= self.model.parent_reasons(hand.parent or "turn_none", hand.by)
        return found

    def _keep(self, answer: Recorded, memory: Memory) -> None:
        memory.told_in = self.model.room
        self.model.memories[answer.record.memory_id] = memory  # pyright: ignore

    def _fields(self, kind: str, request: dict[str, Any], hand: Hand) -> dict[str, Any]:
        return {
            "key": CommandKey(
                binding_id=hand.binding,
                client_command_id=hand.cid,
                command_type=kind,
                request=request,
            ),
            "by": hand.by,
            "source": "web" if hand.by == USER_WEB else "mcp",
            "parent_turn_id": hand.parent,
        }
