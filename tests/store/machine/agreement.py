"""The store's rows are what the model says, all of them and no other."""

import sqlite3

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
