"""Calls that a limit stopped, as they stand in the ledger, and whether they went on since."""

import sqlite3
from typing import Any, cast

import attrs

from groupx.domain.errors import ErrorCode, GroupXError
from groupx.domain.ids import ActorId, RoomId
from groupx.store.event_keys import raised_key, stops_of
from groupx.store.event_rows import load_json
from groupx.store.loop_stop import Refused
from groupx.store.turn_rows import TurnRow, find_turn

_COLUMNS = "event_id, room_id, correlation_id, root_correlation_id, parent_turn_id, body_json"
_ONE = f"""
SELECT {_COLUMNS} FROM events
WHERE event_id = ? AND event_type = 'routing.loop_stopped' AND root_correlation_id = ?
"""
_OF_ROOT = f"""
SELECT {_COLUMNS} FROM events
WHERE room_id = ? AND idempotency_key >= ? AND idempotency_key < ?
  AND event_type = 'routing.loop_stopped'
ORDER BY seq
"""
_CONTINUED = "SELECT 1 FROM events WHERE room_id = ? AND idempotency_key = ?"


@attrs.frozen(kw_only=True)
class StoppedCall:
    """A `routing.loop_stopped` with everything that its call needs to be made after all."""

    event_id: str
    room_id: RoomId
    correlation_id: str
    root_correlation_id: str
    parent: TurnRow
    limit: str
    bound: int
    refused: Refused


def stopped_call(
    conn: sqlite3.Connection, root: str, stop_event_id: str | None, room_id: RoomId
) -> StoppedCall:
    """This one, or the oldest of the chain that waits.

    NOT_FOUND when there is none, STORE_CONFLICT when it went on already, was stopped in another
    room than `room_id`, or is not kept whole (a record of an older program).
    """
    if stop_event_id is None:
        return _oldest(conn, root, room_id)
    row = conn.execute(_ONE, (stop_event_id, root)).fetchone()
    if row is None:
        raise _nothing_stopped(root)
    if row[1] != room_id:
        raise GroupXError(
            ErrorCode.STORE_CONFLICT, "This call's room is read-only; nothing was sent."
        )
    if _went_on(conn, row):
        raise _done_already()
    return _whole(conn, row)


def _oldest(conn: sqlite3.Connection, root: str, room_id: RoomId) -> StoppedCall:
    rows = conn.execute(_OF_ROOT, (room_id, *stops_of(root))).fetchall()
    if not rows:
        raise _nothing_stopped(root)
    for row in rows:
        if not _went_on(conn, row):
            return _whole(conn, row)
    raise _done_already()


def _went_on(conn: sqlite3.Connection, row: tuple[Any, ...]) -> bool:
    event_id, room_id, _, root, _, body = row
    key = raised_key(root, str(load_json(body).get("limit")), event_id)
    return conn.execute(_CONTINUED, (room_id, key)).fetchone() is not None


def _whole(conn: sqlite3.Connection, row: tuple[Any, ...]) -> StoppedCall:
    event_id, room_id, correlation_id, root, parent_turn_id, body = row
    parent = None if parent_turn_id is None else find_turn(conn, parent_turn_id)
    try:
        fields = load_json(body)
        limit, bound, refused = _text(fields["limit"]), int(fields["bound"]), fields["refused"]
        call = _refused(refused)
    except (KeyError, TypeError, ValueError):
        call, limit, bound = None, "", 0
    if parent is None or call is None:
        raise GroupXError(
            ErrorCode.STORE_CONFLICT,
            "This call was stopped by an older program, which did not keep all of it; nothing was "
            "sent. Ask the agent again instead.",
        )
    return StoppedCall(
        event_id=event_id,
        room_id=room_id,
        correlation_id=correlation_id,
        root_correlation_id=root,
        parent=parent,
        limit=limit,
        bound=bound,
        refused=call,
    )


def _refused(found: dict[str, Any]) -> Refused:
    return Refused(
        command_type=_text(found["commandType"]),
        actor_id=ActorId(_text(found["actorId"])),
        to=_texts(found["to"]),
        content=_text(found["content"]),
        reply_to_event_id=_text_if_any(found, "replyToEventId"),
        forwarded_event_id=_text_if_any(found, "forwardedEventId"),
        wake_me=bool(found.get("wakeMe")),
        child_turn_id=_text_if_any(found, "childTurnId"),
        observers=_texts(found["observers"]) if found.get("observers") else None,
        subject_turn_id=_text_if_any(found, "subjectTurnId"),
        steer_reason=_text_if_any(found, "steerReason"),
    )


def _texts(found: Any) -> tuple[str, ...]:
    return tuple(_text(name) for name in cast("list[Any]", found))


def _text_if_any(found: dict[str, Any], key: str) -> str | None:
    return None if found.get(key) is None else _text(found[key])


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError(f"not a text: {value!r}")
    return value


def _nothing_stopped(root: str) -> GroupXError:
    return GroupXError(
        ErrorCode.NOT_FOUND,
        f"No call of the chain '{root}' was stopped by a limit; nothing was sent.",
    )


def _done_already() -> GroupXError:
    return GroupXError(
        ErrorCode.STORE_CONFLICT,
        "This call went on already; nothing was sent. Look for it further down in the room.",
    )
