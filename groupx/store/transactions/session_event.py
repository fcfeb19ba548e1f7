"""Steps in the life of an agent's session, for the room's history."""

from typing import Any

from groupx.domain.envelope import Envelope, EventDraft, Provenance
from groupx.domain.runs import SessionEvent
from groupx.store.queries.rooms import active_room
from groupx.store.transaction import Transaction

_INSTANCE = "SELECT 1 FROM agent_instances WHERE instance_id = ?"


def record_session(tx: Transaction, event: SessionEvent) -> Envelope:
    """Write one `session.*` event of the agent."""
    instance_id = event.instance_id
    body: dict[str, Any] = {"instanceId": instance_id} if instance_id is not None else {}
    body["driver"] = event.driver
    optional = {
        "continuity": event.continuity,
        "errorCode": event.error_code,
        "attempt": event.attempt,
    }
    body.update({name: value for name, value in optional.items() if value is not None})
    known = tx.conn.execute(_INSTANCE, (instance_id,)).fetchone() is not None
    return tx.emit(
        EventDraft(
            type=event.type,
            room_id=active_room(tx.conn),
            actor_id=event.actor_id,
            correlation_id=tx.ids.new("corr"),
            body=body,
            instance_id=instance_id if known else None,
            provenance=Provenance(source_kind="adapter", author_actor_id=event.actor_id),
        )
    )
