"""What a crash left of dated memory: batches are free again, and days are as their sources say."""

from groupx.domain.ids import ActorId, RoomId
from groupx.store.dated_sources import recount_day
from groupx.store.transaction import Transaction

_LEFT_BEGUN = """
UPDATE agent_dated_memory_rollups SET last_attempt_at = NULL
WHERE last_attempt_at IS NOT NULL AND next_attempt_at IS NULL
"""
_MISSING = """
INSERT INTO agent_dated_memory_rollups
  (room_id, actor_id, local_date, memory_id, summarized_through_seq, updated_at)
SELECT s.room_id, s.actor_id, s.local_date,
  (SELECT o.memory_id FROM agent_dated_memory_sources o
   WHERE o.room_id = s.room_id AND o.actor_id = s.actor_id AND o.local_date = s.local_date
     AND o.memory_id IS NOT NULL ORDER BY o.response_seq DESC LIMIT 1),
  coalesce(max(CASE WHEN s.processed_at IS NOT NULL THEN s.response_seq END), 0), :now
FROM agent_dated_memory_sources s
WHERE NOT EXISTS (SELECT 1 FROM agent_dated_memory_rollups r WHERE r.room_id = s.room_id
  AND r.actor_id = s.actor_id AND r.local_date = s.local_date)
GROUP BY s.room_id, s.actor_id, s.local_date
"""
_MISCOUNTED = """
SELECT r.room_id, r.actor_id, r.local_date FROM agent_dated_memory_rollups r
WHERE (r.pending_turns, r.pending_chars) <> (
  SELECT count(*), coalesce(sum(s.source_chars), 0) FROM agent_dated_memory_sources s
  WHERE s.room_id = r.room_id AND s.actor_id = r.actor_id AND s.local_date = r.local_date
    AND s.processed_at IS NULL AND s.skipped_reason IS NULL)
"""


def recover_rollups(tx: Transaction, _: None) -> None:
    """Before the first batch: no batch runs, and every day's row says what its sources say."""
    tx.conn.execute(_LEFT_BEGUN)
    tx.conn.execute(_MISSING, {"now": tx.now})
    for room_id, actor_id, local_date in tx.conn.execute(_MISCOUNTED).fetchall():
        recount_day(tx, RoomId(room_id), ActorId(actor_id), local_date)
