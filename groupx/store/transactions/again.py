"""Again: an ended turn is tried once more, or told to go on, as a new message and a new turn."""

from typing import Any

from groupx.domain.commands import AcceptedMessage, AgainCommand
from groupx.domain.envelope import Provenance
from groupx.domain.errors import ErrorCode, GroupXError
from groupx.domain.ids import OPERATOR_BINDING
from groupx.domain.roster import resolve_targets
from groupx.domain.turns import TurnStatus
from groupx.store.command_rows import accepted_from, first_result, remember, sender_instance
from groupx.store.enqueue import Lineage, Message, Wake, check_content, enqueue
from groupx.store.messages import StoredMessage, get_message, is_withdrawn
from groupx.store.queries.rooms import active_room
from groupx.store.transaction import Transaction
from groupx.store.turn_rows import TurnRow, get_turn, is_observer

CONTINUE = "continue"
_OPEN_RETRY = """
SELECT t.turn_id FROM turns t JOIN events e ON e.event_id = t.source_event_id
WHERE t.target_actor_id = ? AND t.caused_by_turn_id = ?
  AND t.status IN ('queued', 'dispatching', 'running', 'cancelling')
  AND json_extract(e.body_json, '$.kind') = 'retry'
"""


def again(tx: Transaction, command: AgainCommand) -> AcceptedMessage:
    """The new message and turn. STORE_CONFLICT for a turn that is open, one that is being tried
    again already, or a retry of a completed one or of a withdrawn message;
    SUPERVISION_PAIR_INVALID for a watch turn; else as `accept`."""
    known = first_result(tx, command.key)
    if known is not None:
        return accepted_from(known)
    turn = get_turn(tx.conn, command.turn_id)
    _check_turn(tx, turn, command)
    targets = resolve_targets(
        (turn.target_actor_id,), command.roster, caller=command.actor_id
    ).targets
    source = get_message(tx.conn, turn.source_event_id)
    message = Message(
        room_id=turn.room_id,
        actor_id=command.actor_id,
        instance_id=sender_instance(tx, command.key, command.actor_id),
        provenance=Provenance(
            source_kind="operator" if command.key.binding_id == OPERATOR_BINDING else "web"
        ),
        lineage=Lineage(
            correlation_id=turn.correlation_id,
            root_correlation_id=tx.ids.new("corr"),
            causation_id=turn.turn_id,
        ),
        **_said(tx, turn, source, command),
    )
    check_content(message.body["content"], command.limits)
    wake = Wake(
        targets=targets,
        transport=command.transport,
        trigger_kind="user",
        limits=command.limits,
        caused_by_turn_id=turn.turn_id,
    )
    event, turns = enqueue(tx, message, wake)
    answer = AcceptedMessage(
        message_event_id=event.event_id, correlation_id=event.correlation_id, turns=turns
    )
    remember(tx, command.key, answer)
    return answer


def _said(
    tx: Transaction, turn: TurnRow, source: StoredMessage, command: AgainCommand
) -> dict[str, Any]:
    """What the new message says and points to."""
    if command.kind == "continue":
        return {
            "body": {"kind": "continue", "content": CONTINUE},
            "reply_to_event_id": source.event_id,
        }
    original = source
    if source.kind == "retry" and source.forwarded_event_id is not None:
        original = get_message(tx.conn, source.forwarded_event_id)
    if is_withdrawn(tx.conn, original):
        raise GroupXError(
            ErrorCode.STORE_CONFLICT,
            "The message of this turn was withdrawn, so it is not sent again. Write a new one.",
        )
    return {
        "body": {"kind": "retry", "retryOfTurnId": turn.turn_id, "content": original.content},
        "reply_to_event_id": original.reply_to_event_id,
        "forwarded_event_id": original.event_id,
    }


def _check_turn(tx: Transaction, turn: TurnRow, command: AgainCommand) -> None:
    if is_observer(tx.conn, turn.turn_id):
        raise GroupXError(
            ErrorCode.SUPERVISION_PAIR_INVALID,
            "A watch turn belongs to the work it watched; nothing was sent. "
            "Start a new pair instead.",
        )
    if turn.room_id != active_room(tx.conn):
        raise GroupXError(
            ErrorCode.STORE_CONFLICT, "This turn's room is read-only; nothing was sent."
        )
    if not turn.ended:
        raise GroupXError(
            ErrorCode.STORE_CONFLICT,
            f"The turn is still {turn.status}; nothing was sent. Cancel it or wait for its end.",
        )
    if command.kind == "retry" and turn.status is TurnStatus.COMPLETED:
        raise GroupXError(
            ErrorCode.STORE_CONFLICT,
            "The turn completed, so there is nothing to retry; nothing was sent. "
            "Continue it, or write a new message.",
        )
    if command.kind == "retry":
        _check_alone(tx, turn)


def _check_alone(tx: Transaction, turn: TurnRow) -> None:
    """Two who press the button, or two tabs, mean one more try and not two."""
    row = tx.conn.execute(_OPEN_RETRY, (turn.target_actor_id, turn.turn_id)).fetchone()
    if row is not None:
        raise GroupXError(
            ErrorCode.STORE_CONFLICT,
            "This is being sent again already; nothing was sent a second time. Wait for that "
            "turn's end, or cancel it.",
            turnId=row[0],
        )
