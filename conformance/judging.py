"""Whether a turn ended as it must, and reported what it must."""

from collections import Counter

import orjson

from groupx.actors.turn_end import Halt, TurnEnd, end_of_turn
from groupx.adapters.contract import Completed, Exited, Failed, Interaction, NativeSession, Started
from groupx.domain.limits import MAX_TOOL_RECORD_BYTES
from groupx.domain.outcomes import ENDINGS, PROVES_DELIVERY
from groupx.domain.turns import TurnEvent

from .case import Expect
from .recording import Recording

STATUS = {
    TurnEvent.COMPLETE: "completed",
    TurnEvent.FAIL: "failed",
    TurnEvent.NATIVE_CANCELLED: "cancelled",
    TurnEvent.INTERRUPT: "interrupted",
}


def problems_of(recording: Recording, expect: Expect, session: NativeSession) -> list[str]:
    """What is not as it must be; empty when all is."""
    found = [*_of_events(recording), *_of_the_end(recording, expect)]
    told = {
        "text": recording.text,
        "segments": recording.segments,
        "reasoning": recording.reasoning,
        "tools": {tool.tool_call_id: tool.status for tool in recording.tools},
    }
    for name, value in told.items():
        wanted = getattr(expect, name)
        if wanted is not None and wanted != value:
            found.append(f"{name} is {_short(value)}, not {_short(wanted)}")
    if expect.usable is not None and session.usable != expect.usable:
        found.append(f"the session is {'' if session.usable else 'not '}usable")
    return found


def _of_events(recording: Recording) -> list[str]:
    """What holds of every turn: one start, first of all; each tool opened and closed once."""
    found: list[str] = []
    events = recording.events
    starts = sum(isinstance(event, Started) for event in events)
    if starts > 1 or (events and not isinstance(events[0], Started)):
        found.append(f"{starts} starts, and first was {_short(events[0])}")
    if recording.after_end:
        found.append(f"{recording.after_end} events after its end")
    phases = Counter((tool.tool_call_id, tool.phase) for tool in recording.tools)
    for call in {tool.tool_call_id for tool in recording.tools}:
        first, *_, last = [t.phase for t in recording.tools if t.tool_call_id == call] * 2
        once = phases[call, "started"] == 1 and phases[call, "completed"] <= 1
        ended = recording.end is None or last == "completed"
        if not (once and first == "started" and ended):
            found.append(f"tool {call} went from {first} to {last}")
    if any(len(orjson.dumps(dict(t.details))) > MAX_TOOL_RECORD_BYTES for t in recording.tools):
        found.append("a tool's details are over the bound")
    return found


def _of_the_end(recording: Recording, expect: Expect) -> list[str]:
    """How the turn ended, by the product's own rule."""
    end = recording.end
    if end is None:
        return []  # its caller was cancelled
    started = any(isinstance(event, Started) for event in recording.events)
    ended = end_of_turn(
        end,
        halt=Halt.CANCEL if recording.cancelled else None,
        killed=recording.killed,
        started=started,
        name="The program",
    )
    ending = ENDINGS[ended.cause]
    delivered = started or ended.evidence or ended.cause in PROVES_DELIVERY
    is_so = {
        "status": STATUS[ending.event],
        "code": ended.error_code or ending.code,
        "delivered": delivered,
    }
    found = [
        f"{name} is {value}, not {getattr(expect, name)}: {_short(end)}"
        for name, value in is_so.items()
        if value != getattr(expect, name)
    ]
    if started != expect.delivered:
        found.append(f"its start was {'' if started else 'not '}reported")
    return [*found, *_of_details(recording, ended, expect)]


def _of_details(recording: Recording, ended: TurnEnd, expect: Expect) -> list[str]:
    found: list[str] = []
    end = recording.end
    if isinstance(end, Completed):
        used = None if end.usage is None else end.usage.context_used
        if end.stop_reason != expect.stop_reason:
            found.append(f"the stop reason is {end.stop_reason}")
        if expect.context is not None and used != expect.context:
            found.append(f"the context is {used}")
    if isinstance(end, Exited) and expect.returncode not in (None, end.returncode):
        found.append(f"the exit status is {end.returncode}")
    if isinstance(end, Interaction) and expect.kind not in (None, end.kind):
        found.append(f"the question is a {end.kind}")
    if isinstance(end, Failed) and expect.usable and not end.session_usable:
        found.append("the failure says that the session is lost")
    said = f"{ended.message} {dict(ended.interaction or {})}"
    if expect.says not in said:
        found.append(f"it says {_short(said)}")
    if ended.message is not None and len(ended.message) > 2_000:
        found.append("the message is not bounded")
    return found


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 300 else f"{text[:300]}…"
