"""The record of the long room: what the engines made of it, row by row, by numbers of messages."""

import json
import sqlite3
from collections import Counter
from typing import Any

from tests.actors.long.cast import Cast

_NUMBER = "(SELECT count(*) FROM events WHERE event_type = 'message.created' AND seq <= {})"
"""Which message stands at a seq or last before it: what other events there are changes no row."""
_TURNS = "SELECT status, count(*) FROM turns GROUP BY status ORDER BY status"
_RESETS = f"SELECT {_NUMBER.format('through_seq')} FROM context_resets ORDER BY rowid"
_SUMMARIES = f"""
SELECT {_NUMBER.format("from_seq")}, {_NUMBER.format("through_seq")}, status, generator_actor_id,
  content
FROM summaries ORDER BY rowid
"""
_CURSORS = f"""
SELECT actor_id, {_NUMBER.format("last_delivered_seq")}, {_NUMBER.format("last_summary_seq")}
FROM delivery_cursors ORDER BY actor_id
"""
DATED = """
SELECT m.scope_id, s.local_date, m.status, m.content
FROM memory_records m JOIN agent_dated_memory_sources s ON s.response_event_id = m.source_event_id
WHERE m.agent_memory_type = 'dated' ORDER BY m.scope_id, s.local_date, m.rowid
"""
_USAGE = """
SELECT actor_id, source, epoch, revision FROM context_usage ORDER BY actor_id, source
"""


def record(conn: sqlite3.Connection, cast: Cast) -> dict[str, list[tuple[Any, ...]]]:
    """What the golden file holds: rows by name."""
    chain = [(*row, text.partition("\n")[0]) for *row, text in conn.execute(_SUMMARIES)]
    return {
        "turns": conn.execute(_TURNS).fetchall(),
        "resets": conn.execute(_RESETS).fetchall(),
        "summaries": chain,
        "cursors": conn.execute(_CURSORS).fetchall(),
        "dated": conn.execute(DATED).fetchall(),
        "usage": conn.execute(_USAGE).fetchall(),
        "asked_beside_the_room": [(*asked, n) for asked, n in sorted(Counter(cast.side).items())],
    }


def text_of(kept: dict[str, list[tuple[Any, ...]]]) -> str:
    """JSON with a line for each row, so that a difference is read at a glance."""
    parts = []
    for name, rows in kept.items():
        lines = ",\n    ".join(json.dumps(row) for row in rows)
        parts.append(f'  "{name}": [\n    {lines}\n  ]')
    return "{\n" + ",\n".join(parts) + "\n}\n"
