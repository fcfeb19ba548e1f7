"""What the tree is told about a child, what the child is given, and what can be seen of it."""

from collections.abc import Awaitable, Callable
from enum import StrEnum, auto
from typing import Literal

import attrs
import trio

MAX_ERROR_CHARACTERS = 500


class ChildContext:
    """One incarnation's line to its supervisor."""

    def __init__(self, name: str, on_ready: Callable[[], None]) -> None:
        self.name = name
        self.stopping = trio.Event()
        """Set when the child is to end by itself, within its grace."""
        self.hurry = trio.Event()
        """Set when every bound has become short."""
        self.is_ready = False
        self._on_ready = on_ready

    def ready(self) -> None:
        """Say that others may rely on this child now. Ends the start timeout."""
        if not self.is_ready:
            self.is_ready = True
            self._on_ready()


@attrs.frozen(kw_only=True)
class ChildSpec:
    """A child and its restart rule. Times in seconds."""

    name: str
    run: Callable[[ChildContext], Awaitable[None]]
    """Calls `ready()` once, then works until `stopping` is set or it is cancelled."""
    restart: Literal["permanent", "transient", "temporary"] = "permanent"
    """After any end, after a crash only, never."""
    fatal: bool = False
    """A crash (of a permanent child: any end) is not survivable: the tree stops in order."""
    when_spent: Literal["fail", "escalate"] = "fail"
    """Budget spent: stay failed until started by hand, or stop the tree in order."""
    on_given_up: Callable[[str, BaseException], Awaitable[None]] | None = None
    """Called with the name and the last error when the child has been given up."""
    max_restarts: int = 5
    within: float = 60.0
    first_backoff: float = 0.5
    last_backoff: float = 30.0
    start_timeout: float = 30.0
    stop_grace: float = 5.0


class ChildState(StrEnum):
    """Where a child is in its life."""

    STOPPED = auto()
    """Not started, stopped by hand, or ended where its rule wants no restart."""
    STARTING = auto()
    RUNNING = auto()
    WAITING = auto()
    """Between a crash and the next start."""
    STOPPING = auto()
    FAILED = auto()
    """Given up; can be started by hand."""


@attrs.frozen(kw_only=True)
class ChildStatus:
    """What can be seen of a child."""

    name: str
    state: ChildState
    restarts: int = 0
    """Since it was last started by hand."""
    error: str | None = None
    """The last crash, bounded."""


class ChildEnded(Exception):
    """A permanent child returned without having been asked to."""


class StartTimeout(Exception):
    """A child was not ready in time."""


def describe(error: BaseException) -> str:
    """The first leaf of an error in one bounded line."""
    match error:
        case BaseExceptionGroup(exceptions=[BaseException() as first, *_]):
            return describe(first)
        case _:
            text = " ".join(str(error).split())
    name = type(error).__name__
    return f"{name}: {text}"[:MAX_ERROR_CHARACTERS] if text else name
