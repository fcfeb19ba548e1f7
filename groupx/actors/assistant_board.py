"""How the room's assistant stands, for whoever wants to see it. In memory; synchronous."""

from collections.abc import Callable
from enum import StrEnum
from typing import Any

import attrs

from groupx.domain.errors import ErrorCode, GroupXError
from groupx.domain.side_conversation import AsideState, SideMessage
from groupx.domain.times import iso_from_ms
from groupx.domain.views import ErrorView, LiveTurn, ProgramView
from groupx.domain.wire import optional

MAX_REMEMBERED = 64
"""Messages whose end without a reply is remembered."""


class AssistantState(StrEnum):
    """What the assistant is doing; its program starts with the first message."""

    OFF = "off"
    IDLE = "idle"
    STARTING = "starting"
    WORKING = "working"
    CANCELLING = "cancelling"
    FAILED = "failed"


@attrs.frozen(kw_only=True)
class AssistantView:
    """The assistant as everybody sees it. `since` is when it entered its state."""

    enabled: bool
    state: AssistantState
    name: str | None = optional()
    driver: str | None = optional()
    since: str
    program: ProgramView | None = optional()
    last_error: ErrorView | None = optional()


@attrs.frozen(kw_only=True)
class AsideView:
    """How one message of the user stands, and why it has no reply."""

    state: AsideState
    error: ErrorView | None = optional()


@attrs.frozen(kw_only=True)
class RunningReply:
    """The reply that is being given."""

    message_id: str
    live: Callable[[], LiveTurn]


class AssistantBoard:
    """One room's assistant, also when it is off."""

    def __init__(
        self,
        *,
        name: str | None,
        driver: str | None,
        now_ms: Callable[[], int],
        on_change: Callable[[], None] = lambda: None,
    ) -> None:
        """`name` and `driver` None: the config has no assistant, or a disabled one.

        `on_change` is called when it, or one of its messages, stands otherwise; synchronous.
        """
        self._now_ms = now_ms
        self._on_change = on_change
        self._asides: dict[str, AsideView] = {}
        self.running: RunningReply | None = None
        self.view = AssistantView(
            enabled=name is not None,
            state=AssistantState.OFF,
            name=name,
            driver=driver,
            since=iso_from_ms(now_ms()),
        )

    def change(self, **changes: Any) -> None:
        """Publish some fields of the view; `since` follows the state."""
        before = self.view
        view = attrs.evolve(before, **changes)
        if view.state is not before.state:
            view = attrs.evolve(view, since=iso_from_ms(self._now_ms()))
        self.view = view
        self._on_change()

    def must_be_on(self) -> None:
        """SESSION_NOT_AVAILABLE when there is nobody to talk to."""
        if not self.view.enabled:
            raise GroupXError(
                ErrorCode.SESSION_NOT_AVAILABLE,
                "This room has no assistant, so nothing was said to it. Add `assistant` to the "
                "config with `enabled` true, then restart GroupX.",
            )
        if self.view.state is AssistantState.OFF:
            error = self.view.last_error
            raise GroupXError(
                ErrorCode.SESSION_NOT_AVAILABLE,
                "The assistant is off, so nothing was said to it. "
                f"{error.message if error else 'GroupX is starting or stopping.'}",
            )

    def put(self, message_id: str, aside: AsideView) -> None:
        """How a message without a reply stands; the oldest of too many is forgotten."""
        self._asides.pop(message_id, None)
        self._asides[message_id] = aside
        while len(self._asides) > MAX_REMEMBERED:
            self._asides.pop(next(iter(self._asides)))
        self._on_change()

    def aside(self, message: SideMessage) -> AsideView:
        """How a stored message of the user stands."""
        if message.answered:
            return AsideView(state="answered")
        return self._asides.get(message.message_id, AsideView(state="unanswered"))

    def forget_open(self) -> None:
        """Nobody works on anything any more: what was open is unanswered."""
        self.running = None
        done = {"failed", "cancelled"}
        self._asides = {key: it for key, it in self._asides.items() if it.state in done}
