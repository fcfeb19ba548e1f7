"""What was said: the only events that may enter a context packet, one record each."""

import sqlite3
from typing import Any

from groupx.domain.packet_inputs import TranscriptEntry
from groupx.store.event_rows import content_of, load_json

WATCH = "supervision.watch"
_ENTRY = """
SELECT e.event_id, e.seq, e.event_type, e.actor_id, e.actor_display_name, e.occurred_at,
  e.targets_json, e.body_json, e.reply_to_event_id, e.forwarded_event_id, e.provenance_json,
  EXISTS (SELECT 1 FROM events w WHERE w.room_id = e.room_id
    AND w.idempotency_key = 'message:' || e.event_id || ':withdrawn'),
  EXISTS (SELECT 1 FROM turns t JOIN turn_attempts a ON a.turn_id = t.turn_id
    WHERE t.source_event_id = e.event_id AND t.target_actor_id = :target
      AND a.delivery_certainty = 'delivered')
FROM events e
"""
_SAID = " e.event_type IN ('message.created', 'operator.dispatch') "
_ONE = _ENTRY + " WHERE e.event_id = :event"
_BACKWARDS = (
    _ENTRY + " WHERE e.room_id = :room AND e.seq > :lower AND e.seq < :upper AND" + _SAID +
    "ORDER BY e.seq DESC"
)  # fmt: skip
_FRAME_CHARACTERS = 48
"""What an entry costs at least beside its words; bounds a chain of empty ones."""


def entry(conn: sqlite3.Connection, event_id: str, target: str) -> TranscriptEntry | None:
    """One event of any type, read as something that was said; None when there is none."""
    row = conn.execute(_ONE, {"event": event_id, "target": target}).fetchone()
    return None if row is None else _entry(row, target)


def said_between(
    conn: sqlite3.Connection,
    room_id: str,
    target: str,
    *,
    lower_seq: int,
    upper_seq: int,
    max_entries: int,
    max_characters: int,
) -> tuple[tuple[TranscriptEntry, ...], int]:
    """What was said in (lower, upper), ascending, for this target; and the seq above which
    nothing is missing: `lower_seq`, or the newest entry that the bounds cut off."""
    values = {"room": room_id, "target": target, "lower": lower_seq, "upper": upper_seq}
    entries: list[TranscriptEntry] = []
    characters = 0
    for row in conn.execute(_BACKWARDS, values):
        item = _entry(row, target)
        if item.withdrawn or item.kind == WATCH or (item.kind == "retry" and target not in item.to):
            continue
        characters += len(item.content)
        if len(entries) == max_entries or characters > max_characters:
            return tuple(reversed(entries)), item.seq
        entries.append(item)
    return tuple(reversed(entries)), lower_seq


def reply_chain(
    conn: sqlite3.Connection, source: TranscriptEntry, target: str, max_characters: int
) -> tuple[TranscriptEntry, ...]:
    """What `source` answers, and what that answers, oldest first.

    Whole, unless it alone is longer than `max_characters`: then no packet can hold it anyway.
    """
    chain: list[TranscriptEntry] = []
    characters = 0
    above = source.reply_to_event_id
    while above is not None and characters <= max_characters:
        item = entry(conn, above, target)
        if item is None:
            break
        characters += _FRAME_CHARACTERS + len(item.content)
        if item.type in {"message.created", "operator.dispatch"} and item.kind != WATCH:
            chain.append(item)
        above = item.reply_to_event_id
    return tuple(reversed(chain))


def _entry(row: tuple[Any, ...], target: str) -> TranscriptEntry:
    body: dict[str, Any] = load_json(row[7])
    turn_id = body.get("turnId")
    withdrawn = bool(row[11])
    provenance: dict[str, Any] = load_json(row[10] or "{}")
    return TranscriptEntry(
        event_id=row[0],
        seq=row[1],
        type=row[2],
        actor_id=row[3],
        actor_name=row[4],
        occurred_at=row[5],
        to=tuple(load_json(row[6])),
        content="" if withdrawn else content_of(body),
        kind=body.get("kind"),
        reply_to_event_id=row[8],
        forwarded_event_id=row[9],
        turn_id=turn_id,
        source_kind=provenance.get("sourceKind"),
        withdrawn=withdrawn,
        own_response=row[3] == target and turn_id is not None,
        own_source=bool(row[12]),
    )
