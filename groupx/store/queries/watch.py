"""What an observer is shown of the worker it watches: public, bounded, from the ledger alone."""

import sqlite3
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any

import attrs

from groupx.domain.ids import ActorId
from groupx.domain.text import excerpt
from groupx.domain.turns import TERMINAL, TurnStatus
from groupx.domain.views import TurnView
from groupx.domain.watching import (
    MAX_MESSAGE_CHARACTERS,
    MAX_MESSAGES,
    MAX_TASK_CHARACTERS,
    Excerpt,
    LastSteer,
    Milestone,
    Shown,
    ToolGlance,
    WatchQuery,
    WatchSnapshot,
    WatchState,
    glances,
)
from groupx.store.event_keys import observations_of
from groupx.store.event_rows import content_of, load_json
from groupx.store.messages import get_message, is_withdrawn
from groupx.store.supervision_rows import is_interrupted, steer_count
from groupx.store.supervision_watch import subject_of, watching
from groupx.store.turn_rows import TurnRow, get_turn
from groupx.store.turn_views import turn_view

_THROUGH = "SELECT max(seq) FROM events"
_OF_SUBJECT = """
SELECT event_id, seq, event_type, body_json FROM events
WHERE correlation_id = :correlation AND seq > :after AND (
  (event_type IN ('turn.started', 'turn.completed', 'turn.failed', 'turn.cancelled',
     'turn.interrupted', 'tool.progress.recorded') AND json_extract(body_json, '$.turnId') = :turn)
  OR (event_type = 'message.created' AND actor_id = :worker
     AND (parent_turn_id = :turn AND json_extract(body_json, '$.turnId') IS NULL
       OR json_extract(body_json, '$.turnId') = :turn))
  OR (event_type = 'supervision.steered' AND json_extract(body_json, '$.subjectTurnId') = :turn))
ORDER BY seq
"""
_SHOWN = """
SELECT body_json FROM events
WHERE room_id = ? AND idempotency_key >= ? AND idempotency_key < ?
  AND event_type = 'supervision.observed'
ORDER BY seq DESC
"""
_BY_USER = frozenset({"user", "withdrawn"})
_MILESTONES: Mapping[str, tuple[Milestone, ...]] = MappingProxyType(
    {
        "turn.started": (Milestone.STARTED,),
        "message.created": (Milestone.MESSAGE,),
        "supervision.steered": (Milestone.STEER,),
        "turn.cancelled": (Milestone.CANCELLED, Milestone.TERMINAL),
        "turn.completed": (Milestone.TERMINAL,),
        "turn.failed": (Milestone.TERMINAL,),
        "turn.interrupted": (Milestone.TERMINAL,),
    }
)


@attrs.frozen
class _Event:
    event_id: str
    seq: int
    type: str
    body: Mapping[str, Any]


def watch_state(conn: sqlite3.Connection, query: WatchQuery) -> WatchState:
    """One snapshot. What `watching` refuses; SUPERVISION_PAIR_INVALID for another turn."""
    watch = watching(conn, query.watch_turn_id, query.actor_id)
    subject_id = subject_of(watch, query.subject_turn_id, ended_too=True).turn.turn_id
    turn, view = get_turn(conn, subject_id), turn_view(conn, subject_id)
    assert view is not None
    (through,) = conn.execute(_THROUGH).fetchone()
    events = _events(conn, turn)
    after = through if query.after_seq is None else min(query.after_seq, through)
    news = [event for event in events if event.seq > after]
    return WatchState(
        snapshot=_snapshot(conn, turn, view, events, through),
        milestones=tuple(
            dict.fromkeys(it for event in news for it in _MILESTONES.get(event.type, ()))
        ),
        shown=_shown(conn, watch.turn, subject_id, after) if query.recall else None,
    )


def _events(conn: sqlite3.Connection, turn: TurnRow) -> list[_Event]:
    values = {
        "correlation": turn.correlation_id,
        "after": turn.enqueue_seq,
        "turn": turn.turn_id,
        "worker": turn.target_actor_id,
    }
    rows = conn.execute(_OF_SUBJECT, values)
    return [_Event(row[0], row[1], row[2], load_json(row[3])) for row in rows]


def _snapshot(
    conn: sqlite3.Connection, turn: TurnRow, view: TurnView, events: list[_Event], through: int
) -> WatchSnapshot:
    steers = [event.body for event in events if event.type == "supervision.steered"]
    said = [event for event in events if event.type == "message.created"][-MAX_MESSAGES:]
    tools = [event.body for event in events if event.type == "tool.progress.recorded"]
    return WatchSnapshot(
        turn_id=turn.turn_id,
        actor_id=ActorId(turn.target_actor_id),
        status=view.status,
        delivery_certainty=view.delivery_certainty,
        last_seq=through,
        terminal=view.status in TERMINAL,
        subject_cancelled=_cancelled_by_user(conn, turn, events),
        task=_task(conn, turn),
        messages=tuple(
            Excerpt(
                event_id=event.event_id,
                excerpt=excerpt(content_of(event.body), MAX_MESSAGE_CHARACTERS),
            )
            for event in said
        ),
        tools=glances(tools),
        steer_count=steer_count(conn, turn.turn_id),
        last_steer=_last(steers),
    )


def _cancelled_by_user(conn: sqlite3.Connection, turn: TurnRow, events: list[_Event]) -> bool:
    if turn.status is TurnStatus.CANCELLING:
        return not is_interrupted(conn, turn)
    return any(it.type == "turn.cancelled" and it.body["reason"] in _BY_USER for it in events)


def _task(conn: sqlite3.Connection, turn: TurnRow) -> Excerpt:
    message = get_message(conn, turn.source_event_id)
    words = "" if is_withdrawn(conn, message) else message.content
    return Excerpt(event_id=message.event_id, excerpt=excerpt(words, MAX_TASK_CHARACTERS))


def _last(steers: list[Mapping[str, Any]]) -> LastSteer | None:
    if not steers:
        return None
    return LastSteer(
        action=steers[-1]["action"], reason=excerpt(steers[-1]["reason"], MAX_MESSAGE_CHARACTERS)
    )


def _shown(
    conn: sqlite3.Connection, watch: TurnRow, subject_id: str, after_seq: int
) -> Shown | None:
    """What the snapshot said that this watch turn was returned at `after_seq`."""
    rows = conn.execute(_SHOWN, (watch.room_id, *observations_of(watch.turn_id)))
    for (text,) in rows:
        snapshot = load_json(text)["snapshot"]
        if (snapshot["turnId"], snapshot["lastSeq"]) == (subject_id, after_seq):
            return Shown(status=TurnStatus(snapshot["status"]), tools=_tools(snapshot["tools"]))
    return None


def _tools(items: Iterable[Mapping[str, Any]]) -> tuple[ToolGlance, ...]:
    return tuple(
        ToolGlance(
            tool_call_id=item.get("toolCallId"),
            name=item["name"],
            status=item["status"],
            open=item["open"],
        )
        for item in items
    )
