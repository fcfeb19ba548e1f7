"""What was said: the only events that may enter a context packet, one record each."""

import sqlite3
from typing import Any

from groupx.domain.packet_inputs import TranscriptEntry
from groupx.store.event_rows import content_of, load_json

WATCH = "supervision.watch"
ENTRY = """
SELECT e.event_id, e.seq, e.event_type, e.actor_id, e.actor_display_name, e.occurred_at,
  e.targets_json, e.body_json, e.reply_to_event_id, e.forwarded_event_id, e.provenance_json,
  EXISTS (SELECT 1 FROM events w WHERE w.room_id = e.room_id
    AND w.idempotency_key = 'message:' || e.event_id || ':withdrawn'),
  EXISTS (SELECT 1 FROM turns t JOIN turn_attempts a ON a.turn_id = t.turn_id
    WHERE t.source_event_id = e.event_id AND t.target_actor_id = :target
      AND a.delivery_certainty = 'delivered')
FROM events e
"""
"""What `read_entry` takes, for `:target`."""
_ONE = ENTRY + " WHERE e.event_id = :event"


def entry(conn: sqlite3.Connection, event_id: str, target: str) -> TranscriptEntry | None:
    """One event of any type, read as something that was said; None when there is none."""
    row = conn.execute(_ONE, {"event": event_id, "target": target}).fetchone()
    return None if row is None else read_entry(row, target)


def read_entry(row: tuple[Any, ...], target: str) -> TranscriptEntry:
    """One row of ENTRY."""
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
