"""Rows of supervision pairs: who works, who watches, how often a turn was steered."""

import sqlite3

import attrs

from groupx.domain.ids import ActorId, RoomId
from groupx.domain.supervision import PairedTurn, Role
from groupx.domain.turns import TERMINAL, TurnStatus
from groupx.store.transaction import Transaction
from groupx.store.turn_rows import TurnRow

_INSERT_PAIR = """
INSERT INTO supervision_pairs (pair_id, room_id, correlation_id, source_event_id, watch_event_id,
  pair_event_id, mode, created_at)
VALUES (?, ?, ?, ?, ?, ?, ?, ?)
"""
_INSERT_TURN = """
INSERT INTO supervision_pair_turns (turn_id, pair_id, role, actor_id, created_at)
VALUES (?, ?, ?, ?, ?)
"""
_PLACE = "SELECT pair_id, role FROM supervision_pair_turns WHERE turn_id = ?"
_TURNS = """
SELECT p.turn_id, p.actor_id, p.role, t.status
FROM supervision_pair_turns p JOIN turns t ON t.turn_id = p.turn_id
WHERE p.pair_id = ? AND p.role = ? ORDER BY t.enqueue_seq
"""
_SOURCE = "SELECT source_event_id FROM supervision_pairs WHERE pair_id = ?"
_OF_SOURCE = """
SELECT pair_id FROM supervision_pairs WHERE correlation_id = ? AND source_event_id = ?
"""
_STEER_COUNT = "SELECT steer_count FROM supervision_steer_counts WHERE subject_turn_id = ?"
_INTERRUPTED = """
SELECT 1 FROM events WHERE correlation_id = ? AND seq > ? AND event_type = 'supervision.steered'
  AND json_extract(body_json, '$.subjectTurnId') = ?
  AND json_extract(body_json, '$.action') = 'interrupt'
LIMIT 1
"""
_FIRST_COUNT = """
INSERT INTO supervision_steer_counts (subject_turn_id, steer_count) VALUES (?, 0)
ON CONFLICT (subject_turn_id) DO NOTHING
"""
_COUNT = """
UPDATE supervision_steer_counts SET steer_count = steer_count + 1
WHERE subject_turn_id = ? AND steer_count < ?
"""


@attrs.frozen(kw_only=True)
class PairRow:
    """A pair and the events that made it."""

    pair_id: str
    room_id: RoomId
    correlation_id: str
    source_event_id: str
    watch_event_id: str
    pair_event_id: str
    mode: str


@attrs.frozen(kw_only=True)
class Place:
    """Where a turn stands in the pair it belongs to."""

    pair_id: str
    role: Role


@attrs.frozen(kw_only=True)
class PairMember:
    """A turn of a pair, as it is now."""

    turn: PairedTurn
    status: TurnStatus

    @property
    def ended(self) -> bool:
        """Whether it has its terminal state."""
        return self.status in TERMINAL


def insert_pair(tx: Transaction, pair: PairRow) -> None:
    """Keep a pair; its turns come by `add_turn`."""
    tx.conn.execute(
        _INSERT_PAIR,
        (
            pair.pair_id, pair.room_id, pair.correlation_id, pair.source_event_id,
            pair.watch_event_id, pair.pair_event_id, pair.mode, tx.now,
        ),
    )  # fmt: skip


def add_turn(tx: Transaction, pair_id: str, turn: PairedTurn) -> None:
    """The turn belongs to the pair from now on."""
    tx.conn.execute(_INSERT_TURN, (turn.turn_id, pair_id, turn.role, turn.actor_id, tx.now))


def place_of(conn: sqlite3.Connection, turn_id: str) -> Place | None:
    """The turn's pair; None for a turn that nobody watches and that watches nobody."""
    row = conn.execute(_PLACE, (turn_id,)).fetchone()
    return None if row is None else Place(pair_id=row[0], role=row[1])


def members(conn: sqlite3.Connection, pair_id: str, role: Role) -> tuple[PairMember, ...]:
    """The pair's turns of this role, in the order in which they were queued."""
    return tuple(
        PairMember(
            turn=PairedTurn(turn_id=turn_id, actor_id=ActorId(actor_id), role=found),
            status=TurnStatus(status),
        )
        for turn_id, actor_id, found, status in conn.execute(_TURNS, (pair_id, role)).fetchall()
    )


def task_of(conn: sqlite3.Connection, pair_id: str) -> str:
    """The event that the pair's first workers were woken by."""
    return str(conn.execute(_SOURCE, (pair_id,)).fetchone()[0])


def pair_of_task(conn: sqlite3.Connection, correlation_id: str, source_event_id: str) -> str | None:
    """The pair that this message started, if it started one."""
    row = conn.execute(_OF_SOURCE, (correlation_id, source_event_id)).fetchone()
    return None if row is None else str(row[0])


def steer_count(conn: sqlite3.Connection, subject_turn_id: str) -> int:
    """How often this turn was steered."""
    row = conn.execute(_STEER_COUNT, (subject_turn_id,)).fetchone()
    return 0 if row is None else int(row[0])


def is_interrupted(conn: sqlite3.Connection, turn: TurnRow) -> bool:
    """Whether an observer wanted this turn to stop."""
    if not steer_count(conn, turn.turn_id):
        return False
    values = (turn.correlation_id, turn.enqueue_seq, turn.turn_id)
    return conn.execute(_INTERRUPTED, values).fetchone() is not None


def count_steer(tx: Transaction, subject_turn_id: str, limit: int) -> bool:
    """Compare-and-set: one steer more, unless that is over the limit."""
    tx.conn.execute(_FIRST_COUNT, (subject_turn_id,))
    return tx.conn.execute(_COUNT, (subject_turn_id, limit)).rowcount == 1
