"""Rounds of questions: two agents ask, the others answer; and in each round it is another two."""

import json
import sys
from pathlib import Path
from typing import Any

import attrs

from benchmarks.measure import percentile
from tests.system.asking.asker import TIMEOUT_MS
from tests.system.daemon import TERMINAL, Daemon, Json
from tests.system.killing.checker import ledger_problems
from tests.system.killing.evidence import reading
from tests.system.soaking.samples import Sample, look
from tests.system.stream import Event
from tests.system.waiting import wait_until

ASKER = Path(__file__).parent / "asker.py"
LIMITS = {"queuePerAgent": 10_000, "rootTurns": 10_000, "actorCallsPerRoot": 10_000}
SLACK_SECONDS = 5.0
"""Beyond the time that an ask was given, on a busy machine."""
STATES = ("answered", "pending", "refused")
REFUSALS = {"CAUSAL_CYCLE", "UNKNOWN_TARGET"}
_STORED = """
SELECT e.actor_id, t.target_actor_id FROM events e JOIN turns t ON t.source_event_id = e.event_id
WHERE e.event_id = ?
"""
_CALLED = "SELECT count(*) FROM turns WHERE parent_turn_id IS NOT NULL"


@attrs.frozen(kw_only=True)
class Load:
    """How many questions in all, by how many agents, how many at once."""

    asks: int
    agents: int = 8
    rounds: int = 4
    at_once: int = 12
    """Calls that wait at the same moment."""

    @property
    def names(self) -> list[str]:
        """Of the agents."""
        return [f"agent{number}" for number in range(self.agents)]


@attrs.frozen(kw_only=True)
class Measured:
    """What was asked, and the daemon before and after."""

    records: list[Json]
    before: Sample
    after: Sample
    at_once: int


def agents_of(load: Load, folder: Path) -> dict[str, Json]:
    """Their config; each writes a log into `folder`."""
    return {
        name: {
            "driver": "acp",
            "command": [sys.executable, "-P", str(ASKER), name, str(folder / f"{name}.jsonl")],
            "cwd": ".",
        }
        for name in load.names
    }


def put_all(daemon: Daemon, load: Load, folder: Path) -> Measured:
    """Every round on a running daemon, until no turn is left."""
    assert daemon.process is not None
    daemon.wait_idle(60)
    before = look(daemon.process.pid)
    for number in range(load.rounds):
        names = load.names[2 * number :] + load.names[: 2 * number]
        askers, others = names[:2], " ".join(names[2:])
        each = f"put {load.asks // load.rounds // 2} questions, {load.at_once // 2} at a time"
        with daemon.stream(after_seq=None) as events:
            turns = _OpenTurns()
            for asker, busy in zip(askers, reversed(askers), strict=True):
                task = f"{each}, to {others} and to {busy} which is busy"
                turns.expect(daemon.send(task, f"agent:{asker}")["turns"][0]["turnId"])
            events.until(turns.are_over_at, "the end of every turn", 170)
    records = [
        json.loads(line) for log in folder.glob("*.jsonl") for line in log.read_text().splitlines()
    ]
    wait_until(
        lambda: look(daemon.process.pid).descriptors <= before.descriptors,  # type: ignore[union-attr]
        "the end of every connection",
    )
    return Measured(
        records=records,
        before=before,
        after=look(daemon.process.pid),
        at_once=_most_at_once(records),
    )


class _OpenTurns:
    """Which turns have not ended, as a stream tells it."""

    def __init__(self) -> None:
        self._expected: set[str] = set()
        self._queued: set[str] = set()
        self._ended: set[str] = set()

    def expect(self, turn_id: str) -> None:
        """One that is to end."""
        self._expected.add(turn_id)

    def are_over_at(self, event: Event) -> bool:
        """Whether with this event everything that was expected or queued has ended."""
        if event["type"] == "turn.queued":
            self._queued.add(event["body"]["turnId"])
        elif event["type"] in TERMINAL:
            self._ended.add(event["body"]["turnId"])
            return self._ended >= self._expected | self._queued
        return False


def _most_at_once(records: list[Json]) -> int:
    """The greatest number of calls that waited at the same moment."""
    steps = sorted(
        [(record["began"], 1) for record in records] + [(it["left"], -1) for it in records]
    )
    most = now = 0
    for _, step in steps:
        now += step
        most = max(most, now)
    return most


def wrong(measured: Measured, load: Load, database: Path) -> list[str]:
    """Everything that is not as it must be."""
    records, problems = measured.records, []
    if len(records) != load.asks:
        problems.append(f"{len(records)} of {load.asks} questions came to an end")
    if measured.at_once < min(8, load.at_once):
        problems.append(f"only {measured.at_once} calls at once")
    for record in records:
        seconds = record["ended"] - record["began"]
        if seconds > TIMEOUT_MS / 1000 + SLACK_SECONDS:
            problems.append(f"{seconds:.1f} s for {record}")
        if record["state"] not in STATES or record.get("code") not in {None, *REFUSALS}:
            problems.append(f"an answer that nobody expects: {record}")
        if record.get("collected", "answered") != "answered":
            problems.append(f"an answer that never came: {record}")
    if not any("collected" in record for record in records):
        problems.append("nothing was collected later")
    missing = set(STATES) - {record["state"] for record in records}
    if missing:
        problems.append(f"no question was {', '.join(missing)}")
    if measured.after.threads > measured.before.threads:
        problems.append(f"threads: {measured.before.threads} → {measured.after.threads}")
    return problems + _not_in_ledger(records, database)


def _not_in_ledger(records: list[Json], database: Path) -> list[str]:
    with reading(database) as conn:
        problems: list[str] = ledger_problems(conn)
        stored = [record for record in records if "messageEventId" in record]
        for record in stored:
            found: Any = conn.execute(_STORED, (record["messageEventId"],)).fetchall()
            names = [(f"agent:{record['asker']}", f"agent:{record['to']}")]
            if [tuple(row) for row in found] != names:
                problems.append(f"not in the ledger as it was asked: {record}")
        (called,) = conn.execute(_CALLED).fetchone()
        if called != len(stored):
            problems.append(f"{called} turns for {len(stored)} accepted questions")
    return problems


def figures(measured: Measured) -> str:
    """Latencies by what came of the questions, as Markdown."""
    lines = ["| outcome | asks | p50 | p95 | p99 | longest |", "|---|---|---|---|---|---|"]
    for state in STATES:
        spent = [
            (record["ended"] - record["began"]) * 1000
            for record in measured.records
            if record["state"] == state
        ]
        if spent:
            row = [percentile(spent, share) for share in (0.5, 0.95, 0.99, 1.0)]
            shown = " | ".join(f"{value:.0f} ms" for value in row)
            lines.append(f"| {state} | {len(spent)} | {shown} |")
    return "\n".join(lines) + "\n"
