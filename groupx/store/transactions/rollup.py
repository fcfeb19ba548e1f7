"""The batches of dated memory: begun, and then finished or failed, each once.

What a crash leaves begun is free again (`recover_rollups`). Its prompt may have been seen by a
side session then, and is sent once more: it asks for words alone, and nothing of the room comes of
it before the batch is finished.
"""

import sqlite3
from collections.abc import Sequence

from groupx.domain.context_usage import side_usage
from groupx.domain.envelope import EventDraft, Provenance
from groupx.domain.errors import ErrorCode, GroupXError
from groupx.domain.memory import MemoryRecord
from groupx.domain.rollup import (
    BATCH_CHARACTERS,
    BATCH_TURNS,
    MAX_TEXT_CHARACTERS,
    Batch,
    DatedRecord,
    DayKey,
    FailBatch,
    FinishBatch,
    retry_ms,
)
from groupx.domain.times import iso_from_ms
from groupx.domain.wire import to_wire
from groupx.store.dated_sources import recount_day, skip_queued
from groupx.store.policy_rows import forbids_dated
from groupx.store.record_rows import insert_record
from groupx.store.recording import close_record
from groupx.store.transaction import Transaction
from groupx.store.usage_rows import write_usage

_DAY = "room_id = ? AND actor_id = ? AND local_date = ?"
_STANDS = f"""
SELECT failure_count, CASE WHEN next_attempt_at IS NULL THEN last_attempt_at END
FROM agent_dated_memory_rollups WHERE {_DAY}
"""
_ACTIVE = """
SELECT m.memory_id, m.content, coalesce(e.occurred_at, m.created_at)
FROM agent_dated_memory_rollups r JOIN memory_records m ON m.memory_id = r.memory_id
LEFT JOIN events e ON e.event_id = m.source_event_id
WHERE r.room_id = ? AND r.actor_id = ? AND r.local_date = ? AND m.status = 'active'
"""
_WAITING = f"""
SELECT turn_id, source_chars, terminal_at FROM agent_dated_memory_sources
WHERE {_DAY} AND processed_at IS NULL AND skipped_reason IS NULL
ORDER BY response_seq LIMIT {BATCH_TURNS}
"""
_BEGIN = f"""
UPDATE agent_dated_memory_rollups SET last_attempt_at = ?, next_attempt_at = NULL, updated_at = ?
WHERE {_DAY}
"""
_DONE_WITH = """
UPDATE agent_dated_memory_sources SET processed_at = ?, memory_id = ?
WHERE turn_id = ? AND processed_at IS NULL AND skipped_reason IS NULL
RETURNING response_event_id, response_seq
"""
_MOVE = f"""
UPDATE agent_dated_memory_rollups SET memory_id = coalesce(?, memory_id),
  summarized_through_seq = max(summarized_through_seq, ?), failure_count = 0,
  last_attempt_at = NULL, next_attempt_at = NULL, last_error_code = NULL
WHERE {_DAY}
"""
_FAILURES = """
SELECT coalesce(sum(r.failure_count), 0)
FROM rooms CROSS JOIN agent_dated_memory_rollups r
  ON r.room_id = rooms.room_id AND r.pending_turns > 0
WHERE r.actor_id = ?
"""
_FAIL = f"""
UPDATE agent_dated_memory_rollups SET failure_count = ?, next_attempt_at = ?, last_error_code = ?,
  updated_at = ?
WHERE {_DAY}
"""


def begin_batch(tx: Transaction, key: DayKey) -> Batch | None:
    """The oldest turns of the day that wait, now running; None when there is nothing to do.

    Where the agent's policy forbids dated memory by now, what waits is skipped instead.
    """
    _, running = _stands(tx, key)
    if running is not None:
        return None
    _obey_policy(tx, key)
    taken = _as_many_as_fit(tx.conn.execute(_WAITING, _where(key)).fetchall())
    if not taken:
        recount_day(tx, key.room_id, key.actor_id, key.local_date)
        return None
    # A clock may have gone back since they ended: what ended by then is the batch's.
    begun_at = max(tx.now, *(ended_at for _, ended_at in taken))
    tx.conn.execute(_BEGIN, (begun_at, tx.now, *_where(key)))
    turn_ids = tuple(turn_id for turn_id, _ in taken)
    return Batch(key=key, begun_at=begun_at, previous=_active(tx.conn, key), turn_ids=turn_ids)


