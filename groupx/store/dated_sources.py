"""Filing a finished turn as a source of its agent's dated memory. No text is copied."""

from groupx.domain.envelope import Envelope
from groupx.store.event_rows import content_of, load_json
from groupx.store.transaction import Transaction
from groupx.store.turn_rows import TurnRow

_IS_OBSERVER = """
SELECT 1 FROM supervision_pair_turns WHERE turn_id = ? AND role = 'observer'
"""
_SOURCE = "SELECT body_json FROM events WHERE event_id = ?"
_COUNT_IN_ROLLUP = """
INSERT INTO agent_dated_memory_rollups (room_id, actor_id, local_date, pending_through_seq,
  pending_turns, pending_chars, first_pending_at, last_pending_at, updated_at)
VALUES (:room, :actor, :date, :seq, 1, :chars, :now, :now, :now)
ON CONFLICT (room_id, actor_id, local_date) DO UPDATE SET
  pending_through_seq = :seq, pending_turns = pending_turns + 1,
  pending_chars = pending_chars + :chars,
  first_pending_at = coalesce(first_pending_at, :now), last_pending_at = :now, updated_at = :now
"""
_FILE_SOURCE = """
INSERT INTO agent_dated_memory_sources (turn_id, room_id, actor_id, local_date, source_event_id,
  source_seq, response_event_id, response_seq, source_chars, terminal_at)
VALUES (:turn, :room, :actor, :date, :source, :source_seq, :response, :seq, :chars, :now)
"""


def register_source(tx: Transaction, turn: TurnRow, response: Envelope, local_date: str) -> None:
    """Count the turn into its agent's day. A watch turn is never filed."""
    if tx.conn.execute(_IS_OBSERVER, (turn.turn_id,)).fetchone():
        return
    if not local_date:
        raise ValueError("a completed turn must say which local day it belongs to")
    (source_body,) = tx.conn.execute(_SOURCE, (turn.source_event_id,)).fetchone()
    values = {
        "turn": turn.turn_id,
        "room": turn.room_id,
        "actor": turn.target_actor_id,
        "date": local_date,
        "source": turn.source_event_id,
        "source_seq": turn.source_seq,
        "response": response.event_id,
        "seq": response.seq,
        "chars": len(content_of(load_json(source_body))) + len(content_of(response.body)),
        "now": tx.now,
    }
    tx.conn.execute(_COUNT_IN_ROLLUP, values)
    tx.conn.execute(_FILE_SOURCE, values)
