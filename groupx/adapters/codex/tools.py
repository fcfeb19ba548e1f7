"""Items of a turn that are tools → bounded projections, each opened and closed once."""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Literal

import attrs

from groupx.adapters.contract import ToolUpdate
from groupx.adapters.json_lines import Json, object_of, objects_in, render, text_of
from groupx.adapters.tool_details import (
    INPUT_BYTES,
    MAX_PATHS,
    NAME_BYTES,
    TEXT_BYTES,
    within_bound,
)
from groupx.domain.text import cut_utf8

MAX_TRACKED = 4096
"""Tool items followed in one turn; what comes after them is not shown."""
ClosingStatus = Literal["completed", "failed", "cancelled"]
COMMAND = "commandExecution"
_INPUTS = ("command", "arguments", "query", "prompt")
"""Where an item says what it was given."""
_FAILED = frozenset({"failed", "declined"})
"""Statuses of a closed item that came to nothing."""


def _mcp_name(item: Json) -> str:
    return f"{text_of(item.get('server'))}.{text_of(item.get('tool'))}"


def _tool_name(item: Json) -> str:
    return text_of(item.get("tool"))


@attrs.frozen
class _ItemType:
    kind: str
    name: Callable[[Json], str]


_TYPES: Mapping[str, _ItemType] = MappingProxyType(
    {
        COMMAND: _ItemType("execute", lambda item: text_of(item.get("command"))),
        "fileChange": _ItemType("edit", lambda _: "Edit files"),
        "mcpToolCall": _ItemType("other", _mcp_name),
        "dynamicToolCall": _ItemType("other", _tool_name),
        "collabAgentToolCall": _ItemType("other", _tool_name),
        "webSearch": _ItemType("search", lambda _: "Search the web"),
        "imageView": _ItemType("read", lambda _: "Look at an image"),
        "imageGeneration": _ItemType("other", lambda _: "Make an image"),
        "sleep": _ItemType("other", lambda _: "Sleep"),
    }
)


@attrs.define
class _Call:
    type: str
    name: str
    kind: str
    output: str = ""
    """The end of what it printed so far."""
    closed: bool = False


class ToolBook:
    """The tool items of one turn."""

    def __init__(self) -> None:
        self._calls: dict[str, _Call] = {}

    @property
    def command_is_open(self) -> bool:
        """Whether a shell command has not ended."""
        return any(call.type == COMMAND and not call.closed for call in self._calls.values())

    def started(self, item: Json) -> list[ToolUpdate]:
        """An item was opened; nothing for one that is no tool, or is known already."""
        call_id, item_type = text_of(item.get("id")), text_of(item.get("type"))
        row = _TYPES.get(item_type)
        if row is None or call_id in self._calls or len(self._calls) >= MAX_TRACKED:
            return []
        name = cut_utf8(row.name(item), NAME_BYTES)[0] or item_type
        call = self._calls[call_id] = _Call(item_type, name, row.kind)
        return [_event(call_id, call, "started", "in_progress", details_of(item))]

    def completed(self, item: Json) -> list[ToolUpdate]:
        """An item was closed; also opened, if it was not."""
        events = self.started(item)
        call_id = text_of(item.get("id"))
        call = self._calls.get(call_id)
        if call is None or call.closed:
            return events
        call.closed = True
        status = "failed" if text_of(item.get("status")) in _FAILED else "completed"
        return [*events, _event(call_id, call, "completed", status, details_of(item))]

    def printed(self, call_id: str, text: str) -> list[ToolUpdate]:
        """More output of an open call."""
        call = self._calls.get(call_id)
        if call is None or call.closed:
            return []
        newest = (call.output + text[-TEXT_BYTES:]).encode()[-TEXT_BYTES:]
        call.output = newest.decode(errors="ignore")
        details = within_bound({"text": call.output})
        return [_event(call_id, call, "updated", "in_progress", details)]

    def close_open(self, status: ClosingStatus) -> list[ToolUpdate]:
        """Close what the program left open when its turn ended."""
        events: list[ToolUpdate] = []
        for call_id, call in self._calls.items():
            if not call.closed:
                call.closed = True
                events.append(_event(call_id, call, "completed", status, {}))
        return events


def _event(
    call_id: str,
    call: _Call,
    phase: Literal["started", "updated", "completed"],
    status: str,
    details: dict[str, Any],
) -> ToolUpdate:
    return ToolUpdate(
        phase=phase,
        tool_call_id=cut_utf8(call_id, NAME_BYTES)[0] or None,
        name=call.name,
        kind=call.kind,
        status=status,
        details=details,
    )


def details_of(item: Json) -> dict[str, Any]:
    """At most 4 KiB of JSON: what it was given, what came of it, the files, the exit code."""
    details: dict[str, Any] = {}
    if text := _text_of(item):
        details["text"] = cut_utf8(text, TEXT_BYTES)[0]
    given = next(filter(None, (item.get(key) for key in _INPUTS)), None)
    if given is not None:
        rendered = given if isinstance(given, str) else render(given)
        details["input"] = cut_utf8(rendered, INPUT_BYTES)[0]
    changes = [text_of(change.get("path")) for change in objects_in(item.get("changes"))]
    paths = [path for path in (*changes, text_of(item.get("path"))) if path]
    if paths:
        details["paths"] = [cut_utf8(path, NAME_BYTES)[0] for path in paths][:MAX_PATHS]
    code = item.get("exitCode")
    if isinstance(code, int) and abs(code) < 2**32:
        details["exitCode"] = code
    return within_bound(details)


def _text_of(item: Json) -> str:
    output = text_of(item.get("aggregatedOutput"))
    said = objects_in(object_of(item.get("result")).get("content"))
    said += objects_in(item.get("contentItems"))
    diffs = (text_of(change.get("diff")) for change in objects_in(item.get("changes")))
    error = text_of(object_of(item.get("error")).get("message"))
    texts = (output, *(text_of(part.get("text")) for part in said), *diffs, error)
    return "\n".join(filter(None, texts))
