"""What the cases showed, as rows for people: at the kill, what the agent got, the end."""

import json
from collections import Counter
from collections.abc import Iterable, Iterator

import attrs

from tests.system.killing.case import Result
from tests.system.killing.checker import MARKER, UNFINISHED
from tests.system.killing.evidence import Dump, dump

INVOKED, STARTED = "prompt_invoked, unknown", "native_started, delivered"
QUEUED, ENDED = "queued, nothing sent", "ended"
AT_DEATH: dict[str, tuple[str, ...]] = {
    "accept.committed": (QUEUED,),
    "claim.committed": (INVOKED,),
    "invoke.committed": (INVOKED,),
    "prompt.first_byte": (INVOKED,),
    "prompt.written": (INVOKED,),
    "started.committed": (STARTED,),
    "stream.mid": (STARTED, INVOKED),
    "terminal.before": (STARTED,),
    "terminal.committed": (ENDED,),
    "recovery.phase1": (INVOKED, STARTED),
    "recovery.phase2": (INVOKED, STARTED),
}
"""Point → what the ledger may say of the turn that passes it, at the kill."""

DRIVERS = ("acp", "claude", "codex")
HEAD = f"| killed at | {' | '.join(DRIVERS)} |\n|---|{'---|' * len(DRIVERS)}"


@attrs.frozen(kw_only=True)
class Victim:
    """A turn that was, by the ledger, where its case was killed."""

    at_death: str
    seen: bool
    end: str


def victims(result: Result) -> Iterator[Victim]:
    """The turns in question of one case."""
    before, after = result.evidence.at_death, dump(result.evidence.at_end)
    markers = _markers(after)
    for turn in before["turns"]:
        state = _state(before, turn["turn_id"], turn["status"])
        if state in AT_DEATH[result.case.point]:
            messages = result.evidence.seen[turn["target_actor_id"]].messages
            marker = markers[turn["source_event_id"]]
            yield Victim(
                at_death=state,
                seen=any(marker in message for message in messages),
                end=_end(after, turn["turn_id"]),
            )


def rows(results: Iterable[Result]) -> Iterator[str]:
    """One line of Markdown for each point, a cell for each driver."""
    found: dict[tuple[str, str], list[Victim]] = {}
    for result in results:
        key = (result.case.point, result.case.driver)
        found.setdefault(key, []).extend(victims(result))
    for point in sorted({point for point, _ in found}, key=list(AT_DEATH).index):
        cells = [_cell(found.get((point, driver), [])) for driver in DRIVERS]
        yield f"| `{point}` | {' | '.join(cells)} |"


def _cell(turns: list[Victim]) -> str:
    if not turns:
        return "–"
    seen = sum(turn.seen for turn in turns)
    return f"{seen} of {len(turns)}: {_counted(turn.end for turn in turns)}"


def _counted(texts: Iterable[str]) -> str:
    counts = Counter(texts)
    if len(counts) == 1:
        return next(iter(counts))
    return "; ".join(f"{times} {text}" for text, times in counts.most_common())


def _markers(ledger: Dump) -> dict[str, str]:
    """Event → the marker in what a user said."""
    return {
        row["event_id"]: MARKER.findall(json.loads(row["body_json"])["content"])[0]
        for row in ledger["events"]
        if row["event_type"] == "message.created" and row["actor_kind"] == "user"
    }


def _state(ledger: Dump, turn_id: str, status: str) -> str:
    if status not in UNFINISHED:
        return ENDED
    for row in ledger["turn_attempts"]:
        if row["turn_id"] == turn_id and row["terminal_at"] is None:
            return f"{row['dispatch_phase']}, {row['delivery_certainty']}"
    return QUEUED


def _end(ledger: Dump, turn_id: str) -> str:
    (turn,) = (row for row in ledger["turns"] if row["turn_id"] == turn_id)
    attempts = [row for row in ledger["turn_attempts"] if row["turn_id"] == turn_id]
    certainty = attempts[-1]["delivery_certainty"] if attempts else "never sent"
    if turn["status"] == "completed":
        return "completed"
    return f"{turn['status']}, {certainty}"
