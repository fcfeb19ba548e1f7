"""Withdraw, replace: a message is taken back while nobody has begun to work on it."""

from groupx.domain.commands import (
    AcceptedMessage,
    CancelAnswer,
    WithdrawAnswer,
    WithdrawCommand,
)
from groupx.domain.envelope import EventDraft, Provenance
from groupx.domain.errors import ErrorCode, GroupXError
from groupx.domain.ids import OPERATOR_BINDING
from groupx.domain.ledger import TerminalCommand
from groupx.domain.outcomes import Cause
from groupx.domain.supervision import PairedTurn, Supervision, resolve_pair
from groupx.domain.turns import TurnStatus
from groupx.store.attempt_rows import open_attempt
from groupx.store.command_rows import accepted_from, first_result, remember, sender_instance
from groupx.store.ending import end_turn
from groupx.store.enqueue import Message, Wake, check_content, new_root
from groupx.store.messages import StoredMessage, get_message, withdrawal_key, withdrawal_of
from groupx.store.queries.rooms import active_room
from groupx.store.summary_rows import retract_summaries_of
from groupx.store.supervision import enqueue_watched
from groupx.store.supervision_rows import members, pair_of_task
from groupx.store.transaction import Transaction
from groupx.store.transactions.cancel import cancel_turn
from groupx.store.turn_rows import TurnRow, get_turn

_TURNS = "SELECT turn_id FROM turns WHERE source_event_id = ? ORDER BY enqueue_seq"


def withdraw(tx: Transaction, command: WithdrawCommand) -> WithdrawAnswer:
    """Cancel the message's turns and mark it withdrawn; TURN_NOT_QUEUED once any has begun.

    Whoever was to watch them has nothing to watch: its turn is cancelled too, begun or not.
    """
    known = first_result(tx, command.key)
    if known is not None:
        return WithdrawAnswer(
            message_event_id=known["messageEventId"],
            turns=tuple(
                _answer(get_turn(tx.conn, item["turnId"]), TurnStatus(item["status"]))
                for item in known["turns"]
            ),
        )
    instance_id = sender_instance(tx, command.key, command.actor_id)
    message, turns = _still_queued(tx, command)
    answer = _take_back(tx, message, turns, command, instance_id, replaced_by=None)
    remember(tx, command.key, answer)
    return answer


def replace(tx: Transaction, command: WithdrawCommand) -> AcceptedMessage:
    """Withdraw the message and say `replacement` to the same agents, watched by the same ones;
    refusals of both."""
    known = first_result(tx, command.key)
    if known is not None:
        return accepted_from(known)
    instance_id = sender_instance(tx, command.key, command.actor_id)
    content = command.replacement or ""
    check_content(content, command.limits)
    message, turns = _still_queued(tx, command)
    names = tuple(turn.target_actor_id for turn in turns)
    watched = _supervision(tx, message)
    addressed, observers = resolve_pair(names, watched, command.roster, caller=command.actor_id)
    event_id = tx.ids.new("evt")
    _take_back(tx, message, turns, command, instance_id, replaced_by=event_id)
    answer = enqueue_watched(
        tx,
        Message(
            room_id=message.room_id,
            actor_id=command.actor_id,
            instance_id=instance_id,
            body={"content": content},
            provenance=_provenance(command),
            lineage=new_root(tx),
            reply_to_event_id=message.reply_to_event_id,
            forwarded_event_id=None if message.kind == "retry" else message.forwarded_event_id,
        ),
        Wake(
            targets=addressed.targets,
            transport=command.transport,
            trigger_kind="control" if _by_operator(command) else "user",
            limits=command.limits,
        ),
        observers,
        event_id=event_id,
    )
    remember(tx, command.key, answer)
    return answer


def _still_queued(
    tx: Transaction, command: WithdrawCommand
) -> tuple[StoredMessage, tuple[TurnRow, ...]]:
    """The caller's own message, all of whose turns wait."""
    message = get_message(tx.conn, command.message_event_id)
    if message.actor_id != command.actor_id or message.room_id != active_room(tx.conn):
        raise GroupXError(
            ErrorCode.STORE_CONFLICT,
            "Only the author can take a message back, and only in the active room; "
            "nothing was changed.",
        )
    turns = _turns(tx, message.event_id)
    withdrawal = withdrawal_of(tx.conn, message)
    if withdrawal is not None:
        raise _withdrawn_before(withdrawal.get("replacedByEventId"))
    begun = [turn for turn in turns if turn.status is not TurnStatus.QUEUED]
    if begun or not turns:
        raise _not_waiting(begun)
    return message, turns


