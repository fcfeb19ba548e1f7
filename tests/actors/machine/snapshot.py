"""The model of the room as its rows say that it is now: what the next command meets."""

import sqlite3
from typing import Any

from groupx.domain.ids import USER_WEB, WEB_BINDING, ActorId
from tests.store.machine.model import Attempt, Claim, Message, Model, Stop, Turn

_TURNS = """
SELECT t.turn_id, target_actor_id, source_event_id, e.room_id, t.root_correlation_id,
  t.hop_count, t.parent_turn_id, trigger_kind, caused_by_turn_id, status, error_code
FROM turns t JOIN events e ON e.event_id = source_event_id ORDER BY enqueue_seq
"""
_MESSAGES = """
SELECT event_id, actor_id, room_id, json_extract(body_json, '$.kind'), forwarded_event_id
FROM events WHERE event_type = 'message.created'
  AND coalesce(idempotency_key, '') NOT LIKE 'turn:%:response' ORDER BY seq
"""
_STOPS = """
SELECT event_id, root_correlation_id, room_id, json_extract(body_json, '$.limit'), parent_turn_id,
  json_extract(body_json, '$.refused.actorId'), json_extract(body_json, '$.refused.to'),
  json_extract(body_json, '$.refused.content'),
  coalesce(json_extract(body_json, '$.refused.wakeMe'), 0),
  json_extract(body_json, '$.refused.childTurnId')
FROM events WHERE event_type = 'routing.loop_stopped' ORDER BY seq
"""


def snapshot(
    conn: sqlite3.Connection, stopped: set[ActorId], commands: dict[tuple[str, str], Any]
) -> Model:
    """`stopped` and `commands` are not in the rows, or not as they were asked."""
    (room,) = conn.execute("SELECT room_id FROM rooms WHERE active = 1").fetchone()
    model = Model(room)
    model.stopped, model.commands = stopped, commands
    rooms = conn.execute("SELECT room_id, archived_at IS NOT NULL FROM rooms")
    model.rooms = {name: bool(archived) for name, archived in rooms}
    for event_id, author, place, kind, forwarded in conn.execute(_MESSAGES):
        original = forwarded if kind == "retry" else None
        model.say(Message(event_id, ActorId(author), place, [], kind, original))
    for name, *row, status, code in conn.execute(_TURNS):
        model.queue(Turn(name, *row, status=status, code=code))
    for turn, *attempt in conn.execute(
        "SELECT turn_id, attempt_id, binding_id, context_through_seq, dispatch_phase,"
        " delivery_certainty FROM turn_attempts ORDER BY rowid"
    ):
        model.turns[turn].attempts.append(Attempt(*attempt))
    for actor, paused, revision in conn.execute(
        "SELECT actor_id, state = 'paused', revision FROM lane_states WHERE room_id = ?", (room,)
    ):
        model.paused[room, ActorId(actor)] = (bool(paused), revision)
    _chains(conn, model)
    bindings = conn.execute(
        "SELECT binding_id, actor_id FROM session_bindings WHERE closed_at IS NULL"
    )
    model.bindings = {WEB_BINDING: USER_WEB, **{name: ActorId(owner) for name, owner in bindings}}
    return model


def _chains(conn: sqlite3.Connection, model: Model) -> None:
    for (message,) in conn.execute(
        "SELECT json_extract(body_json, '$.messageEventId') FROM events"
        " WHERE event_type = 'message.withdrawn'"
    ):
        model.messages[message].withdrawn = True
    for claim in conn.execute(
        "SELECT child_turn_id, waiter_turn_id, state, owner, callback_turn_id"
        " FROM completion_claims"
    ):
        model.claims[claim[0]] = Claim(*claim)
    for stop, *row, author, to, content, wake_me, child in conn.execute(_STOPS):
        names = tuple(to.strip('[]"').split('","'))
        model.stops[stop] = Stop(stop, *row, ActorId(author), names, content, bool(wake_me), child)
    for stop, root, limit, bound in conn.execute(
        "SELECT causation_id, root_correlation_id, json_extract(body_json, '$.limit'),"
        " json_extract(body_json, '$.newBound') FROM events"
        " WHERE event_type = 'routing.loop_continued' ORDER BY seq"
    ):
        model.stops[stop].went_on = True
        if limit != "queuePerAgent":
            model.raised[root, limit] = max(bound, model.raised.get((root, limit), 0))
