"""The promise as checks: what must hold between commands, agents' logs and the ledger.

`problems` is empty when it was kept. Everything is read from outside: nothing of the daemon's
own view is trusted but the database itself.
"""

import json
import re
import sqlite3
from collections import Counter
from collections.abc import Iterator

from tests.system.killing.evidence import Dump, Evidence, dump, reading

MARKER = re.compile(r"job-[0-9a-f]{12}")
UNFINISHED = ("queued", "dispatching", "running", "cancelling")

_ENDS = "('turn.completed', 'turn.failed', 'turn.cancelled', 'turn.interrupted')"
_OF_TURN = "json_extract(e.body_json, '$.turnId') = t.turn_id"

NO_ROW: dict[str, str] = {
    "a turn has not ended": """
        SELECT turn_id, status FROM turns
        WHERE status IN ('queued', 'dispatching', 'running', 'cancelling')""",
    "a turn has not exactly one terminal event": f"""
        SELECT t.turn_id, count(e.seq) FROM turns t
        LEFT JOIN events e ON e.event_type IN {_ENDS} AND {_OF_TURN}
        GROUP BY t.turn_id HAVING count(e.seq) <> 1""",
    "a turn's state is not that of its terminal event": """
        SELECT t.turn_id, t.status, e.event_type FROM turns t
        LEFT JOIN events e ON e.event_id = t.terminal_event_id
        WHERE e.event_type IS NOT 'turn.' || t.status""",
    "a completed turn has not exactly one response": f"""
        SELECT t.turn_id, count(e.seq) FROM turns t
        LEFT JOIN events e ON e.event_type = 'message.created' AND {_OF_TURN}
        GROUP BY t.turn_id HAVING count(e.seq) <> (t.status = 'completed')""",
    "a completed turn without a proven delivery": """
        SELECT turn_id FROM turns t WHERE status = 'completed' AND NOT EXISTS
          (SELECT 1 FROM turn_attempts a
           WHERE a.turn_id = t.turn_id AND a.delivery_certainty = 'delivered')""",
    "a prompt left twice": """
        SELECT turn_id, count(*) FROM turn_attempts WHERE prompt_invoked_at IS NOT NULL
        GROUP BY turn_id HAVING count(*) > 1""",
    "a certainty that its invocation contradicts": """
        SELECT attempt_id, delivery_certainty, prompt_invoked_at FROM turn_attempts
        WHERE (prompt_invoked_at IS NULL) <> (delivery_certainty = 'not_delivered')""",
    "an attempt is open": """
        SELECT attempt_id, dispatch_phase FROM turn_attempts
        WHERE terminal_at IS NULL OR dispatch_phase <> 'terminal'""",
    "a later turn of a lane began before an earlier one ended": f"""
        WITH spans AS (
          SELECT t.target_actor_id AS lane, t.turn_id, t.enqueue_seq,
            (SELECT min(e.seq) FROM events e
             WHERE e.event_type = 'turn.dispatched' AND {_OF_TURN}) AS began,
            (SELECT max(e.seq) FROM events e
             WHERE e.event_type IN {_ENDS} AND {_OF_TURN}) AS ended
          FROM turns t)
        SELECT first.turn_id, second.turn_id FROM spans first JOIN spans second
          ON first.lane = second.lane AND first.enqueue_seq < second.enqueue_seq
        WHERE second.began < first.ended""",
    "a row refers to one that is not there": "PRAGMA foreign_key_check",
}
"""What is wrong → a query that finds it."""


def problems(evidence: Evidence) -> list[str]:
    """Every way in which the promise was broken, in words."""
    found: list[str] = []
    with reading(evidence.at_end) as conn:
        found += _ledger(conn)
        found += _commands(conn, evidence)
        found += _prompts(conn, evidence)
    found += _unchanged(
        "what had ended at the kill", _ended(evidence.at_death), dump(evidence.at_end)
    )
    if dump(evidence.at_end) != evidence.after_restart:
        found.append("one more start changed the ledger")
    return found


def ledger_problems(conn: sqlite3.Connection) -> list[str]:
    """What is wrong with a settled ledger by itself."""
    return list(_ledger(conn))


