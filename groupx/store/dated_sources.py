"""Filing a finished turn as a source of its agent's dated memory. No text is copied.

A source waits until it is processed or skipped; a rollup row counts those of its day that wait.
A batch is running while its rollup has a `last_attempt_at` and no `next_attempt_at`: it holds
the sources that were filed up to then. That is never before the newest of its turns ended, though
the clock may have gone back since.
"""

from groupx.domain.envelope import Envelope
from groupx.domain.ids import ActorId, RoomId
from groupx.store.event_rows import content_of, load_json
from groupx.store.policy_rows import forbids_dated
from groupx.store.transaction import Transaction
from groupx.store.turn_rows import TurnRow, is_observer

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
_DAY_WITHOUT_WORK = """
INSERT INTO agent_dated_memory_rollups (room_id, actor_id, local_date, updated_at)
VALUES (:room, :actor, :date, :now)
ON CONFLICT (room_id, actor_id, local_date) DO NOTHING
"""
_FILE_SOURCE = """
INSERT INTO agent_dated_memory_sources (turn_id, room_id, actor_id, local_date, source_event_id,
  source_seq, response_event_id, response_seq, source_chars, terminal_at, skipped_reason)
VALUES (:turn, :room, :actor, :date, :source, :source_seq, :response, :seq, :chars, :now, :skipped)
"""
_DAYS = """
SELECT local_date, CASE WHEN next_attempt_at IS NULL THEN last_attempt_at END
FROM agent_dated_memory_rollups WHERE room_id = :room AND actor_id = :actor AND pending_turns > 0
"""
_SKIP = """
UPDATE agent_dated_memory_sources SET skipped_reason = :skipped
WHERE room_id = :room AND actor_id = :actor AND local_date = :date AND processed_at IS NULL
  AND skipped_reason IS NULL AND terminal_at > :running
"""
_ALL_DAYS = """
SELECT actor_id, local_date FROM agent_dated_memory_rollups
WHERE room_id = :room AND (:actor IS NULL OR actor_id = :actor) AND pending_turns > 0
"""
_END_BATCH = """
UPDATE agent_dated_memory_rollups SET last_attempt_at = NULL
WHERE room_id = :room AND actor_id = :actor AND local_date = :date AND next_attempt_at IS NULL
"""
_RECOUNT = """
UPDATE agent_dated_memory_rollups SET (pending_turns, pending_chars, pending_through_seq,
  first_pending_at, last_pending_at, updated_at) = (
    SELECT count(*), coalesce(sum(source_chars), 0), max(response_seq), min(terminal_at),
      max(terminal_at), :now
    FROM agent_dated_memory_sources WHERE room_id = :room AND actor_id = :actor
      AND local_date = :date AND processed_at IS NULL AND skipped_reason IS NULL)
WHERE room_id = :room AND actor_id = :actor AND local_date = :date
"""


def register_source(tx: Transaction, turn: TurnRow, response: Envelope, local_date: str) -> None:
    """Count the turn into its agent's day. A watch turn is never filed.

    Where the agent's policy forbids it, the source is filed as skipped and counts for nothing,
    so that nothing that is rebuilt from the rows later ever takes it up.
    """
    if is_observer(tx.conn, turn.turn_id):
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
    skipped = forbids_dated(tx.conn, turn.room_id, turn.target_actor_id)
    tx.conn.execute(_COUNT_IN_ROLLUP if skipped is None else _DAY_WITHOUT_WORK, values)
    tx.conn.execute(_FILE_SOURCE, {**values, "skipped": skipped})


def skip_queued(tx: Transaction, room_id: RoomId, actor_id: ActorId, reason: str) -> None:
    """Settle the agent's dated work that waits; what is running or done is left as it is.

    What was filed since a batch began, by a clock that went back, is settled when that ends.
    """
    agent = {"room": room_id, "actor": actor_id}
    for date, running in tx.conn.execute(_DAYS, agent).fetchall():
        day = {**agent, "date": date}
        tx.conn.execute(_SKIP, {**day, "skipped": reason, "running": running or ""})
        recount_day(tx, room_id, actor_id, date)


def skip_all(
    tx: Transaction, room_id: RoomId, reason: str, *, actor_id: ActorId | None = None
) -> None:
    """Settle all dated work of the room, or of one agent in it, that is not done; a batch that runs
    ends, and what comes of it is not kept."""
    whose = {"room": room_id, "actor": actor_id}
    for owner, date in tx.conn.execute(_ALL_DAYS, whose).fetchall():
        day = {"room": room_id, "actor": owner, "date": date}
        tx.conn.execute(_END_BATCH, day)
        tx.conn.execute(_SKIP, {**day, "skipped": reason, "running": ""})
        recount_day(tx, room_id, owner, date)


def recount_day(tx: Transaction, room_id: RoomId, actor_id: ActorId, local_date: str) -> None:
    """Let the day's row say what waits, as its sources have it."""
    day = {"room": room_id, "actor": actor_id, "date": local_date, "now": tx.now}
    tx.conn.execute(_RECOUNT, day)
