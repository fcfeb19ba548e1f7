"""Tool calls: ACP's open-ended reports → bounded projections, each opened and closed once."""

from typing import Any, Literal

import attrs

from groupx.adapters.contract import ToolUpdate
from groupx.adapters.json_lines import Json, is_object, objects_in, render, text_of
from groupx.adapters.tool_details import (
    INPUT_BYTES,
    MAX_PATHS,
    NAME_BYTES,
    TEXT_BYTES,
    within_bound,
)
from groupx.domain.text import cut_utf8

MAX_TRACKED = 4096
"""Tool calls followed in one turn; what comes after them is not shown."""
ClosingStatus = Literal["completed", "failed", "cancelled"]
_TERMINAL = frozenset({"completed", "failed", "cancelled"})


@attrs.define
class _Call:
    name: str
    kind: str
    closed: bool = False


class ToolBook:
    """The tool calls of one turn."""

    def __init__(self) -> None:
        self._calls: dict[str, _Call] = {}

    def record(self, update: Json) -> list[ToolUpdate]:
        """A `tool_call` or `tool_call_update` → what to report; nothing for a closed call."""
        call_id = text_of(update.get("toolCallId"))
        call = self._calls.get(call_id)
        is_new = call is None
        if call is None:
            if len(self._calls) >= MAX_TRACKED:
                return []
            call = self._calls[call_id] = _Call("tool", "other")
        elif call.closed:
            return []
        call.name = _name_of(update) or call.name
        call.kind = cut_utf8(text_of(update.get("kind")), NAME_BYTES)[0] or call.kind
        status = text_of(update.get("status")) or ("pending" if is_new else "in_progress")
        call.closed = status in _TERMINAL
        events: list[ToolUpdate] = []
        if is_new:
            events.append(self._event(call_id, call, "started", status, update))
        if call.closed or not is_new:
            phase = "completed" if call.closed else "updated"
            events.append(self._event(call_id, call, phase, status, update))
        return events

    def close_open(self, status: ClosingStatus) -> list[ToolUpdate]:
        """Close what the program left open when its turn ended."""
        events: list[ToolUpdate] = []
        for call_id, call in self._calls.items():
            if not call.closed:
                call.closed = True
                events.append(self._event(call_id, call, "completed", status, {}))
        return events

    @staticmethod
    def _event(
        call_id: str,
        call: _Call,
        phase: Literal["started", "updated", "completed"],
        status: str,
        update: Json,
    ) -> ToolUpdate:
        return ToolUpdate(
            phase=phase,
            tool_call_id=cut_utf8(call_id, NAME_BYTES)[0] or None,
            name=call.name,
            kind=call.kind,
            status=cut_utf8(status, NAME_BYTES)[0],
            details=details_of(update),
        )


def _name_of(update: Json) -> str:
    return cut_utf8(text_of(update.get("title")) or text_of(update.get("name")), NAME_BYTES)[0]


def details_of(update: Json) -> dict[str, Any]:
    """At most 4 KiB of JSON: text, input, paths and raw output where there is no text."""
    details: dict[str, Any] = {}
    text = "\n".join(
        filter(None, (_content_text(item) for item in objects_in(update.get("content"))))
    )
    if not text:
        text = _raw_text(update.get("rawOutput"))
    if text:
        details["text"] = cut_utf8(text, TEXT_BYTES)[0]
    raw_input = update.get("rawInput")
    if raw_input:
        rendered = raw_input if isinstance(raw_input, str) else render(raw_input)
        details["input"] = cut_utf8(rendered, INPUT_BYTES)[0]
    paths = [text_of(item.get("path")) for item in objects_in(update.get("locations"))]
    if any(paths):
        details["paths"] = [cut_utf8(path, NAME_BYTES)[0] for path in paths if path][:MAX_PATHS]
    return within_bound(details)


def _content_text(item: Json) -> str:
    content = item.get("content")
    if is_object(content):
        return text_of(content.get("text"))
    if item.get("type") == "diff":
        return f"edited {text_of(item.get('path'))}"
    return ""


def _raw_text(output: object) -> str:
    """Raw output that is text, or what of its `output` is; nothing of bytes and numbers."""
    if is_object(output):
        inner = output.get("output")
        parts = inner.values() if is_object(inner) else (inner,)
        return "\n".join(part for part in parts if isinstance(part, str))
    return text_of(output)
