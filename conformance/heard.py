"""What a session reported of one prompt."""

import attrs

from groupx.adapters.contract import (
    ContentDelta,
    NativeEvent,
    PromptEnd,
    ReasoningDelta,
    ToolUpdate,
)


@attrs.define
class Heard:
    """The events in their order, and the end once there is one."""

    events: list[NativeEvent] = attrs.field(factory=list[NativeEvent])
    end: PromptEnd | None = None

    def sink(self, event: NativeEvent) -> None:
        self.events.append(event)

    @property
    def text(self) -> str:
        return "".join(event.text for event in self.events if isinstance(event, ContentDelta))

    @property
    def reasoning(self) -> str:
        return "".join(event.text for event in self.events if isinstance(event, ReasoningDelta))

    @property
    def tools(self) -> list[ToolUpdate]:
        return [event for event in self.events if isinstance(event, ToolUpdate)]
