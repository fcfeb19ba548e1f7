"""What proves that a program called each tool of the room: the ledger, and what its model heard."""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import attrs

from .real_programs import RealProgram

Event = dict[str, Any]
HELPER = "helper"
"""The demo agent that it sends to and asks."""
BEARER = re.compile(r"(?<![0-9a-fA-F])[0-9a-f]{64}(?![0-9a-fA-F])")
"""The form of every bearer: 32 bytes in hexadecimal."""


class NotProven(AssertionError):
    """What was looked for and not there."""


def script(program: RealProgram) -> str:
    """What makes its model call all of them in one turn, each after the other's answer."""
    calls: tuple[tuple[str, dict[str, Any]], ...] = (
        ("send", {"to": [HELPER], "content": f"sent-by-{program.name}"}),
        ("collect", {"messageEventId": "$messageEventId"}),
        ("ask", {"to": [HELPER], "content": f"asked-by-{program.name}"}),
        ("publish", {"content": f"published-by-{program.name}"}),
        ("read", {}),
    )
    return "\n".join(program.uses(tool, **arguments) for tool, arguments in calls)


@attrs.frozen(kw_only=True)
class Seen:
    """What is left of the turn in which it followed the script."""

    name: str
    """The agent's id."""
    turn_id: str
    events: Sequence[Event]
    """The ledger."""
    requests: Sequence[Mapping[str, Any]]
    """What the mock model was asked."""
    command_lines: Sequence[str]
    logs: str

    def said(self, verb: str) -> Event:
        """The message that the tool made: the agent's, of its open session, within this turn."""
        words = f"{verb}-by-{self.name}"
        found = [e for e in self._messages() if e["body"]["content"] == words]
        _hold(len(found) == 1, f"'{words}' is in the ledger {len(found)} times, not once")
        [message] = found
        sessions = [
            e["body"]["instanceId"]
            for e in self.events
            if e["type"] == "session.ready" and e["actor"]["actorId"] == f"agent:{self.name}"
        ]
        _hold(message["actor"]["actorId"] == f"agent:{self.name}", "its author is another")
        _hold(message["actor"]["instanceId"] in sessions[-1:], "it is of no open session of its")
        _hold(message["provenance"]["sourceKind"] == "mcp", "it did not come through a tool")
        _hold(message.get("parentTurnId") == self.turn_id, "it is not of the turn")
        return message

    def reply_to(self, message: Event) -> Event:
        """What the helper answered to it."""
        found = [
            e
            for e in self._messages()
            if e.get("replyToEventId") == message["eventId"]
            and e["actor"]["actorId"] == f"agent:{HELPER}"
        ]
        _hold(len(found) == 1, f"the helper answered {len(found)} times, not once")
        return found[0]

    def heard(self, number: int) -> str:
        """The answer of the script's tool of that number, as its model was told it, without the
        backslashes of JSON."""
        first = self.said("sent")["eventId"]
        told = [r["results"] for r in self.requests if first in "".join(r.get("results", ())[:1])]
        answers = max(told, key=len, default=[])
        _hold(len(answers) > number, f"its model heard {len(answers)} answers of tools")
        return answers[number].replace("\\", "")

    def _messages(self) -> list[Event]:
        return [e for e in self.events if e["type"] == "message.created"]


def _sent(seen: Seen) -> list[str]:
    message = seen.said("sent")
    _hold(message["to"] == [f"agent:{HELPER}"], f"it went to {message['to']}")
    _hold(message["eventId"] in seen.heard(0), "its model did not hear the message's id")
    queued = [
        e
        for e in seen.events
        if e["type"] == "turn.queued" and e["body"]["sourceEventId"] == message["eventId"]
    ]
    _hold([e["body"]["targetActorId"] for e in queued] == [f"agent:{HELPER}"], "no turn came of it")
    return [*_authorship(message), "one turn of the helper came of it"]


def _collected(seen: Seen) -> list[str]:
    message = seen.said("sent")
    return _answered(seen, message, 1)


def _asked(seen: Seen) -> list[str]:
    message = seen.said("asked")
    return [*_authorship(message), *_answered(seen, message, 2)]


def _published(seen: Seen) -> list[str]:
    message = seen.said("published")
    _hold(message["to"] == [], f"it went to {message['to']}")
    woken = [e for e in seen.events if e["body"].get("sourceEventId") == message["eventId"]]
    _hold(not woken, "it woke somebody")
    _hold(message["eventId"] in seen.heard(3), "its model did not hear the message's id")
    return [*_authorship(message), "it woke nobody"]


def _read(seen: Seen) -> list[str]:
    told = seen.heard(4)
    missing = [v for v in ("sent", "asked", "published") if seen.said(v)["eventId"] not in told]
    _hold(not missing, f"what was {', '.join(missing)} is not in what its model read")
    return ["its model read what it had sent, asked and published"]


def _secret(seen: Seen) -> list[str]:
    shown = [line for line in seen.command_lines if seen.name in line]
    _hold(bool(shown), "no process of the program was seen")
    places = {
        "a command line": "\n".join(seen.command_lines),
        "a log": seen.logs,
        "the ledger": str(seen.events),
        "what its model was told": str(seen.requests),
    }
    shown = [place for place, text in places.items() if BEARER.search(text)]
    _hold(not shown, f"something of a bearer's form is in {' and '.join(shown)}")
    return [
        f"{len(seen.command_lines)} command lines, {len(seen.logs.splitlines())} lines of log, "
        f"{len(seen.events)} events: nothing has the form of a bearer"
    ]


PROOFS: Mapping[str, Callable[[Seen], list[str]]] = {
    "room-send": _sent,
    "room-ask": _asked,
    "room-collect": _collected,
    "room-publish": _published,
    "room-read": _read,
    "room-bearer": _secret,
}
"""Case (see `ROOM_CASES`) → what was seen of it; raises NotProven."""


def _answered(seen: Seen, message: Event, number: int) -> list[str]:
    reply, told = seen.reply_to(message), seen.heard(number)
    words = reply["body"]["content"].splitlines()[0]
    _hold(message["eventId"] in told, "what its model heard is of another message")
    _hold(reply["eventId"] in told and words in told, "its model did not hear the helper's answer")
    return [f"its model heard of the helper: {words}"]


def _authorship(message: Event) -> list[str]:
    return [f"seq {message['seq']}: '{message['body']['content']}', by mcp, within its turn"]


def _hold(fact: bool, otherwise: str) -> None:
    if not fact:
        raise NotProven(otherwise)
