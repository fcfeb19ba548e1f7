"""Tool calls: content blocks of the model's messages → bounded projections."""

from typing import Any, Literal

import attrs

from groupx.adapters.contract import ToolUpdate
from groupx.adapters.json_lines import Json, objects_in, render, text_of
from groupx.adapters.tool_details import INPUT_BYTES, NAME_BYTES, TEXT_BYTES, within_bound
from groupx.domain.text import cut_utf8

MAX_TRACKED = 4096
"""Tool calls followed in one turn; what comes after them is not shown."""
ClosingStatus = Literal["completed", "failed", "cancelled"]

KINDS = {
    "Bash": "execute",
    "Edit": "edit",
    "Glob": "search",
    "Grep": "search",
    "LS": "read",
    "MultiEdit": "edit",
    "NotebookEdit": "edit",
    "Read": "read",
    "WebFetch": "fetch",
    "WebSearch": "fetch",
    "Write": "edit",
}
"""What its own tools do; the others are `other`."""


@attrs.define
class _Call:
    name: str
    closed: bool = False


class ToolBook:
    """The tool calls of one turn, each opened and closed once."""

    def __init__(self) -> None:
        self._calls: dict[str, _Call] = {}

    def opened(self, block: Json) -> list[ToolUpdate]:
        """A tool-use block began; its input is still being written."""
        call_id = text_of(block.get("id"))
        if not call_id or call_id in self._calls or len(self._calls) >= MAX_TRACKED:
            return []
        name = cut_utf8(text_of(block.get("name")), NAME_BYTES)[0] or "tool"
        call = self._calls[call_id] = _Call(name)
        return [_update(call_id, call, "started", "pending")]

    def called(self, block: Json) -> list[ToolUpdate]:
        """A tool-use block is complete: the tool runs."""
        events = self.opened(block)
        call_id = text_of(block.get("id"))
        call = self._calls.get(call_id)
        if call is None or call.closed:
            return events
        details: dict[str, Any] = {}
        if block.get("input"):
            details["input"] = cut_utf8(render(block["input"]), INPUT_BYTES)[0]
        return [*events, _update(call_id, call, "updated", "in_progress", details)]

    def returned(self, block: Json) -> list[ToolUpdate]:
        """A tool-result block."""
        call_id = text_of(block.get("tool_use_id"))
        call = self._calls.get(call_id)
        if call is None or call.closed:
            return []
        call.closed = True
        text = _text_in(block.get("content"))
        details = {"text": cut_utf8(text, TEXT_BYTES)[0]} if text else {}
        status = "failed" if block.get("is_error") is True else "completed"
        return [_update(call_id, call, "completed", status, details)]

    def close_open(self, status: ClosingStatus) -> list[ToolUpdate]:
        """Close what the program left open when its turn ended."""
        events: list[ToolUpdate] = []
        for call_id, call in self._calls.items():
            if not call.closed:
                call.closed = True
                events.append(_update(call_id, call, "completed", status))
        return events


def _update(
    call_id: str,
    call: _Call,
    phase: Literal["started", "updated", "completed"],
    status: str,
    details: dict[str, Any] | None = None,
) -> ToolUpdate:
    return ToolUpdate(
        phase=phase,
        tool_call_id=cut_utf8(call_id, NAME_BYTES)[0],
        name=call.name,
        kind=KINDS.get(call.name, "other"),
        status=status,
        details=within_bound(details or {}),
    )


def _text_in(content: object) -> str:
    if isinstance(content, str):
        return content
    return "\n".join(filter(None, (text_of(item.get("text")) for item in objects_in(content))))
