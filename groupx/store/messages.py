"""Stored messages, as the commands that refer to them need them."""

import sqlite3
from typing import Any, Literal

import attrs

from groupx.domain.errors import ErrorCode, GroupXError
from groupx.domain.ids import ActorId, RoomId
from groupx.store.event_rows import content_of, load_json

_MESSAGE = """
SELECT event_id, room_id, actor_id, correlation_id, body_json, reply_to_event_id,
  forwarded_event_id, event_type, seq
FROM events WHERE event_id = ? AND event_type IN ('message.created', 'operator.dispatch')
"""
_WITHDRAWAL = "SELECT body_json FROM events WHERE room_id = ? AND idempotency_key = ?"


@attrs.frozen(kw_only=True)
class StoredMessage:
    """A `message.created` or `operator.dispatch`."""

    event_id: str
    seq: int
    type: Literal["message.created", "operator.dispatch"]
    room_id: RoomId
    actor_id: ActorId
    correlation_id: str
    content: str
    kind: str | None
    reply_to_event_id: str | None
    forwarded_event_id: str | None


def withdrawal_key(event_id: str) -> str:
    """The idempotency key of a message's withdrawal: there is at most one."""
    return f"message:{event_id}:withdrawn"


def get_message(conn: sqlite3.Connection, event_id: str) -> StoredMessage:
    """The message; NOT_FOUND when there is none of this id."""
    row = conn.execute(_MESSAGE, (event_id,)).fetchone()
    if row is None:
        raise GroupXError(
            ErrorCode.NOT_FOUND, f"There is no message '{event_id}'; nothing was changed."
        )
    body: dict[str, Any] = load_json(row[4])
    return StoredMessage(
        event_id=row[0],
        seq=row[8],
        type=row[7],
        room_id=row[1],
        actor_id=row[2],
        correlation_id=row[3],
        content=content_of(body),
        kind=body.get("kind"),
        reply_to_event_id=row[5],
        forwarded_event_id=row[6],
    )


def is_withdrawn(conn: sqlite3.Connection, message: StoredMessage) -> bool:
    """Whether its author took it back."""
    return withdrawal_of(conn, message) is not None


def withdrawal_of(conn: sqlite3.Connection, message: StoredMessage) -> dict[str, Any] | None:
    """The body of its `message.withdrawn`, if its author took it back."""
    key = withdrawal_key(message.event_id)
    row = conn.execute(_WITHDRAWAL, (message.room_id, key)).fetchone()
    return None if row is None else load_json(row[0])
