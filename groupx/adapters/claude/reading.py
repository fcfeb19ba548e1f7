"""Frames of the running turn → native events; which result is ours."""

from collections.abc import Callable, Iterable

import attrs

from groupx.adapters.claude.tools import ClosingStatus, ToolBook
from groupx.adapters.claude.usage import ContextGauge
from groupx.adapters.contract import (
    ContentDelta,
    EventSink,
    Heartbeat,
    ReasoningDelta,
    Started,
    ToolUpdate,
)
from groupx.adapters.json_lines import Json, object_of, objects_in, text_of, texts_in

SYNTHETIC_MODEL = "<synthetic>"
"""Author of messages that the program itself wrote in the model's name, such as API errors."""
_OURS = (None, "human")
"""Kinds of origin of a turn that a user's message began."""


@attrs.define
class _Block:
    """Text of one kind that was streamed and not yet confirmed by its complete block."""

    streamed: list[str] = attrs.field(factory=list[str])

    def missing_in(self, complete: str) -> str:
        """What of the complete block was not streamed; afterwards nothing is unconfirmed."""
        streamed = "".join(self.streamed)
        self.streamed.clear()
        return complete.removeprefix(streamed)


class TurnReader:
    """Reads the frames of one prompt and reports what they mean, `Started` first.

    What comes before the program took up our message, and what a subagent or a turn that nobody
    asked for says, is not of this turn.
    """

    def __init__(self, sink: EventSink, message_id: str) -> None:
        self._sink = sink
        self._message_id = message_id
        self._tools = ToolBook()
        self._text, self._thought = _Block(), _Block()
        self._native_message: str | None = None
        self._new_message = False
        self._spoke = False
        self.gauge = ContextGauge()
        self.started = False
        self.dropped = False
        """The program has put our message aside, answered or not."""
        self.error: str | None = None
        """How the program names the API's error that it wrote down in place of an answer."""
        self.result: Json | None = None
        self._readers: dict[str, Callable[[Json], None]] = {
            "stream_event": self._stream_event,
            "assistant": self._assistant,
            "user": self._user,
            "result": self._result,
        }

    def begin(self) -> None:
        """The native turn is proven to have begun."""
        if not self.started:
            self.started = True
            self._sink(Started(self._message_id))

    def read(self, frame: Json) -> None:
        """One frame of our program; nothing is of the turn after its result."""
        if self.result is not None:
            return
        if self._tells_our_start(frame):
            self.begin()
        if frame.get("type") == "result":
            self._result(frame)
        elif self.started:
            is_inner = frame.get("parent_tool_use_id") is not None
            kind = text_of(frame.get("type"))
            reader = self._alive if is_inner else self._readers.get(kind, self._alive)
            reader(frame)

    def close_tools(self, status: ClosingStatus) -> None:
        """The turn ended: close what the program left open."""
        self._report(self._tools.close_open(status))

    # --- whose it is ------------------------------------------------------------------------

    def _tells_our_start(self, frame: Json) -> bool:
        if frame.get("type") == "command_lifecycle":
            if frame.get("command_uuid") != self._message_id:
                return False
            self.dropped = self.dropped or frame.get("state") in ("completed", "cancelled")
            return frame.get("state") == "started"
        return self._message_id in _messages_of(frame)

    def _result(self, frame: Json) -> None:
        messages = _messages_of(frame)
        origin = object_of(frame.get("origin")).get("kind")
        is_ours = self._message_id in messages if messages else self.started and origin in _OURS
        if not is_ours:
            return
        self.begin()
        self.result = frame
        text = text_of(frame.get("result"))
        if not self._spoke and text and frame.get("is_error") is not True:
            self._say(text)

    # --- what it says -----------------------------------------------------------------------

    def _stream_event(self, frame: Json) -> None:
        event = object_of(frame.get("event"))
        match event.get("type"):
            case "message_start":
                message = object_of(event.get("message"))
                self._enter(text_of(message.get("id")))
                self.gauge.message_started(message)
            case "message_delta":
                self.gauge.message_grew(object_of(event.get("usage")))
            case "content_block_start":
                block = object_of(event.get("content_block"))
                if text_of(block.get("type")).endswith("tool_use"):
                    self._report(self._tools.opened(block))
                    return
            case "content_block_delta":
                self._delta(object_of(event.get("delta")))
                return
            case _:
                pass
        self._alive(frame)

    def _delta(self, delta: Json) -> None:
        text, thought = text_of(delta.get("text")), text_of(delta.get("thinking"))
        if delta.get("type") == "text_delta" and text:
            self._text.streamed.append(text)
            self._say(text)
        elif delta.get("type") == "thinking_delta" and thought:
            self._thought.streamed.append(thought)
            self._sink(ReasoningDelta(thought))
        else:
            self._sink(Heartbeat())

    def _assistant(self, frame: Json) -> None:
        """One complete block of a message: what of it was not streamed is reported now."""
        message = object_of(frame.get("message"))
        if message.get("model") == SYNTHETIC_MODEL:
            self.error = text_of(frame.get("error")) or self.error
            self._alive(frame)
            return
        self._enter(text_of(message.get("id")))
        for block in objects_in(message.get("content")):
            self._complete(block)

    def _complete(self, block: Json) -> None:
        kind = text_of(block.get("type"))
        if kind == "text":
            self._say(self._text.missing_in(text_of(block.get("text"))))
        elif kind == "thinking":
            missing = self._thought.missing_in(text_of(block.get("thinking")))
            self._sink(ReasoningDelta(missing) if missing else Heartbeat())
        elif kind.endswith("tool_use"):
            self._report(self._tools.called(block))
        elif kind.endswith("tool_result"):
            self._report(self._tools.returned(block))

    def _user(self, frame: Json) -> None:
        """What tools returned; other words in the user's name are the program's own."""
        for block in objects_in(object_of(frame.get("message")).get("content")):
            if text_of(block.get("type")).endswith("tool_result"):
                self._report(self._tools.returned(block))

    def _enter(self, native_message: str) -> None:
        if native_message and native_message != self._native_message:
            self._new_message = self._new_message or self._native_message is not None
            self._native_message = native_message
            self._text.streamed.clear()
            self._thought.streamed.clear()

    def _say(self, text: str) -> None:
        if not text:
            self._sink(Heartbeat())
            return
        self._sink(ContentDelta(text, new_segment=self._new_message and self._spoke))
        self._spoke, self._new_message = True, False

    def _report(self, events: Iterable[ToolUpdate]) -> None:
        for event in events:
            self._sink(event)

    def _alive(self, _frame: Json) -> None:
        self._sink(Heartbeat())


def _messages_of(frame: Json) -> list[str]:
    """The uuids of the user's messages that a frame answers."""
    one = text_of(frame.get("user_message_uuid"))
    named = texts_in(frame.get("user_message_uuids"))
    return [*named, one] if one else named
