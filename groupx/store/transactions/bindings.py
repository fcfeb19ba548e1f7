"""Runs, instances and bindings: through what each sender speaks, and since when."""

import orjson

from groupx.domain.ids import (
    OPERATOR_BINDING,
    SYSTEM,
    USER_ASSISTANT,
    USER_WEB,
    WEB_BINDING,
)
from groupx.domain.ledger import InstanceOpened
from groupx.domain.runs import CloseInstance, OpenedRun, OpenRun
from groupx.domain.wire import to_wire
from groupx.store.policy_rows import join
from groupx.store.queries.rooms import active_room
from groupx.store.transaction import Transaction
from groupx.store.usage_rows import session_renewed

_SEED_ACTOR = """
INSERT OR IGNORE INTO actors (actor_id, kind, display_name, enabled, created_at, updated_at)
VALUES (?, ?, ?, 1, ?, ?)
"""
_NAME_ACTOR = """
INSERT INTO actors (actor_id, kind, display_name, enabled, created_at, updated_at)
VALUES (:actor, :kind, :name, 1, :now, :now)
ON CONFLICT (actor_id) DO UPDATE SET
  display_name = excluded.display_name, enabled = 1, updated_at = excluded.updated_at
WHERE display_name <> excluded.display_name OR enabled <> 1
"""
_FIXED_INSTANCE = """
INSERT OR IGNORE INTO agent_instances
  (instance_id, actor_id, adapter_id, transport, process_started_at, status)
VALUES (?, ?, ?, NULL, ?, 'ready')
"""
_FIXED_BINDING = """
INSERT OR IGNORE INTO session_bindings (binding_id, instance_id, actor_id, transport, protocol,
  status, capabilities_json, created_at)
VALUES (?, ?, ?, NULL, ?, 'ready', ?, ?)
"""
_OPEN_INSTANCE = """
INSERT OR IGNORE INTO agent_instances
  (instance_id, actor_id, adapter_id, transport, process_started_at, status)
VALUES (?, ?, ?, ?, ?, 'ready')
"""
_OPEN_BINDING = """
INSERT INTO session_bindings (binding_id, instance_id, actor_id, transport, native_session_id,
  protocol, protocol_version, status, capabilities_json, created_at, last_ready_at)
VALUES (?, ?, ?, ?, ?, ?, ?, 'ready', ?, ?, ?)
"""
_END_INSTANCE = """
UPDATE agent_instances SET process_ended_at = ?, status = ?
WHERE instance_id = ? AND process_ended_at IS NULL
"""
_CLOSE_BINDINGS = """
UPDATE session_bindings SET closed_at = :now, status = :status
WHERE actor_id = (SELECT actor_id FROM agent_instances WHERE instance_id = :instance)
  AND status = 'ready' AND instance_id = :instance AND closed_at IS NULL
"""
_BUILT_IN = ((USER_WEB, "user", "You"), (USER_ASSISTANT, "user", "Assistant"),
             (SYSTEM, "system", "GroupX"))  # fmt: skip
_FACES = (
    (WEB_BINDING, "instance:web", USER_WEB, "web", "local-rest"),
    (OPERATOR_BINDING, "instance:operator", USER_ASSISTANT, "operator", "local-operator"),
)


def open_run(tx: Transaction, run: OpenRun) -> OpenedRun:
    """Actors, the people's two fixed bindings, the room's memory policy for agents that are new
    in it; the same again changes nothing."""
    for actor_id, kind, name in _BUILT_IN:
        tx.conn.execute(_SEED_ACTOR, (actor_id, kind, name, tx.now, tx.now))
    named = [(actor_id, "agent", name) for actor_id, name in run.agents.items()]
    if run.assistant_name is not None:
        named.append((USER_ASSISTANT, "user", run.assistant_name))
    for actor_id, kind, name in named:
        values = {"actor": actor_id, "kind": kind, "name": name, "now": tx.now}
        tx.conn.execute(_NAME_ACTOR, values)
    for binding_id, instance_id, actor_id, adapter_id, protocol in _FACES:
        tx.conn.execute(_FIXED_INSTANCE, (instance_id, actor_id, adapter_id, tx.now))
        tx.conn.execute(_FIXED_BINDING, (binding_id, instance_id, actor_id, protocol, "{}", tx.now))
    room_id = active_room(tx.conn)
    join(tx, room_id, run.agents)
    return OpenedRun(room_id=room_id)


def open_instance(tx: Transaction, opened: InstanceOpened) -> None:
    """A started program and its session's binding. A later session of the same program is
    another binding of the same instance."""
    tx.conn.execute(
        _OPEN_INSTANCE,
        (opened.instance_id, opened.actor_id, opened.adapter_id, opened.transport, tx.now),
    )
    capabilities = {"continuity": opened.continuity, "measured": to_wire(opened.capabilities)}
    tx.conn.execute(
        _OPEN_BINDING,
        (
            opened.binding_id, opened.instance_id, opened.actor_id, opened.transport,
            opened.native_session_id, opened.protocol, opened.protocol_version,
            orjson.dumps(capabilities).decode(), tx.now, tx.now,
        ),
    )  # fmt: skip
    if opened.continuity != "resumed":
        session_renewed(tx, active_room(tx.conn), opened.actor_id)


def close_instance(tx: Transaction, closing: CloseInstance) -> bool:
    """The program is gone; False when that was written before."""
    ended = tx.conn.execute(_END_INSTANCE, (tx.now, closing.status, closing.instance_id))
    status = "interrupted" if closing.status == "interrupted" else "closed"
    values = {"now": tx.now, "status": status, "instance": closing.instance_id}
    tx.conn.execute(_CLOSE_BINDINGS, values)
    return ended.rowcount == 1
