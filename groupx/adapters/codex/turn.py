"""Notifications of one turn → native events."""

from collections.abc import Callable, Sequence
from typing import cast

import trio

from groupx.adapters.codex.tools import ClosingStatus, ToolBook
from groupx.adapters.codex.usage import Meter
from groupx.adapters.contract import (
    ContentDelta,
    EventSink,
    Heartbeat,
    NativeEvent,
    ReasoningDelta,
    Started,
)
from groupx.adapters.json_lines import Json, object_of, objects_in, text_of

MAX_ITEMS = 4096
"""Messages and reasonings of one turn whose streamed text is known not to be told twice."""

NOTIFICATIONS = (
    "turn/started",
    "turn/diff/updated",
    "turn/plan/updated",
    "item/started",
    "item/completed",
    "item/agentMessage/delta",
    "item/plan/delta",
    "item/reasoning/summaryPartAdded",
    "item/reasoning/summaryTextDelta",
    "item/reasoning/textDelta",
    "item/commandExecution/outputDelta",
    "item/commandExecution/terminalInteraction",
    "item/fileChange/outputDelta",
    "item/fileChange/patchUpdated",
    "item/mcpToolCall/progress",
    "hook/started",
    "hook/completed",
    "thread/tokenUsage/updated",
    "error",
)
"""What a turn is told by, besides `turn/completed`."""


class TurnReader:
    """Reads what is said of one turn and reports what it means, `Started` first."""

    def __init__(self, sink: EventSink, meter: Meter) -> None:
        self._sink = sink
        self._meter = meter
        self._tools = ToolBook()
        self._message: str | None = None
        """The item whose text was reported last."""
        self._said: list[str] = []
        """What was reported of it."""
        self._thought: tuple[str, str, int] | None = None
        self._told: set[str] = set()
        """Items of which some text was reported."""
        self.begun = trio.Event()
        self._readers: dict[str, Callable[[Json], None]] = {
            "item/started": self._item_started,
            "item/completed": self._item_completed,
            "item/agentMessage/delta": self._message_delta,
            "item/reasoning/summaryTextDelta": self._summary_delta,
            "item/reasoning/textDelta": self._thought_delta,
            "item/commandExecution/outputDelta": self._output,
            "item/mcpToolCall/progress": self._progress,
            "thread/tokenUsage/updated": self._usage,
        }

    @property
    def command_is_open(self) -> bool:
        """Whether a shell command has not ended."""
        return self._tools.command_is_open

    def begin(self, turn_id: str | None = None) -> None:
        """The native turn is proven to have begun."""
        if not self.begun.is_set():
            self.begun.set()
            self._sink(Started(turn_id))

    def read(self, method: str, params: Json, turn_id: str) -> None:
        """One notification about our turn."""
        self.begin(turn_id)
        self._readers.get(method, self._alive)(params)

    def finish(self, turn: Json) -> None:
        """The turn as it is told at its end, with messages that were not told before."""
        for item in objects_in(turn.get("items")):
            self._whole_text(item)

    def close_tools(self, status: ClosingStatus) -> None:
        """The turn ended: close what the program left open."""
        self._report(self._tools.close_open(status))

    # --- items ------------------------------------------------------------------------------

    def _item_started(self, params: Json) -> None:
        self._report(self._tools.started(object_of(params.get("item"))) or [Heartbeat()])

    def _item_completed(self, params: Json) -> None:
        item = object_of(params.get("item"))
        if not self._whole_text(item):
            self._report(self._tools.completed(item) or [Heartbeat()])

    def _whole_text(self, item: Json) -> bool:
        """Report the text of a message or reasoning that was not streamed."""
        item_id, is_message = text_of(item.get("id")), item.get("type") == "agentMessage"
        if not is_message and item.get("type") != "reasoning":
            return False
        if is_message:
            self._say(item_id, self._missing_in(item_id, text_of(item.get("text"))))
        elif item_id in self._told:
            self._sink(Heartbeat())
        else:
            for key in ("summary", "content"):
                parts: object = item.get(key)
                texts = cast("list[object]", parts) if isinstance(parts, list) else []
                for index, text in enumerate(texts):
                    self._think((item_id, key, index), item_id, text_of(text))
        return True

    def _missing_in(self, item_id: str, whole: str) -> str:
        """What of a message was not streamed; nothing of one that was told in other words."""
        if item_id not in self._told:
            return whole
        said = "".join(self._said)
        goes_on = item_id == self._message and whole.startswith(said)
        return whole[len(said) :] if goes_on else ""

    def _message_delta(self, params: Json) -> None:
        self._say(text_of(params.get("itemId")), text_of(params.get("delta")))

    def _say(self, item_id: str, text: str) -> None:
        if not text:
            self._sink(Heartbeat())
            return
        is_new = self._message not in (None, item_id)
        if item_id != self._message:
            self._said.clear()
        self._message = item_id
        self._said.append(text)
        self._tell(item_id)
        self._sink(ContentDelta(text, new_segment=is_new))

    def _summary_delta(self, params: Json) -> None:
        self._reason("summary", params.get("summaryIndex"), params)

    def _thought_delta(self, params: Json) -> None:
        self._reason("content", params.get("contentIndex"), params)

    def _reason(self, kind: str, index: object, params: Json) -> None:
        item_id = text_of(params.get("itemId"))
        part = index if isinstance(index, int) else 0
        self._think((item_id, kind, part), item_id, text_of(params.get("delta")))

    def _think(self, part: tuple[str, str, int], item_id: str, text: str) -> None:
        """Parts of a reasoning are told apart by a blank line."""
        if not text:
            self._sink(Heartbeat())
            return
        lead = "" if self._thought in (None, part) else "\n\n"
        self._thought = part
        self._tell(item_id)
        self._sink(ReasoningDelta(lead + text))

    def _tell(self, item_id: str) -> None:
        if len(self._told) < MAX_ITEMS:
            self._told.add(item_id)

    def _output(self, params: Json) -> None:
        text = text_of(params.get("delta"))
        self._report(self._tools.printed(text_of(params.get("itemId")), text) or [Heartbeat()])

    def _progress(self, params: Json) -> None:
        text = text_of(params.get("message")) + "\n"
        self._report(self._tools.printed(text_of(params.get("itemId")), text) or [Heartbeat()])

    def _usage(self, params: Json) -> None:
        context = self._meter.read(object_of(params.get("tokenUsage")))
        self._sink(context or Heartbeat())

    def _alive(self, _params: Json) -> None:
        self._sink(Heartbeat())

    def _report(self, events: Sequence[NativeEvent]) -> None:
        for event in events:
            self._sink(event)
