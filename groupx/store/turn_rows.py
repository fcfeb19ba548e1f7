"""One turn as the ledger holds it, joined with what its source event says of it."""

import sqlite3

import attrs

from groupx.domain.commands import TriggerKind
from groupx.domain.errors import ErrorCode, GroupXError
from groupx.domain.ids import ActorId, RoomId
from groupx.domain.turns import AT_WORK, TERMINAL, TurnStatus

_TURN = """
SELECT t.turn_id, e.room_id, e.correlation_id, e.seq, t.source_event_id, t.target_actor_id,
  t.adapter_id, t.transport, t.parent_turn_id, t.root_correlation_id, t.hop_count, t.enqueue_seq,
  t.status, t.trigger_kind, t.partial_text, t.response_event_id, t.terminal_event_id, t.error_code,
  t.caused_by_turn_id
FROM turns t JOIN events e ON e.event_id = t.source_event_id
WHERE t.turn_id = ?
"""


_IS_OBSERVER = """
SELECT 1 FROM supervision_pair_turns WHERE turn_id = ? AND role = 'observer'
"""


@attrs.frozen(kw_only=True)
class TurnRow:
    """A turn's columns that transactions decide by."""

    turn_id: str
    room_id: RoomId
    correlation_id: str
    """Of its source event: the one that all its events carry."""
    source_seq: int
    source_event_id: str
    target_actor_id: ActorId
    adapter_id: str
    transport: str
    parent_turn_id: str | None
    root_correlation_id: str
    hop_count: int
    enqueue_seq: int
    status: TurnStatus
    trigger_kind: TriggerKind
    partial_text: str | None
    response_event_id: str | None
    terminal_event_id: str | None
    error_code: str | None
    caused_by_turn_id: str | None

    @property
    def ended(self) -> bool:
        """Whether it has its terminal state."""
        return self.status in TERMINAL

    @property
    def at_work(self) -> bool:
        """Whether a call can come out of it."""
        return self.status in AT_WORK


def find_turn(conn: sqlite3.Connection, turn_id: str) -> TurnRow | None:
    """The turn, or None when there is no such one."""
    row = conn.execute(_TURN, (turn_id,)).fetchone()
    if row is None:
        return None
    return TurnRow(
        turn_id=row[0],
        room_id=row[1],
        correlation_id=row[2],
        source_seq=row[3],
        source_event_id=row[4],
        target_actor_id=row[5],
        adapter_id=row[6],
        transport=row[7],
        parent_turn_id=row[8],
        root_correlation_id=row[9],
        hop_count=row[10],
        enqueue_seq=row[11],
        status=TurnStatus(row[12]),
        trigger_kind=row[13],
        partial_text=row[14],
        response_event_id=row[15],
        terminal_event_id=row[16],
        error_code=row[17],
        caused_by_turn_id=row[18],
    )


def get_turn(conn: sqlite3.Connection, turn_id: str) -> TurnRow:
    """The turn; NOT_FOUND when there is no such one."""
    turn = find_turn(conn, turn_id)
    if turn is None:
        raise GroupXError(
            ErrorCode.NOT_FOUND, f"There is no turn '{turn_id}'; nothing was changed."
        )
    return turn


def is_observer(conn: sqlite3.Connection, turn_id: str) -> bool:
    """Whether the turn watches another one's work."""
    return conn.execute(_IS_OBSERVER, (turn_id,)).fetchone() is not None


def must_change(cursor: sqlite3.Cursor, what: str) -> None:
    """The compare half of a compare-and-set: exactly one row, else STORE_CONFLICT."""
    if cursor.rowcount != 1:
        raise GroupXError(
            ErrorCode.STORE_CONFLICT,
            f"{what} is no longer what this change was made for; nothing was changed.",
        )
