"""How a caller names who is to watch the agents that its message wakes."""

from pydantic import Field

from groupx.domain.supervision import MAX_OBSERVERS, MODE, Mode, Supervision
from groupx.mcp.targets import wire_names
from groupx.mcp.tool import Arguments


class Observers(Arguments):
    """Who watches, and how."""

    observers: tuple[str, ...] = Field(
        min_length=1,
        max_length=MAX_OBSERVERS,
        description="Agent ids. Each gets a watch turn of its own, beside the targets' turns.",
    )
    mode: Mode = Field(MODE, description="What an observer may do: watch, and steer.")


def supervision_of(given: Observers | None) -> Supervision | None:
    """As the broker is told of it."""
    if given is None:
        return None
    return Supervision(observers=wire_names(given.observers), mode=given.mode)
