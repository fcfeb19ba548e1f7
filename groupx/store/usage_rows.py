"""What was last measured of each agent's contexts, and when a measure stops to mean anything."""

import orjson

from groupx.domain.context_usage import RecordUsage, Usage, UsageSource
from groupx.domain.ids import ActorId, RoomId
from groupx.domain.limits import MAX_PACKET_RECORD_BYTES
from groupx.domain.wire import to_wire
from groupx.store.transaction import Transaction
from groupx.store.turn_rows import TurnRow, is_observer

_RECORD = """
INSERT INTO context_usage
  (room_id, actor_id, source, tracker, characters, tokens, epoch, revision, updated_at)
VALUES (?, ?, ?, ?, ?, ?, 0, 1, ?)
ON CONFLICT (room_id, actor_id, source) DO UPDATE SET tracker = excluded.tracker,
  characters = excluded.characters, tokens = excluded.tokens, epoch = epoch + ?,
  revision = revision + 1, updated_at = excluded.updated_at
"""
_TOLD = """
UPDATE context_usage SET tracker = 'native', tokens = ?, revision = revision + 1, updated_at = ?
WHERE room_id = ? AND actor_id = ? AND source = ? AND tracker = 'packet'
  AND characters IS NOT NULL
  AND updated_at = (SELECT claimed_at FROM turn_attempts WHERE attempt_id = ?)
"""
_KEEP = """
UPDATE turn_attempts SET packet_json = json_set(coalesce(packet_json, '{}'), '$.usage', json(?))
WHERE attempt_id = ? AND length(CAST(coalesce(packet_json, '') AS BLOB)) <= ?
"""
_FORGET = """
UPDATE context_usage SET characters = NULL, tokens = NULL, epoch = epoch + 1,
  revision = revision + 1, updated_at = ?
WHERE room_id = ?
"""
_FORGET_SESSION = _FORGET + " AND actor_id = ? AND source IN ('turn', 'watch')"
_USAGE_BYTES = 256
"""More than the JSON of a Usage ever needs."""


def write_usage(tx: Transaction, room_id: RoomId, usage: RecordUsage) -> None:
    """Replace what was known of this kind of request. Nothing is carried over from before."""
    tx.conn.execute(
        _RECORD,
        (
            room_id, usage.actor_id, usage.source, usage.tracker, usage.characters, usage.tokens,
            tx.now, usage.new_epoch,
        ),
    )  # fmt: skip


def packet_claimed(tx: Transaction, turn: TurnRow, characters: int) -> None:
    """A packet of this size is on its way to the turn's agent."""
    usage = RecordUsage(
        actor_id=turn.target_actor_id,
        source=_source(tx, turn),
        tracker="packet",
        characters=characters,
    )
    write_usage(tx, turn.room_id, usage)


def program_told(tx: Transaction, turn: TurnRow, attempt_id: str, usage: Usage) -> None:
    """What the program reported of an attempt; its context counts only if nothing was measured
    since and the epoch is still that of the attempt's packet."""
    known = orjson.dumps(to_wire(usage)).decode()
    room = MAX_PACKET_RECORD_BYTES - _USAGE_BYTES
    tx.conn.execute(_KEEP, (known, attempt_id, room))
    if usage.context_used is not None:
        tx.conn.execute(
            _TOLD,
            (
                usage.context_used, tx.now, turn.room_id, turn.target_actor_id,
                _source(tx, turn), attempt_id,
            ),
        )  # fmt: skip


def session_renewed(tx: Transaction, room_id: RoomId, actor_id: ActorId) -> None:
    """The agent has a new native session: its own context starts again, unknown."""
    tx.conn.execute(_FORGET_SESSION, (tx.now, room_id, actor_id))


def context_renewed(tx: Transaction, room_id: RoomId) -> None:
    """The room was reset or has a new checkpoint: no measure of before holds."""
    tx.conn.execute(_FORGET, (tx.now, room_id))


def _source(tx: Transaction, turn: TurnRow) -> UsageSource:
    return "watch" if is_observer(tx.conn, turn.turn_id) else "turn"