def _withdrawn_before(replaced_by: str | None) -> GroupXError:
    if replaced_by is None:
        return GroupXError(
            ErrorCode.TURN_NOT_QUEUED,
            "This message was withdrawn already; nothing was changed. Send a new one instead.",
        )
    return GroupXError(
        ErrorCode.TURN_NOT_QUEUED,
        "This message was replaced already; nothing was changed. Change the one that replaced it.",
        replacedByEventId=replaced_by,
    )


def _not_waiting(begun: list[TurnRow]) -> GroupXError:
    if any(not turn.ended for turn in begun):
        said = (
            "An agent has already taken this message, so it cannot be taken back; nothing was "
            "changed. Cancel the turns instead."
        )
    else:
        said = (
            "What this message asked for has ended for at least one agent, or it asked nobody, so "
            "it cannot be taken back; nothing was changed. Send a new message instead."
        )
    turns = [turn.turn_id for turn in begun]
    return GroupXError(ErrorCode.TURN_NOT_QUEUED, said, turns=turns)


def _turns(tx: Transaction, message_event_id: str) -> tuple[TurnRow, ...]:
    found = tx.conn.execute(_TURNS, (message_event_id,)).fetchall()
    return tuple(get_turn(tx.conn, turn_id) for (turn_id,) in found)


def _take_back(
    tx: Transaction,
    message: StoredMessage,
    turns: tuple[TurnRow, ...],
    command: WithdrawCommand,
    instance_id: str,
    *,
    replaced_by: str | None,
) -> WithdrawAnswer:
    answers: list[CancelAnswer] = []
    for turn in turns:
        attempt = open_attempt(tx.conn, turn.turn_id)
        end = TerminalCommand(
            turn_id=turn.turn_id,
            attempt_id=attempt and attempt.attempt_id,
            cause=Cause.WITHDRAWN,
        )
        answers.append(_answer(turn, end_turn(tx, turn, attempt, end).status))
    for watch in _observers(tx, message):
        turn = get_turn(tx.conn, watch.turn_id)
        answers.append(_answer(turn, cancel_turn(tx, turn)))
    retract_summaries_of(tx, message.room_id, message.seq)
    body = {"messageEventId": message.event_id}
    if replaced_by is not None:
        body["replacedByEventId"] = replaced_by
    tx.emit(
        EventDraft(
            type="message.withdrawn",
            room_id=message.room_id,
            actor_id=command.actor_id,
            correlation_id=message.correlation_id,
            body=body,
            instance_id=instance_id,
            causation_id=message.event_id,
            idempotency_key=withdrawal_key(message.event_id),
            provenance=_provenance(command),
        )
    )
    return WithdrawAnswer(message_event_id=message.event_id, turns=tuple(answers))


def _observers(tx: Transaction, message: StoredMessage) -> tuple[PairedTurn, ...]:
    """The turns that were to watch this message's work."""
    pair_id = pair_of_task(tx.conn, message.correlation_id, message.event_id)
    if pair_id is None:
        return ()
    return tuple(member.turn for member in members(tx.conn, pair_id, "observer"))


def _supervision(tx: Transaction, message: StoredMessage) -> Supervision | None:
    names = tuple(turn.actor_id for turn in _observers(tx, message))
    return Supervision(observers=names) if names else None


def _answer(turn: TurnRow, status: TurnStatus) -> CancelAnswer:
    return CancelAnswer(turn_id=turn.turn_id, status=status, target_actor_id=turn.target_actor_id)


def _by_operator(command: WithdrawCommand) -> bool:
    return command.key.binding_id == OPERATOR_BINDING


def _provenance(command: WithdrawCommand) -> Provenance:
    return Provenance(source_kind="operator" if _by_operator(command) else "web")
