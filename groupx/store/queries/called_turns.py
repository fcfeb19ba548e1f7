"""The turns that one message made, as their caller may read them."""

import sqlite3

import attrs

from groupx.domain.errors import ErrorCode, GroupXError
from groupx.domain.ids import ActorId, RoomId
from groupx.domain.limits import MAX_TARGETS
from groupx.domain.turns import TERMINAL, TurnStatus
from groupx.store.event_rows import readable
from groupx.store.lane_rows import active_turn, queue_position

_MESSAGE = """
SELECT 1 FROM events WHERE event_id = ? AND room_id = ? AND actor_id = ?
  AND event_type IN ('message.created', 'operator.dispatch')
"""
_ANSWER = f"json_extract({readable('r.body_json')}, '$.content')"
_TURNS = f"""
SELECT t.turn_id, t.target_actor_id, t.status, t.enqueue_seq, t.error_code, t.response_event_id,
  substr({_ANSWER}, 1, ?), length({_ANSWER}),
  json_extract(e.body_json, '$.message')
FROM turns t
LEFT JOIN events r ON r.event_id = t.response_event_id
LEFT JOIN events e ON e.event_id = t.terminal_event_id
WHERE t.source_event_id = ? ORDER BY t.enqueue_seq LIMIT ?
"""


@attrs.frozen(kw_only=True)
class CalledQuery:
    """Whose message of which room; `characters`: how much of each answer is wanted."""

    message_event_id: str
    room_id: RoomId
    author: ActorId
    characters: int


@attrs.frozen(kw_only=True)
class CalledTurn:
    """One target's turn and, when it has ended, what it gave."""

    turn_id: str
    target: ActorId
    status: TurnStatus
    queue_position: int | None
    active_turn_id: str | None
    """What its lane does instead, while it is queued."""
    error_code: str | None
    message: str | None
    response_event_id: str | None
    content: str | None
    content_characters: int | None
    """Of the whole answer."""

    @property
    def ended(self) -> bool:
        """Whether there is nothing more to wait for."""
        return self.status in TERMINAL


def called_turns(conn: sqlite3.Connection, query: CalledQuery) -> tuple[CalledTurn, ...]:
    """The turns of a message of `author`; NOT_FOUND when there is no such message of theirs."""
    message = (query.message_event_id, query.room_id, query.author)
    if conn.execute(_MESSAGE, message).fetchone() is None:
        raise GroupXError(
            ErrorCode.NOT_FOUND,
            f"You said nothing with the id '{query.message_event_id}' in this room, so there is "
            "nothing to collect. Use the messageEventId that `ask` or `send` answered with.",
            messageEventId=query.message_event_id,
        )
    rows = conn.execute(_TURNS, (query.characters, query.message_event_id, MAX_TARGETS)).fetchall()
    return tuple(_turn(conn, row) for row in rows)


def _turn(conn: sqlite3.Connection, row: tuple[object, ...]) -> CalledTurn:
    turn_id, target, status, enqueue_seq, code, response_id, content, characters, message = row
    queued = status == TurnStatus.QUEUED
    return CalledTurn(
        turn_id=str(turn_id),
        target=ActorId(str(target)),
        status=TurnStatus(str(status)),
        queue_position=queue_position(conn, str(target), int(str(enqueue_seq))) if queued else None,
        active_turn_id=active_turn(conn, str(target)) if queued else None,
        error_code=None if code is None else str(code),
        message=None if message is None else str(message),
        response_event_id=None if response_id is None else str(response_id),
        content=None if content is None else str(content),
        content_characters=None if characters is None else int(str(characters)),
    )
