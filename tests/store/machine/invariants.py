"""What holds after every step, as SQL: each query finds the rows that break it."""

import sqlite3

from tests.store.machine.packets import STANDS
from tests.store.machine.world import LIMITS

_ENDED = "('completed', 'failed', 'cancelled', 'interrupted')"
_ACTIVE = "('dispatching', 'running', 'cancelling')"
_FLOOR = "coalesce((SELECT max(through_seq) FROM context_resets WHERE room_id = s.room_id), 0)"
_WAITING_OF_DAY = """
agent_dated_memory_rollups r LEFT JOIN agent_dated_memory_sources s
  ON s.room_id = r.room_id AND s.actor_id = r.actor_id AND s.local_date = r.local_date
  AND s.processed_at IS NULL AND s.skipped_reason IS NULL"""

BROKEN_BY: dict[str, str] = {
    "an end is a status, an event and a time, all of the same kind": f"""
        SELECT t.turn_id FROM turns t LEFT JOIN events e ON e.event_id = t.terminal_event_id
        WHERE (t.status IN {_ENDED}) <> (e.event_id IS NOT NULL)
          OR (t.status IN {_ENDED}) <> (t.terminal_at IS NOT NULL)
          OR e.event_type <> 'turn.' || t.status
          OR e.idempotency_key <> 'turn:' || t.turn_id || ':terminal'
          OR (t.error_code IS NOT NULL) <> (t.status IN ('failed', 'interrupted'))""",
    "a completed turn has its one response, no other has any": """
        SELECT t.turn_id FROM turns t LEFT JOIN events e ON e.event_id = t.response_event_id
        WHERE (t.status = 'completed') <> (e.event_id IS NOT NULL)
          OR e.event_type <> 'message.created' OR e.actor_id <> t.target_actor_id
          OR e.idempotency_key <> 'turn:' || t.turn_id || ':response'""",
    "a lane works on one turn": f"""
        SELECT target_actor_id FROM turns WHERE status IN {_ACTIVE}
        GROUP BY 1 HAVING count(*) > 1""",
    "an open attempt is of a turn that is worked on, and there is one": f"""
        SELECT t.turn_id FROM turns t LEFT JOIN turn_attempts a
          ON a.turn_id = t.turn_id AND a.terminal_at IS NULL
        GROUP BY t.turn_id HAVING count(a.attempt_id) <> (t.status IN {_ACTIVE})""",
    "phase, certainty and times of an attempt belong together": """
        SELECT attempt_id FROM turn_attempts
        WHERE (dispatch_phase = 'terminal') <> (terminal_at IS NOT NULL)
          OR (delivery_certainty = 'not_delivered') <> (prompt_invoked_at IS NULL)
          OR (dispatch_phase = 'prepared' AND delivery_certainty <> 'not_delivered')
          OR (dispatch_phase = 'prompt_invoked' AND delivery_certainty <> 'unknown')
          OR (dispatch_phase = 'native_started' AND delivery_certainty <> 'delivered')
          OR (started_at IS NOT NULL AND delivery_certainty <> 'delivered')""",
    "what may have been sent is never tried again": """
        SELECT t.turn_id FROM turns t JOIN turn_attempts a ON a.turn_id = t.turn_id
        GROUP BY t.turn_id HAVING count(a.prompt_invoked_at) > 1
          OR (t.status = 'queued' AND count(a.prompt_invoked_at) > 0)
          OR count(*) > 3""",
    "a turn that runs was started, and one that completed was delivered": """
        SELECT t.turn_id FROM turns t LEFT JOIN turn_attempts a
          ON a.turn_id = t.turn_id AND a.delivery_certainty = 'delivered'
        WHERE (t.status IN ('running', 'completed') OR t.started_at IS NOT NULL)
          AND a.attempt_id IS NULL""",
    "a child hangs on its parent's chain, one hop further": """
        SELECT c.turn_id FROM turns c JOIN turns p ON p.turn_id = c.parent_turn_id
        WHERE c.hop_count <> p.hop_count + 1 OR c.root_correlation_id <> p.root_correlation_id
          OR c.enqueue_seq < p.enqueue_seq""",
    "a root hangs on nothing": """
        SELECT turn_id FROM turns WHERE parent_turn_id IS NULL AND hop_count <> 0""",
    "chains are bounded, as configured or as the user raised it": f"""
        WITH raised AS (SELECT root_correlation_id AS root,
            json_extract(body_json, '$.limit') AS name, max(json_extract(body_json, '$.newBound'))
            AS bound FROM events WHERE event_type = 'routing.loop_continued' GROUP BY 1, 2),
        used AS (
          SELECT root_correlation_id AS root, 'hopCount' AS name, max(hop_count) AS used,
            {LIMITS.hop_count} AS bound FROM turns GROUP BY 1
          UNION ALL SELECT root_correlation_id, 'rootTurns', count(*), {LIMITS.root_turns}
            FROM turns GROUP BY 1
          UNION ALL SELECT root_correlation_id, 'actorCallsPerRoot', count(*),
            {LIMITS.actor_calls_per_root} FROM turns WHERE parent_turn_id IS NOT NULL
            GROUP BY 1, target_actor_id)
        SELECT used.* FROM used LEFT JOIN raised USING (root, name)
        WHERE used.used > max(used.bound, coalesce(raised.bound, 0))""",
    # One more than the bound: a turn that was taken may come back to a queue that filled up.
    "queues are bounded": f"""
        SELECT target_actor_id FROM turns WHERE status = 'queued'
        GROUP BY 1 HAVING count(*) > {LIMITS.queue_per_agent + 1}""",
    "a turn's place is that of its own event": """
        SELECT t.turn_id FROM turns t LEFT JOIN events q ON q.event_id = t.queued_event_id
        LEFT JOIN events s ON s.event_id = t.source_event_id
        WHERE q.seq IS NOT t.enqueue_seq OR q.event_type <> 'turn.queued' OR s.seq >= q.seq
          OR s.event_type <> 'message.created' OR s.room_id <> q.room_id""",
    "a claim is open as long as its child, and settled by one": f"""
        SELECT c.child_turn_id FROM completion_claims c
        JOIN turns t ON t.turn_id = c.child_turn_id
        WHERE (c.state = 'open') <> (t.status NOT IN {_ENDED})
          OR (c.state = 'open') <> (c.decided_at IS NULL)
          OR (c.state = 'inline' AND c.owner <> 'inline')
          OR (c.state = 'queued' AND c.owner <> 'callback')
          OR (c.callback_turn_id IS NOT NULL) <> (
            c.state = 'queued' OR (c.state, c.owner) = ('cancelled', 'inline'))""",
    "every callback is of one claim": """
        SELECT e.event_id FROM events e LEFT JOIN turns t ON t.source_event_id = e.event_id
        LEFT JOIN completion_claims c ON c.callback_turn_id = t.turn_id
        WHERE e.idempotency_key LIKE 'callback:%'
          AND (e.idempotency_key IS NOT 'callback:' || c.child_turn_id
            OR t.caused_by_turn_id IS NOT c.child_turn_id)""",
    "a receipt says what its rows say": """
        SELECT r.turn_id FROM input_receipts r JOIN turns t ON t.turn_id = r.turn_id
        WHERE r.state <> CASE t.status WHEN 'completed' THEN 'completed'
            WHEN 'cancelled' THEN 'cancelled' WHEN 'failed' THEN 'failed'
            WHEN 'interrupted' THEN 'failed' ELSE iif(r.applied_at IS NULL, 'recorded', 'applied')
          END
          OR (r.applied_at IS NOT NULL) <> EXISTS (SELECT 1 FROM turn_attempts a
            WHERE a.turn_id = t.turn_id AND a.started_at IS NOT NULL)
          OR (r.completed_at IS NOT NULL) <> (t.status = 'completed')""",
    "every turn has a receipt": """
        SELECT count(*) FROM turns HAVING count(*) <> (SELECT count(*) FROM input_receipts)""",
    "no event is of a kind that there is not": """
        SELECT seq FROM events WHERE event_type LIKE 'approval.%'
          OR event_type LIKE 'permission.%' OR event_type LIKE 'user_input.%'""",
    "one room is active, and it is not archived": """
        SELECT count(*) FROM rooms WHERE active = 1 HAVING count(*) <> 1 OR count(archived_at)""",
    "an agent's memory is of what completed": """
        SELECT turn_id FROM turns t WHERE (t.status = 'completed') <> EXISTS (
          SELECT 1 FROM agent_dated_memory_sources s WHERE s.turn_id = t.turn_id
            AND s.response_event_id = t.response_event_id)""",
    "a room has one checkpoint, and it lies above the last reset": f"""
        SELECT s.room_id FROM summaries s WHERE s.status = 'active'
        GROUP BY 1 HAVING count(*) > 1 OR min(s.from_seq) <= {_FLOOR}""",
    "a checkpoint tells of all that stands up to its end, once, and of nothing else": f"""
        SELECT s.summary_id FROM summaries s WHERE s.status = 'active' AND s.content <> (
          SELECT json_group_array(seq) FROM (SELECT e.seq FROM events e
            WHERE e.room_id = s.room_id AND e.seq > {_FLOOR} AND e.seq <= s.through_seq
              AND {STANDS} ORDER BY e.seq))""",
    "a day's row counts its turns that wait": f"""
        SELECT r.room_id, r.actor_id, r.local_date FROM {_WAITING_OF_DAY}
        GROUP BY 1, 2, 3 HAVING r.pending_turns <> count(s.turn_id)
          OR r.pending_chars <> coalesce(sum(s.source_chars), 0)
          OR r.pending_through_seq IS NOT max(s.response_seq)""",
    "one memory of a day holds, and it is the day's": """
        SELECT r.room_id, r.actor_id, r.local_date FROM memory_records m
        JOIN (SELECT DISTINCT room_id, actor_id, local_date, memory_id
          FROM agent_dated_memory_sources) s ON s.memory_id = m.memory_id
        JOIN agent_dated_memory_rollups r ON r.room_id = s.room_id AND r.actor_id = s.actor_id
          AND r.local_date = s.local_date
        WHERE m.status = 'active' GROUP BY 1, 2, 3
        HAVING count(*) > 1 OR max(m.memory_id) <> r.memory_id""",
    "a record gives way to one other, of its own layer": """
        SELECT o.memory_id FROM memory_records o
        LEFT JOIN memory_records n ON n.supersedes_memory_id = o.memory_id
        GROUP BY o.memory_id HAVING count(n.memory_id) <> (o.status = 'superseded')
          OR max(n.scope_type <> o.scope_type OR n.scope_id <> o.scope_id
            OR coalesce(n.agent_memory_type <> o.agent_memory_type, 0))""",
    "a cursor is behind the newest event": """
        SELECT actor_id FROM delivery_cursors
        WHERE last_delivered_seq > (SELECT max(seq) FROM events)""",
}


def check(conn: sqlite3.Connection) -> None:
    """Every one of them."""
    for promise, query in BROKEN_BY.items():
        found = conn.execute(query).fetchall()
        assert not found, f"broken: {promise}: {found[:3]}"


def check_whole(conn: sqlite3.Connection) -> None:
    """What is too slow for every step."""
    assert conn.execute("PRAGMA foreign_key_check").fetchall() == []
    assert conn.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
