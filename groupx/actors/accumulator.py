"""What a running turn has said and done so far, within the bounds of what is stored of it."""

from collections.abc import Mapping
from typing import Any

import attrs
import orjson

from groupx.actors.bounded_text import BoundedText
from groupx.adapters.contract import ContentDelta, ToolUpdate
from groupx.domain.context_usage import Usage
from groupx.domain.ledger import ToolRecord
from groupx.domain.limits import (
    MAX_REASONING_BYTES,
    MAX_RESPONSE_BYTES,
    MAX_TOOL_RECORD_BYTES,
    MAX_TOOL_RECORDS,
)
from groupx.domain.text import excerpt, without_surrogates
from groupx.domain.views import LiveTurn

_SEGMENT_BREAK = "\n\n"
_LABEL_CHARACTERS = 200


@attrs.frozen(kw_only=True)
class ToolStep:
    """One tool event as it is shown and stored."""

    native_type: str
    tool_call_id: str | None
    details: Mapping[str, Any]

    def body(self, turn_id: str) -> dict[str, Any]:
        """The body of its `tool.progress`."""
        body: dict[str, Any] = {"turnId": turn_id, "nativeType": self.native_type}
        if self.tool_call_id is not None:
            body["toolCallId"] = self.tool_call_id
        return {**body, "details": self.details}


class Accumulator:
    """Takes a turn's native events in order. Never waits, never raises, never grows unbounded.

    A segment begins with a native message, or with the first text after a tool call. The response
    is its segments with a blank line between them, whatever newlines the program put there itself;
    the pieces that `add_content` returns, put together, are the response.
    """

    def __init__(self) -> None:
        self._response = BoundedText(MAX_RESPONSE_BYTES)
        self._reasoning = BoundedText(MAX_REASONING_BYTES)
        self._tools: list[ToolRecord] = []
        self._tools_left_out = 0
        self._open_tools: set[str] = set()
        self._shown: dict[str, ToolStep] = {}
        self._break_before_next = False
        self._newlines = ""
        """Those that the response ends with, of the two that make a blank line."""
        self.usage: Usage | None = None
        """The latest that the program reported of its tokens."""
        self.chunks = 0
        self.reasoning_chunks = 0
        self.final_offset = 0
        """Where the last segment starts, in Unicode code points."""

    def add_content(self, delta: ContentDelta) -> str:
        """The piece of the response that this delta became; empty when it is over the bound."""
        self._break_before_next |= delta.new_segment
        breaks = self._break_before_next and self._response.characters > 0
        text = delta.text.lstrip("\n") if breaks else delta.text
        if not text:
            return ""
        self._break_before_next = False
        lead = _SEGMENT_BREAK[len(self._newlines) :] if breaks else ""
        start = self._response.characters + len(lead)
        piece = self._response.append(lead + text)
        if breaks and len(piece) > len(lead):
            self.final_offset = start
        tail = (self._newlines + piece)[-2:]
        self._newlines = tail[len(tail.rstrip("\n")) :]
        self.chunks += bool(piece)
        return piece

    def add_reasoning(self, text: str) -> str:
        """The piece of the reasoning that was kept."""
        piece = self._reasoning.append(text)
        self.reasoning_chunks += bool(piece)
        return piece

    def add_tool(self, update: ToolUpdate) -> ToolStep:
        """The step as it is shown; openings and closings are also kept for the ledger."""
        call_id = update.tool_call_id
        step = ToolStep(
            native_type=f"tool.{update.phase}",
            tool_call_id=None if call_id is None else _label(call_id),
            details=_bounded_details(update),
        )
        key = step.tool_call_id or _label(update.name)
        if update.phase == "started":
            self._break_before_next = True
            self._open_tools.add(key)
        elif update.phase == "completed":
            self._open_tools.discard(key)
        if len(self._shown) < MAX_TOOL_RECORDS or key in self._shown:
            self._shown[key] = step
        if update.phase != "updated":
            self._keep(step)
        return step

    def _keep(self, step: ToolStep) -> None:
        record = ToolRecord(
            native_type=step.native_type, tool_call_id=step.tool_call_id, details=step.details
        )
        if len(self._tools) < MAX_TOOL_RECORDS:
            self._tools.append(record)
        else:
            self._tools_left_out += 1

    @property
    def tool_is_open(self) -> bool:
        """Whether the program is waiting for a tool."""
        return bool(self._open_tools)

    @property
    def response(self) -> str:
        """The response so far."""
        return self._response.text

    @property
    def response_bytes(self) -> int:
        """Its size as UTF-8."""
        return self._response.bytes

    @property
    def truncated(self) -> bool:
        """Whether the response was cut."""
        return self._response.truncated

    @property
    def reasoning(self) -> str | None:
        """The reasoning so far; None when there was none."""
        return self._reasoning.text or None

    @property
    def reasoning_truncated(self) -> bool:
        """Whether the reasoning was cut."""
        return self._reasoning.truncated

    def tools(self) -> tuple[ToolRecord, ...]:
        """The records to store; the last one says how many more there were."""
        if not self._tools_left_out:
            return tuple(self._tools)
        left_out = self._tools_left_out + 1
        details = {"name": f"{left_out} more tool events", "kind": "other", "omitted": left_out}
        mark = ToolRecord(native_type="tool.completed", tool_call_id=None, details=details)
        return (*self._tools[:-1], mark)

    def live(self) -> LiveTurn:
        """What somebody who joins now is shown."""
        return LiveTurn(
            text=self.response,
            chunk_index=self.chunks,
            reasoning_characters=self._reasoning.characters,
            tools=tuple(
                {"nativeType": s.native_type, "toolCallId": s.tool_call_id, "details": s.details}
                for s in self._shown.values()
            ),
        )


def _label(text: str) -> str:
    return excerpt(without_surrogates(text), _LABEL_CHARACTERS)


def _bounded_details(update: ToolUpdate) -> Mapping[str, Any]:
    """The projection with the tool's name, kind and status; only those when it is too big."""
    head = {
        "name": _label(update.name),
        "kind": _label(update.kind),
        "status": _label(update.status),
    }
    full = {**update.details, **head}
    try:
        if len(orjson.dumps(full)) <= MAX_TOOL_RECORD_BYTES:
            return full
    except orjson.JSONEncodeError:
        pass
    return {**head, "truncated": True}
