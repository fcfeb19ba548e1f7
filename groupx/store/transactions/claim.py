"""Claim: the head of a lane becomes one attempt, if all that its packet stands on still holds."""

from groupx.domain.attempts import PREPARED
from groupx.domain.errors import ErrorCode, GroupXError
from groupx.domain.ledger import ClaimCommand, Claimed, LaneHead
from groupx.domain.limits import MAX_PACKET_RECORD_BYTES
from groupx.domain.turns import TurnEvent, next_status
from groupx.store.context_floor import reset_floor
from groupx.store.queries.lane import lane_head
from groupx.store.summary_rows import active_summary_through
from groupx.store.transaction import Transaction
from groupx.store.transactions.invoke import invoke
from groupx.store.turn_events import by_system
from groupx.store.turn_rows import TurnRow, get_turn, must_change
from groupx.store.usage_rows import packet_claimed

_BINDING = """
SELECT 1 FROM session_bindings
WHERE binding_id = ? AND instance_id = ? AND actor_id = ? AND transport = ? AND closed_at IS NULL
"""
_TAKE = """
UPDATE turns SET status = ?, binding_id = ?
WHERE turn_id = ? AND status = ? AND terminal_event_id IS NULL
"""
_NEW_ATTEMPT = """
INSERT INTO turn_attempts (attempt_id, turn_id, binding_id, instance_id, context_through_seq,
  summary_through_seq, dispatch_phase, delivery_certainty, claimed_at, packet_json)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
"""


def claim(tx: Transaction, command: ClaimCommand) -> Claimed:
    """queued → dispatching with a new attempt; with `invoke`, its prompt may leave at once.

    STORE_CONFLICT when the turn is not its lane's head any more; with `stale=True` in the
    details when only the packet has to be built again, or the session opened again, since the
    room or its sessions were reset. TRANSPORT_MODE_MISMATCH, SESSION_NOT_AVAILABLE.
    """
    turn = get_turn(tx.conn, command.turn_id)
    status = next_status(turn.status, TurnEvent.CLAIM)
    _check_session(tx, turn, command)
    _check_era(_check_head(tx, turn), command)
    _check_fresh(tx, turn, command)
    attempt_id = tx.ids.new("attempt")
    must_change(
        tx.conn.execute(_TAKE, (status, command.binding_id, turn.turn_id, turn.status)),
        f"Turn '{turn.turn_id}'",
    )
    tx.conn.execute(
        _NEW_ATTEMPT,
        (
            attempt_id, turn.turn_id, command.binding_id, command.instance_id,
            command.context_through_seq, command.summary_through_seq, *PREPARED, tx.now,
            command.packet_json,
        ),
    )  # fmt: skip
    if command.packet_characters is not None:
        packet_claimed(tx, turn, command.packet_characters)
    by_system(
        tx,
        turn,
        "turn.dispatched",
        {
            "turnId": turn.turn_id,
            "attemptId": attempt_id,
            "targetActorId": turn.target_actor_id,
        },
        key=f"dispatched:{attempt_id}",
        to=(turn.target_actor_id,),
    )
    return Claimed(attempt_id=attempt_id, invoked=command.invoke and invoke(tx, attempt_id))


def _check_session(tx: Transaction, turn: TurnRow, command: ClaimCommand) -> None:
    if turn.transport != command.expected_transport:
        raise GroupXError(
            ErrorCode.TRANSPORT_MODE_MISMATCH,
            f"Turn '{turn.turn_id}' was accepted for transport '{turn.transport}', this run "
            f"uses '{command.expected_transport}'; it was not sent.",
        )
    session = (command.binding_id, command.instance_id, turn.target_actor_id, turn.transport)
    if not tx.conn.execute(_BINDING, session).fetchone():
        raise GroupXError(
            ErrorCode.SESSION_NOT_AVAILABLE,
            f"{turn.target_actor_id} has no open session '{command.binding_id}'; the turn "
            "stays queued.",
        )
    if len((command.packet_json or "").encode()) > MAX_PACKET_RECORD_BYTES:
        raise ValueError(f"a packet's record is at most {MAX_PACKET_RECORD_BYTES} bytes")


def _check_head(tx: Transaction, turn: TurnRow) -> LaneHead:
    head = lane_head(tx.conn, turn.target_actor_id)
    if head is None or head.turn_id != turn.turn_id:
        raise GroupXError(
            ErrorCode.STORE_CONFLICT,
            f"Turn '{turn.turn_id}' is not the next of its lane; it stays queued.",
        )
    return head


def _check_era(head: LaneHead, command: ClaimCommand) -> None:
    if head.era != command.era:
        raise GroupXError(
            ErrorCode.STORE_CONFLICT,
            "The agents' sessions were reset, or another room was opened, while the turn was "
            "prepared: its session knows what it is not to know, so it needs a new one. Nothing "
            "was sent.",
            stale=True,
        )


def _check_fresh(tx: Transaction, turn: TurnRow, command: ClaimCommand) -> None:
    summary = command.summary_through_seq
    embedded_holds = summary is None or (
        summary == active_summary_through(tx.conn, turn.room_id)
        and summary <= command.context_through_seq
    )
    if embedded_holds and reset_floor(tx.conn, turn.room_id) == command.reset_through_seq:
        return
    raise GroupXError(
        ErrorCode.STORE_CONFLICT,
        "The room's checkpoint or reset moved while the packet was built; it must be built "
        "again. Nothing was sent.",
        stale=True,
    )
