"""Short ways to write memories and identities."""

from typing import Any

import orjson

from groupx.domain.ids import OPERATOR_BINDING, USER_ASSISTANT, USER_WEB, WEB_BINDING
from groupx.domain.memory_commands import (
    IdentityDraft,
    MemoryDraft,
    Recorded,
    RememberRecord,
    RetractRecord,
    SupersedeRecord,
)
from groupx.store.transactions.remember import remember_record
from groupx.store.transactions.retract import retract_record
from groupx.store.transactions.supersede import supersede_record


class Notes:
    """A ledger in which `agent:a` works, and what can be kept in it."""

    def __init__(self, ledger: Any) -> None:
        self.ledger = ledger
        self.turns: dict[str, str] = {}

    def at_work(self, actor: str) -> str:
        """The running turn of an agent."""
        if actor not in self.turns:
            self.turns[actor], _ = self.ledger.running(actor)
        return self.turns[actor]

    def memory(self, by: str = USER_WEB, layer: Any = "room", **changes: Any) -> RememberRecord:
        fields = {"kind": "fact", "content": "water is wet"} | changes
        return self._command(RememberRecord, by, draft=MemoryDraft(layer=layer, **fields))

    def identity(self, subject: Any, by: str = USER_WEB, **changes: Any) -> RememberRecord:
        fields = {"kind": "note", "content": "is careful"} | changes
        draft = IdentityDraft(subject_actor_id=subject, **fields)
        return self._command(RememberRecord, by, draft=draft)

    def anew(self, record_id: str, by: str = USER_WEB, **changes: Any) -> SupersedeRecord:
        fields = {"family": "memory", "content": "water is very wet"} | changes
        return self._command(SupersedeRecord, by, record_id=record_id, **fields)

    def back(self, record_id: str, by: str = USER_WEB, family: Any = "memory") -> RetractRecord:
        return self._command(RetractRecord, by, record_id=record_id, family=family)

    def keep(self, command: RememberRecord) -> Recorded:
        return self.ledger.write(remember_record, command)

    def replace(self, *args: Any, **changes: Any) -> Recorded:
        return self.ledger.write(supersede_record, self.anew(*args, **changes))

    def retract(self, *args: Any, **changes: Any) -> Recorded:
        return self.ledger.write(retract_record, self.back(*args, **changes))

    def event(self) -> Any:
        """The newest one."""
        return orjson.loads(self.ledger.frames[-1].data)

    def _command(self, cls: Any, by: str, **fields: Any) -> Any:
        people = {USER_WEB: (WEB_BINDING, "web"), USER_ASSISTANT: (OPERATOR_BINDING, "operator")}
        turn = None if by in people else self.at_work(by)
        binding, source = people.get(by) or (self.ledger.bindings[by], "mcp")
        key = self.ledger.key("a write", binding=binding, fields=repr(fields))
        return cls(key=key, by=by, source=source, parent_turn_id=turn, **fields)
