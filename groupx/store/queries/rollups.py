"""Dated memory as it is read: which days wait, what a batch is made of, an agent's days."""

import sqlite3

import attrs

from groupx.domain.errors import ErrorCode, GroupXError
from groupx.domain.ids import ActorId, RoomId
from groupx.domain.memory import MemoryRecord
from groupx.domain.rollup import Batch, DayKey, Pair, PendingDay
from groupx.domain.wire import optional
from groupx.store.agent_rows import must_be_agent
from groupx.store.queries.rooms import asked_room
from groupx.store.record_rows import MEMORY_COLUMNS, memory_from
from groupx.store.summary_rows import ACTIVE_OF
from groupx.store.transcript import entry

MOST_DAYS = 1_000
"""That are looked at at once; those of the others come when these are done."""

_PENDING = f"""
SELECT r.room_id, r.actor_id, r.local_date, r.pending_turns, r.pending_chars,
  (SELECT min(s.source_seq) FROM agent_dated_memory_sources s
   WHERE s.room_id = r.room_id AND s.actor_id = r.actor_id AND s.local_date = r.local_date
     AND s.processed_at IS NULL AND s.skipped_reason IS NULL),
  r.last_pending_at, r.next_attempt_at, r.failure_count,
  coalesce((SELECT s.through_seq {ACTIVE_OF} = r.room_id), 0)
FROM rooms CROSS JOIN agent_dated_memory_rollups r
  ON r.room_id = rooms.room_id AND r.pending_turns > 0
WHERE r.actor_id IN ({{owners}})
ORDER BY r.local_date, r.first_pending_at LIMIT {MOST_DAYS}
"""
_PAIR = """
SELECT source_event_id, response_event_id FROM agent_dated_memory_sources WHERE turn_id = ?
"""
_DAYS = f"""
SELECT r.local_date, r.pending_turns, r.last_error_code, r.next_attempt_at, {MEMORY_COLUMNS}
FROM agent_dated_memory_rollups r
LEFT JOIN memory_records m ON m.memory_id = r.memory_id AND m.status = 'active'
WHERE r.room_id = :room AND r.actor_id = :actor
  AND (:before IS NULL OR r.local_date < :before)
  AND (:date IS NULL OR r.local_date = :date)
ORDER BY r.local_date DESC LIMIT :limit
"""
_MEMORY_FROM = 4


def pending_days(conn: sqlite3.Connection, owners: tuple[ActorId, ...]) -> tuple[PendingDay, ...]:
    """Of these agents, in every room, the oldest first."""
    sql = _PENDING.format(owners=", ".join("?" * len(owners)))
    return tuple(
        PendingDay(
            key=DayKey(room_id=RoomId(row[0]), actor_id=ActorId(row[1]), local_date=row[2]),
            turns=row[3],
            characters=row[4],
            first_source_seq=row[5],
            last_pending_at=row[6],
            next_attempt_at=row[7],
            failures=row[8],
            covered_seq=row[9],
        )
        for row in conn.execute(sql, owners)
    )


def batch_pairs(conn: sqlite3.Connection, batch: Batch) -> tuple[Pair, ...]:
    """What was said in a batch's turns; of a message that was taken back nothing.

    STORE_CONFLICT when the room was pruned since the batch began.
    """
    pairs: list[Pair] = []
    for turn_id in batch.turn_ids:
        event_ids = conn.execute(_PAIR, (turn_id,)).fetchone()
        if event_ids is None:
            raise GroupXError(
                ErrorCode.STORE_CONFLICT,
                f"The room of {batch.key.actor_id}'s memory of {batch.key.local_date} was pruned "
                "before it was written, so there is nothing to remember.",
            )
        source, response = (entry(conn, it, batch.key.actor_id) for it in event_ids)
        assert source is not None, "foreign keys hold"
        assert response is not None, "foreign keys hold"
        pairs.append(Pair(source=source, response=response))
    return tuple(pairs)


# --- for those who look -----------------------------------------------------------------------


@attrs.frozen(kw_only=True)
class DaysQuery:
    """An agent's days in a room, the newest first."""

    actor_id: str
    room_id: RoomId | None = None
    """None = the active one."""
    local_date: str | None = None
    """Only this one."""
    before: str | None = None
    """Only days before this one: how the next page is asked for."""
    limit: int = 50


@attrs.frozen(kw_only=True)
class DatedDay:
    """One day: its active memory, and what no memory was made of yet."""

    local_date: str
    waiting_turns: int
    record: MemoryRecord | None = optional()
    last_error_code: str | None = optional()
    """Why the last try gave no memory, while there is to be another."""
    next_attempt_at: str | None = optional()


@attrs.frozen(kw_only=True)
class DaysPage:
    """The newest first."""

    days: tuple[DatedDay, ...]
    next_before: str | None = optional()


def dated_days(conn: sqlite3.Connection, query: DaysQuery) -> DaysPage:
    """Of one agent; UNKNOWN_ACTOR, NOT_FOUND for no such room."""
    must_be_agent(conn, query.actor_id)
    values = {
        "room": asked_room(conn, query.room_id),
        "actor": query.actor_id,
        "date": query.local_date,
        "before": query.before,
        "limit": query.limit + 1,
    }
    found = [
        DatedDay(
            local_date=row[0],
            waiting_turns=row[1],
            last_error_code=row[2],
            next_attempt_at=row[3],
            record=memory_from(row[_MEMORY_FROM:]) if row[_MEMORY_FROM] is not None else None,
        )
        for row in conn.execute(_DAYS, values)
    ]
    days = tuple(found[: query.limit])
    more = len(found) > query.limit
    return DaysPage(days=days, next_before=days[-1].local_date if more else None)
