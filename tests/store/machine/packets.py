"""What lanes would be told now: whatever was said is in the packet or in what covers it."""

import json
import sqlite3

from groupx.domain.packet_inputs import PacketQuery, SaidQuery
from groupx.store.queries.packet_inputs import packet_head
from groupx.store.queries.transcript_pages import said_page
from tests.store.machine.model import Model
from tests.store.machine.world import AGENTS

STANDS = """
e.event_type = 'message.created' AND json_extract(e.body_json, '$.content') <> ''
AND coalesce(json_extract(e.body_json, '$.kind'), '') NOT IN ('retry', 'supervision.watch')
AND NOT EXISTS (SELECT 1 FROM events w WHERE w.event_type = 'message.withdrawn'
  AND json_extract(w.body_json, '$.messageEventId') = e.event_id)
"""
"""Of an event `e`: it was said, and not taken back."""
_SAID = f"""
SELECT e.seq FROM events e
WHERE e.room_id = ? AND e.seq > ? AND e.seq < ? AND e.actor_id <> ? AND {STANDS}
"""


def nobody_would_miss_anything(conn: sqlite3.Connection, model: Model) -> None:
    """Each agent's next turn, sent into a session that knows nothing yet."""
    for actor in AGENTS:
        for turn in model.lane(actor, "queued")[:1]:
            inputs = packet_head(conn, PacketQuery(turn_id=turn.id, native_session_id=None))
            through = inputs.context_through_seq
            told = set(json.loads(inputs.summary.content if inputs.summary else "[]"))
            upper = through
            while upper > inputs.lower_seq + 1:
                query = SaidQuery(
                    room_id=inputs.room_id,
                    target_actor_id=actor,
                    lower_seq=inputs.lower_seq,
                    upper_seq=upper,
                )
                page = said_page(conn, query)
                told |= {entry.seq for entry in page.entries}
                upper = page.complete_after_seq + 1
            said = conn.execute(_SAID, (turn.room, model.floor(turn.room), through, actor))
            assert {seq for (seq,) in said} <= told, f"{turn.id} would not be told all"