def _ledger(conn: sqlite3.Connection) -> Iterator[str]:
    (sound,) = conn.execute("PRAGMA integrity_check").fetchone()
    if sound != "ok":
        yield f"the database is damaged: {sound}"
    for what, query in NO_ROW.items():
        rows = conn.execute(query).fetchall()
        if rows:
            yield f"{what}: {rows}"


def _commands(conn: sqlite3.Connection, evidence: Evidence) -> Iterator[str]:
    """Acknowledged at all: there, once, with its turns; and the same when it is asked again."""
    said = Counter(
        marker
        for (body,) in conn.execute(
            "SELECT body_json FROM events WHERE event_type = 'message.created'"
            " AND actor_kind = 'user'"
        )
        for marker in MARKER.findall(json.loads(body)["content"])
    )
    kept = {row["client_command_id"] for row in evidence.at_death["client_commands"]}
    turns = {row[0] for row in conn.execute("SELECT turn_id FROM turns")}
    for command in evidence.commands:
        name = command.marker
        if command.answer is not None and command.command_id not in kept:
            yield f"{name} was acknowledged and is not in the killed run's ledger"
        if command.again is None:
            yield f"{name} was not accepted after the restart"
        elif command.answer is not None and command.again != command.answer:
            yield f"{name} was answered {command.answer}, and later {command.again}"
        if said[name] != 1:
            yield f"{name} was said {said[name]} times"
        answered = (command.answer or command.again or {"turns": []})["turns"]
        lost = {turn["turnId"] for turn in answered} - turns
        if lost:
            yield f"{name} lost its turns {lost}"
        if {turn["target"] for turn in answered} != set(command.to):
            yield f"{name} was for {command.to}, and woke {answered}"


def _prompts(conn: sqlite3.Connection, evidence: Evidence) -> Iterator[str]:
    """What agents received, against what the ledger says they did."""
    for actor_id, seen in evidence.seen.items():
        got = [marker for message in seen.messages for marker in MARKER.findall(message)]
        if len(got) != len(seen.messages):
            yield f"{actor_id} got {len(seen.messages)} prompts with {len(got)} markers"
        for marker, times in Counter(got).items():
            if times > 1:
                yield f"{actor_id} got the prompt of {marker} {times} times"
        lane = _lane(conn, actor_id)
        order = [marker for marker in lane if marker in got]
        if order != got:
            yield f"{actor_id} got {got}, which is not the order of its lane, {order}"
        for marker in set(got) - lane.keys():
            yield f"{actor_id} got {marker}, of which the ledger knows nothing"
        for marker, certainties in lane.items():
            invoked = certainties - {"not_delivered"}
            if marker in got and not invoked:
                yield f"{actor_id} got {marker}, and the ledger says that nothing was sent"
            if marker not in got and "delivered" in certainties:
                yield f"{actor_id} never got {marker}, and the ledger says that it was delivered"


def _lane(conn: sqlite3.Connection, actor_id: str) -> dict[str, set[str]]:
    """Marker → the certainties of its attempts, in the order of the lane."""
    rows = conn.execute(
        """SELECT e.body_json, a.delivery_certainty FROM turns t
           JOIN events e ON e.event_id = t.source_event_id
           LEFT JOIN turn_attempts a ON a.turn_id = t.turn_id
           WHERE t.target_actor_id = ? ORDER BY t.enqueue_seq""",
        (actor_id,),
    )
    lane: dict[str, set[str]] = {}
    for body, certainty in rows:
        for marker in MARKER.findall(json.loads(body)["content"]):
            lane.setdefault(marker, set()).update({certainty} - {None})
    return lane


def _ended(ledger: Dump) -> Dump:
    """The rows that may never change again."""
    turns = [row for row in ledger["turns"] if row["status"] not in UNFINISHED]
    attempts = [row for row in ledger["turn_attempts"] if row["dispatch_phase"] == "terminal"]
    return {
        "turns": turns,
        "turn_attempts": attempts,
        "events": ledger["events"],
        "client_commands": ledger["client_commands"],
    }


def _unchanged(what: str, before: Dump, after: Dump) -> Iterator[str]:
    for table, rows in before.items():
        changed = [row for row in rows if row not in after[table]]
        if changed:
            yield f"{what} was changed in {table}: {changed}"