def finish_batch(tx: Transaction, done: FinishBatch) -> str | None:
    """The id of the day's new memory, None when there was nothing worth keeping.

    STORE_CONFLICT, and nothing is changed, when the batch is not running any more or another
    record is the day's active one than it was given.
    """
    batch, key = done.batch, done.batch.key
    active = _active(tx.conn, key)
    if _stands(tx, key)[1] != batch.begun_at or active != batch.previous:
        raise _overtaken(key)
    record = None if done.content is None else _record(tx, batch, done.content)
    if record is not None:
        if batch.previous is not None:
            close_record(tx, "memory", batch.previous.memory_id, "superseded")
        insert_record(tx.conn, "memory", record)
        _announce(tx, key, record)
    memory_id = record and record.memory_id
    through = 0
    for turn_id in batch.turn_ids:
        row = tx.conn.execute(_DONE_WITH, (tx.now, memory_id, turn_id)).fetchone()
        if row is None:
            raise _overtaken(key)
        through = max(through, row[1])
    tx.conn.execute(_MOVE, (memory_id, through, *_where(key)))
    recount_day(tx, key.room_id, key.actor_id, key.local_date)
    _obey_policy(tx, key)
    _measure(tx, done)
    return memory_id


def fail_batch(tx: Transaction, failed: FailBatch) -> None:
    """Its turns wait for another try, later each time that its owner came to nothing, whichever the
    day was. A batch that does not run any more has no end, and nothing changes."""
    key = failed.batch.key
    failures, running = _stands(tx, key)
    if running != failed.batch.begun_at:
        return
    (of_owner,) = tx.conn.execute(_FAILURES, (key.actor_id,)).fetchone()
    again = iso_from_ms(tx.now_ms + retry_ms(of_owner + 1))
    tx.conn.execute(_FAIL, (failures + 1, again, failed.code, tx.now, *_where(key)))
    _obey_policy(tx, key)


# --- parts ----------------------------------------------------------------------------------------


def _where(key: DayKey) -> tuple[str, str, str]:
    return key.room_id, key.actor_id, key.local_date


def _stands(tx: Transaction, key: DayKey) -> tuple[int, str | None]:
    """Failures in a row, and since when a batch is running."""
    row = tx.conn.execute(_STANDS, _where(key)).fetchone()
    return (0, None) if row is None else (row[0], row[1])


def _active(conn: sqlite3.Connection, key: DayKey) -> DatedRecord | None:
    """One that was retracted is none: the day begins anew."""
    row = conn.execute(_ACTIVE, _where(key)).fetchone()
    return None if row is None else DatedRecord(memory_id=row[0], content=row[1], at=row[2])


def _obey_policy(tx: Transaction, key: DayKey) -> None:
    """No batch of the day runs; what waits is skipped if none may be made."""
    forbidden = forbids_dated(tx.conn, key.room_id, key.actor_id)
    if forbidden is not None:
        skip_queued(tx, key.room_id, key.actor_id, forbidden)


def _as_many_as_fit(waiting: Sequence[tuple[str, int, str]]) -> list[tuple[str, str]]:
    """Turns, and when they ended. At least one, whatever its size: it is cut when it is shown."""
    taken: list[tuple[str, str]] = []
    room = BATCH_CHARACTERS
    for turn_id, characters, ended_at in waiting:
        room -= min(characters, 2 * MAX_TEXT_CHARACTERS)
        if room < 0:
            break
        taken.append((turn_id, ended_at))
    return taken


def _record(tx: Transaction, batch: Batch, content: str) -> MemoryRecord:
    owner = batch.key.actor_id
    (newest,) = tx.conn.execute(
        "SELECT response_event_id FROM agent_dated_memory_sources WHERE turn_id = ?",
        (batch.turn_ids[-1],),
    ).fetchone()
    return MemoryRecord(
        memory_id=tx.ids.new("mem"),
        scope_type="agent",
        scope_id=owner,
        agent_memory_type="dated",
        kind="summary",
        author_actor_id=owner,
        subject_actor_id=owner,
        content=content,
        source_event_id=newest,
        source_kind="automatic_rollup",
        status="active",
        supersedes_memory_id=batch.previous and batch.previous.memory_id,
        created_at=tx.now,
    )


def _announce(tx: Transaction, key: DayKey, record: MemoryRecord) -> None:
    verb = "remembered" if record.supersedes_memory_id is None else "superseded"
    tx.emit(
        EventDraft(
            type=f"memory.{verb}",
            room_id=key.room_id,
            actor_id=key.actor_id,
            correlation_id=tx.ids.new("corr"),
            causation_id=record.source_event_id,
            body={"record": to_wire(record)},
            provenance=Provenance(
                source_kind="generated_summary",
                author_actor_id=key.actor_id,
                subject_actor_id=key.actor_id,
                source_event_id=record.source_event_id,
            ),
        )
    )


def _measure(tx: Transaction, done: FinishBatch) -> None:
    key = done.batch.key
    usage = side_usage("rollup", key.actor_id, key.room_id, done.prompt_characters, done.tokens)
    write_usage(tx, key.room_id, usage)


def _overtaken(key: DayKey) -> GroupXError:
    return GroupXError(
        ErrorCode.STORE_CONFLICT,
        f"The memory of {key.local_date} of {key.actor_id} was changed, or its room reset, while "
        "this one was written, so it was dropped; those of its turns that still wait are taken up "
        "again.",
    )
