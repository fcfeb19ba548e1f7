"""The store's rows are what the model says, all of them and no other."""

import sqlite3

from groupx.domain.rollup import DayKey
from tests.store.machine.model import Model

_TURNS = """
SELECT turn_id, target_actor_id, source_event_id, status, error_code, parent_turn_id, hop_count,
  root_correlation_id, trigger_kind, caused_by_turn_id
FROM turns ORDER BY enqueue_seq
"""
_ATTEMPTS = """
SELECT turn_id, attempt_id, binding_id, dispatch_phase, delivery_certainty,
  context_through_seq, started_at IS NOT NULL
FROM turn_attempts ORDER BY rowid
"""
_SOURCES = """
SELECT turn_id, room_id, actor_id, local_date,
  iif(processed_at IS NULL, coalesce(skipped_reason, 'waits'), 'done'), memory_id
FROM agent_dated_memory_sources
"""
_RUNNING = """
SELECT room_id, actor_id, local_date, last_attempt_at FROM agent_dated_memory_rollups
WHERE last_attempt_at IS NOT NULL AND next_attempt_at IS NULL
"""
_MADE = """
SELECT room_id, actor_id, local_date, memory_id FROM agent_dated_memory_rollups
WHERE memory_id IS NOT NULL
"""


def agree(conn: sqlite3.Connection, model: Model) -> None:
    """Every table that the model knows about."""
    assert conn.execute(_TURNS).fetchall() == [
        (t.id, t.target, t.source, t.status, t.code, t.parent, t.hop, t.root, t.trigger,
         t.caused_by)
        for t in model.turns.values()
    ]  # fmt: skip
    assert sorted(conn.execute(_ATTEMPTS).fetchall()) == sorted(
        (t.id, a.id, a.binding, a.phase, a.certainty, a.through, int(a.began))
        for t in model.turns.values()
        for a in t.attempts
    )
    claims = conn.execute(
        "SELECT child_turn_id, waiter_turn_id, state, owner, callback_turn_id"
        " FROM completion_claims ORDER BY 1"
    )
    assert claims.fetchall() == sorted(
        (c.child, c.waiter, c.state, c.owner, c.callback) for c in model.claims.values()
    )
    records = conn.execute(
        "SELECT memory_id, coalesce(agent_memory_type, scope_type), scope_id, author_actor_id,"
        " status, supersedes_memory_id FROM memory_records"
    )
    assert {row[0]: row[1:] for row in records} == {
        name: (it.layer, it.owner, it.author, it.status, it.supersedes)
        for name, it in model.memories.items()
    }
    told = conn.execute(
        "SELECT json_extract(body_json, '$.record.memoryId') FROM events"
        " WHERE event_type IN ('memory.remembered', 'memory.superseded')"
    )
    assert sorted(name for (name,) in told) == sorted(
        name for name, it in model.memories.items() if it.told_in is not None
    )
    commands = conn.execute("SELECT source_binding_id, client_command_id FROM client_commands")
    assert sorted(commands.fetchall()) == sorted(model.commands)
    lanes = conn.execute("SELECT room_id, actor_id, state = 'paused', revision FROM lane_states")
    assert {(room, actor): (bool(p), r) for room, actor, p, r in lanes} == model.paused
    rooms = conn.execute("SELECT room_id, archived_at IS NOT NULL, active FROM rooms")
    assert {room: (bool(hid), bool(on)) for room, hid, on in rooms} == {
        room: (hidden, room == model.room) for room, hidden in model.rooms.items()
    }
    cursors = conn.execute("SELECT actor_id, room_id, last_delivered_seq FROM delivery_cursors")
    assert {(actor, room): seq for actor, room, seq in cursors} == model.cursors
    floors = conn.execute("SELECT room_id, max(through_seq) FROM context_resets GROUP BY 1")
    assert dict(floors.fetchall()) == {room: seq for room, (seq, _) in model.floors.items()}
    bindings = conn.execute(
        "SELECT binding_id FROM session_bindings WHERE closed_at IS NULL"
        " AND binding_id <> 'binding:operator'"
    )
    assert {row[0] for row in bindings} == set(model.bindings)
    _agree_beside(conn, model)
    said = conn.execute(
        "SELECT event_id FROM events WHERE event_type = 'message.created'"
        " AND coalesce(idempotency_key, '') NOT LIKE 'turn:%:response'"
    )
    assert {row[0] for row in said} == set(model.messages)
    stops = conn.execute("SELECT event_id FROM events WHERE event_type = 'routing.loop_stopped'")
    assert {row[0] for row in stops} == set(model.stops)
    withdrawn = conn.execute(
        "SELECT json_extract(body_json, '$.messageEventId') FROM events"
        " WHERE event_type = 'message.withdrawn'"
    )
    assert {row[0] for row in withdrawn} == {
        message.id for message in model.messages.values() if message.withdrawn
    }


def _agree_beside(conn: sqlite3.Connection, model: Model) -> None:
    """What is made of the room beside it."""
    days = model.days
    summaries = conn.execute("SELECT summary_id, status FROM summaries")
    assert dict(summaries.fetchall()) == model.checkpoint_statuses()
    sources = {row[0]: row[1:] for row in conn.execute(_SOURCES)}
    assert sources == {
        it.turn: (*_names(it.day), it.state, it.memory) for it in days.sources.values()
    }
    runs = {row[:3]: row[3] for row in conn.execute(_RUNNING)}
    assert runs == {_names(day): begun_at for day, begun_at in days.running.items()}
    made = {row[:3]: row[3] for row in conn.execute(_MADE)}
    assert made == {_names(day): memory_id for day, memory_id in days.made.items()}
    policies = conn.execute("SELECT room_id, actor_id, generation, revision FROM memory_policies")
    assert {row[:2]: row[2:] for row in policies} == days.policies


def _names(day: DayKey) -> tuple[str, str, str]:
    return day.room_id, day.actor_id, day.local_date
