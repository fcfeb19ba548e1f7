"""Watching: what an observer is shown of a worker's turn, and what is new since it last looked.

Bounded, and public by nature: no reasoning, arguments, results or stderr has a place in it.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum
from typing import Any, Literal

import attrs

from groupx.domain.attempts import DeliveryCertainty
from groupx.domain.commands import CommandKey
from groupx.domain.ids import ActorId
from groupx.domain.steering import SteerAction
from groupx.domain.text import excerpt
from groupx.domain.turns import TERMINAL, TurnStatus
from groupx.domain.wire import optional

Until = Literal["next_milestone", "terminal"]

MAX_OBSERVED = 64
"""Snapshots of one watch turn that are stored; later ones are answered only."""
MAX_TASK_CHARACTERS = 1_000
MAX_MESSAGES = 8
MAX_MESSAGE_CHARACTERS = 500
MAX_TOOLS = 20
MAX_TOOL_CHARACTERS = 64

_PLAIN_NAME = re.compile(rf"[A-Za-z_][\w.:-]{{0,{MAX_TOOL_CHARACTERS - 1}}}")
_PLAIN_ID = re.compile(r"[\w.:|/+=-]{1,200}")


class Milestone(StrEnum):
    """What ends a watch for the next milestone."""

    STARTED = "started"
    TOOL_OPENED = "tool_opened"
    TOOL_CLOSED = "tool_closed"
    MESSAGE = "message"
    STEER = "steer"
    CANCELLED = "cancelled"
    """Cancelled, or about to be."""
    TERMINAL = "terminal"


@attrs.frozen(kw_only=True)
class Excerpt:
    """The beginning of something that was said in the room."""

    event_id: str
    excerpt: str


@attrs.frozen(kw_only=True)
class ToolGlance:
    """One tool call, from the outside."""

    tool_call_id: str | None = optional()
    name: str
    status: str
    open: bool

    @property
    def key(self) -> str:
        """What makes it the same call in two snapshots."""
        return self.tool_call_id or self.name


@attrs.frozen(kw_only=True)
class LastSteer:
    """The newest steer of a subject."""

    action: SteerAction
    reason: str


@attrs.frozen(kw_only=True)
class WatchSnapshot:
    """One worker's turn as its observers are shown it."""

    turn_id: str
    actor_id: ActorId
    status: TurnStatus
    delivery_certainty: DeliveryCertainty | None = optional()
    last_seq: int
    """Everything durable up to here is in it; the next watch goes on after it."""
    terminal: bool
    subject_cancelled: bool
    """The user cancelled it, or is about to have."""
    task: Excerpt
    messages: tuple[Excerpt, ...] = ()
    """What the worker said in the room in this turn, the newest ones, ascending."""
    tools: tuple[ToolGlance, ...] = ()
    """The newest ones, in the order in which they were opened."""
    steer_count: int = 0
    last_steer: LastSteer | None = optional()


@attrs.frozen(kw_only=True)
class Shown:
    """The part of a snapshot whose changes are no events of the room."""

    status: TurnStatus
    tools: tuple[ToolGlance, ...]


@attrs.frozen(kw_only=True)
class WatchQuery:
    """Which turn a watch turn looks at, and since when."""

    watch_turn_id: str
    actor_id: ActorId
    """Whose watch turn it is."""
    subject_turn_id: str | None = None
    """None: the pair's one open worker, else its only one."""
    after_seq: int | None = None
    """The `last_seq` of the snapshot to go on from; None = from now on."""
    recall: bool = True
    """Whether what was shown at `after_seq` is looked up."""


@attrs.frozen(kw_only=True)
class WatchState:
    """A subject as the ledger has it; tools of a running turn are not in it yet."""

    snapshot: WatchSnapshot
    milestones: tuple[Milestone, ...]
    """Events of the room after the query's `after_seq`, in order, each kind once."""
    shown: Shown | None
    """What the observer was shown at `after_seq`, if that was kept."""


@attrs.frozen(kw_only=True)
class Watched:
    """The end of one watch."""

    snapshot: WatchSnapshot
    milestones: tuple[Milestone, ...]
    timed_out: bool
    """The time was over, or GroupX is stopping, before anything had happened."""


@attrs.frozen(kw_only=True)
class ObserveCommand:
    """A snapshot was returned to an observer; keep it, within the bound."""

    key: CommandKey
    actor_id: ActorId
    watch_turn_id: str
    until: Until
    timed_out: bool
    snapshot: WatchSnapshot


@attrs.frozen(kw_only=True)
class Observed:
    """Whether the snapshot was kept."""

    observed_event_id: str | None = optional()
    limit_reached: bool = False


def shown_of(snapshot: WatchSnapshot) -> Shown:
    """What later changes are told from."""
    return Shown(status=snapshot.status, tools=snapshot.tools)


def milestones_between(
    events: Sequence[Milestone], before: Shown, now: Shown
) -> tuple[Milestone, ...]:
    """What is new: in the room's events, and between two looks at the turn; each kind once."""
    known = {tool.key: tool for tool in before.tools}
    found = list(events)
    for tool in now.tools:
        old = known.get(tool.key)
        if old is None:
            found.append(Milestone.TOOL_OPENED)
        if not tool.open and (old is None or old.open):
            found.append(Milestone.TOOL_CLOSED)
    if now.status is TurnStatus.CANCELLING and before.status is not TurnStatus.CANCELLING:
        found.append(Milestone.CANCELLED)
    if now.status in TERMINAL and before.status not in TERMINAL:
        found.append(Milestone.TERMINAL)
    return tuple(dict.fromkeys(found))


def ends_watch(until: Until, snapshot: WatchSnapshot, milestones: Sequence[Milestone]) -> bool:
    """Whether a watch is answered now. A turn that has ended has no further milestone."""
    return snapshot.terminal or (until == "next_milestone" and bool(milestones))


def glances(steps: Iterable[Mapping[str, Any]]) -> tuple[ToolGlance, ...]:
    """Tool steps `{nativeType, toolCallId?, details}` in order → the newest calls, one each."""
    calls: dict[str, ToolGlance] = {}
    for step in steps:
        tool = _glance(step)
        calls[tool.key] = tool
    return tuple(calls.values())[-MAX_TOOLS:]


def _glance(step: Mapping[str, Any]) -> ToolGlance:
    details: Mapping[str, Any] = step.get("details") or {}
    call_id = step.get("toolCallId")
    return ToolGlance(
        tool_call_id=call_id if _matches(_PLAIN_ID, call_id) else None,
        name=_tool_name(details),
        status=excerpt(str(details.get("status") or "unknown"), MAX_TOOL_CHARACTERS),
        open=step.get("nativeType") != "tool.completed",
    )


def _tool_name(details: Mapping[str, Any]) -> str:
    """The tool's name. Some programs give a title instead, which may hold arguments: then its
    kind."""
    name, kind = details.get("name"), details.get("kind")
    if _matches(_PLAIN_NAME, name):
        return str(name)
    return str(kind) if kind != "other" and _matches(_PLAIN_NAME, kind) else "tool"


def _matches(pattern: re.Pattern[str], text: object) -> bool:
    return isinstance(text, str) and pattern.fullmatch(text) is not None
