"""A room's history as people read it: what was said, and in few words what else happened."""

from collections.abc import Iterator, Mapping
from typing import Any, cast

import attrs

from groupx.domain.text import excerpt
from groupx.store.event_rows import content_of

_MAX_TOOL_CHARACTERS = 2_000


@attrs.frozen(kw_only=True)
class Message:
    """Somebody said something."""

    seq: int
    at: str
    author: str
    to: tuple[str, ...]
    text: str
    withdrawn: bool


@attrs.frozen(kw_only=True)
class Reasoning:
    """What an agent thought before its answer."""

    author: str
    text: str


@attrs.frozen(kw_only=True)
class Tool:
    """One use of a tool."""

    name: str
    status: str
    text: str


@attrs.frozen(kw_only=True)
class Tools:
    """The tools of one turn."""

    author: str
    tools: tuple[Tool, ...]


@attrs.frozen(kw_only=True)
class Note:
    """Something else that happened."""

    at: str
    text: str


Entry = Message | Reasoning | Tools | Note


@attrs.frozen(kw_only=True)
class TranscriptEvent:
    """What a transcript reads of one event."""

    seq: int
    type: str
    actor_id: str
    author: str
    to: tuple[str, ...]
    at: str
    body: Mapping[str, Any]
    withdrawn: bool


class EntryReader:
    """Events in order → entries; knows of each open turn whose it is."""

    def __init__(self, names: Mapping[str, str], *, reasoning: bool) -> None:
        self._names = names
        self._reasoning = reasoning
        self._targets: dict[str, str] = {}
        self._tools: dict[str, Tool] = {}
        self._tools_of: tuple[str, str] | None = None

    def read(self, event: TranscriptEvent) -> Iterator[Entry]:
        """What is complete now that this event came."""
        turn_id = str(event.body.get("turnId", ""))
        if event.type == "tool.progress.recorded":
            if self._tools_of not in {None, (turn_id, event.author)}:
                yield from self.rest()
            self._tools_of = (turn_id, event.author)
            tool = _tool(event.body)
            self._tools[str(event.body.get("toolCallId") or event.seq)] = tool
            return
        yield from self.rest()
        match event.type:
            case "message.created" | "operator.dispatch":
                yield Message(
                    seq=event.seq,
                    at=event.at,
                    author=event.author,
                    to=tuple(self._name(actor_id) for actor_id in event.to),
                    text=content_of(event.body),
                    withdrawn=event.withdrawn,
                )
            case "turn.reasoning.recorded":
                if self._reasoning:
                    yield Reasoning(author=event.author, text=content_of(event.body))
            case "turn.queued":
                self._targets[turn_id] = str(event.body.get("targetActorId", ""))
            case _:
                said = self._note(event, turn_id)
                if said is not None:
                    yield Note(at=event.at, text=said)

    def rest(self) -> Iterator[Entry]:
        """What was still being gathered."""
        if self._tools_of is not None:
            yield Tools(author=self._tools_of[1], tools=tuple(self._tools.values()))
        self._tools_of = None
        self._tools = {}

    def _note(self, event: TranscriptEvent, turn_id: str) -> str | None:
        body = event.body
        if event.type in _TURN_ENDS:
            whose = self._name(self._targets.pop(turn_id, event.actor_id))
            end = _TURN_ENDS[event.type]
            if end is None:
                return None
            why = ": ".join(
                str(body[key]) for key in ("errorCode", "message", "reason") if body.get(key)
            )
            return f"The turn of {whose} {end}" + (f" ({why})" if why else "")
        if event.type not in _NOTES:
            return None
        about = body.get("actorId")
        whom = self._name(about) if isinstance(about, str) else ""
        reason = f" ({body['reason']})" if body.get("reason") else ""
        return _NOTES[event.type].format(who=event.author, whom=whom) + reason

    def _name(self, actor_id: str) -> str:
        return self._names.get(actor_id, actor_id)


_TURN_ENDS: Mapping[str, str | None] = {
    "turn.completed": None,
    "turn.failed": "failed",
    "turn.cancelled": "was cancelled",
    "turn.interrupted": "was interrupted",
}
_NOTES = {
    "lane.paused": "{who} paused the queue of {whom}",
    "lane.resumed": "{who} resumed the queue of {whom}",
    "context.reset": "{who} reset the context: agents see nothing from before this",
    "memory.remembered": "{who} added a memory",
    "memory.superseded": "{who} replaced a memory",
    "memory.retracted": "{who} took a memory back",
    "memory.policy.changed": "{who} changed what {whom} remembers",
    "identity.remembered": "{who} added an identity record",
    "identity.superseded": "{who} replaced an identity record",
    "identity.retracted": "{who} took an identity record back",
    "routing.loop_stopped": "A loop was stopped",
    "routing.loop_continued": "{who} let a stopped loop go on",
    "supervision.paired": "Observers watch this",
    "supervision.steered": "{who} steered the turn it watches",
    "system.error": "GroupX had an error",
}
"""Of all other types, people read nothing."""


def _tool(body: Mapping[str, Any]) -> Tool:
    found = body.get("details")
    details: dict[str, Any] = cast("dict[str, Any]", found) if isinstance(found, dict) else {}
    text = details.get("text")
    return Tool(
        name=excerpt(str(details.get("name") or details.get("title") or "tool"), 200),
        status=str(details.get("status") or ""),
        text=excerpt(text, _MAX_TOOL_CHARACTERS) if isinstance(text, str) else "",
    )
