"""`session/update` → native events of the running turn."""

from collections.abc import Callable

from groupx.adapters.acp.tools import ClosingStatus, ToolBook
from groupx.adapters.acp.usage import context_of
from groupx.adapters.contract import (
    ContentDelta,
    EventSink,
    Heartbeat,
    ReasoningDelta,
    Started,
    Usage,
)
from groupx.adapters.json_lines import Json, is_object, text_of


class TurnReader:
    """Reads the updates of one prompt and reports what they mean, `Started` first."""

    def __init__(self, sink: EventSink) -> None:
        self._sink = sink
        self._tools = ToolBook()
        self._new_message = False
        self._message_id: str | None = None
        self._beginning = ""
        self.started = False
        self.context: Usage | None = None
        self._readers: dict[str, Callable[[Json], None]] = {
            "agent_message_chunk": self._message,
            "agent_thought_chunk": self._thought,
            "tool_call": self._tool,
            "tool_call_update": self._tool,
            "plan": self._alive_and_started,
            "plan_update": self._alive_and_started,
            "usage_update": self._usage,
        }

    @property
    def beginning(self) -> str:
        """The first 200 characters of the answer."""
        return self._beginning

    def begin(self) -> None:
        """The native turn is proven to have begun."""
        if not self.started:
            self.started = True
            self._sink(Started())
            if self.context is not None:
                self._sink(self.context)

    def read(self, update: Json) -> None:
        """One update of our session."""
        self._readers.get(text_of(update.get("sessionUpdate")), self._alive)(update)

    def close_tools(self, status: ClosingStatus) -> None:
        """The turn ended: close what the program left open, as completed, failed or cancelled."""
        for event in self._tools.close_open(status):
            self._sink(event)

    def _message(self, update: Json) -> None:
        self.begin()
        message_id = text_of(update.get("messageId")) or None
        if self._message_id is not None and message_id not in (None, self._message_id):
            self._new_message = True
        self._message_id = message_id or self._message_id
        text = _text_in(update)
        if not text:
            self._sink(Heartbeat())
            return
        self._beginning = (self._beginning + text)[:200]
        self._sink(ContentDelta(text, new_segment=self._new_message))
        self._new_message = False

    def _thought(self, update: Json) -> None:
        self.begin()
        text = _text_in(update)
        self._sink(ReasoningDelta(text) if text else Heartbeat())

    def _tool(self, update: Json) -> None:
        self.begin()
        events = self._tools.record(update)
        for event in events or (Heartbeat(),):
            self._sink(event)

    def _usage(self, update: Json) -> None:
        context = context_of(update)
        if context is not None:
            self.context = context
            if self.started:
                self._sink(context)

    def _alive_and_started(self, update: Json) -> None:
        self.begin()
        self._alive(update)

    def _alive(self, _update: Json) -> None:
        if self.started:
            self._sink(Heartbeat())


def _text_in(update: Json) -> str:
    content = update.get("content")
    return text_of(content.get("text")) if is_object(content) else ""
