"""Steer: an observer guides the worker it watches, and may stop the worker's turn for it."""

from collections.abc import Mapping
from typing import Any

from groupx.domain.errors import ErrorCode, GroupXError
from groupx.domain.ids import ActorId
from groupx.domain.roster import RosterEntry, resolve_targets
from groupx.domain.steering import SteerCommand, Steered, check_reason
from groupx.domain.turns import TurnStatus
from groupx.store.command_rows import first_result, remember, sender_instance, turns_from
from groupx.store.enqueue import Wake, check_content
from groupx.store.loop_limits import first_reached
from groupx.store.loop_stop import Refused, refuse_call
from groupx.store.supervision_rows import steer_count
from groupx.store.supervision_steer import Guidance, guide
from groupx.store.supervision_watch import subject_of, watching
from groupx.store.transaction import Transaction
from groupx.store.transactions.cancel import cancel_turn
from groupx.store.turn_rows import TurnRow, get_turn


def steer(tx: Transaction, command: SteerCommand) -> Steered:
    """Count it, write guidance, `supervision.steered` and the worker's next turn; an interrupt
    also cancels the subject.

    INVALID_ENVELOPE, MESSAGE_TOO_LARGE, SUPERVISION_WATCH_REQUIRED, SUPERVISION_PAIR_INVALID,
    TARGET_NOT_RUNNING for an interrupt of what has ended, what `resolve_targets` refuses, the loop
    limits (on record, as for `accept`), STEER_LIMIT_REACHED, QUEUE_CAPACITY_REACHED.
    """
    known = first_result(tx, command.key)
    if known is not None:
        return _steered_from(known)
    instance_id = sender_instance(tx, command.key, command.actor_id)
    check_reason(command.reason)
    check_content(command.content, command.limits)
    watch = watching(tx.conn, command.watch_turn_id, command.actor_id)
    member = subject_of(watch, command.subject_turn_id, ended_too=False)
    subject = get_turn(tx.conn, member.turn.turn_id)
    if command.action == "interrupt" and subject.ended:
        raise _has_ended(subject)
    targets = resolve_targets(
        (subject.target_actor_id,), command.roster, caller=command.actor_id
    ).targets
    guidance = Guidance(
        watch=watch.turn,
        pair_id=watch.pair_id,
        subject=subject,
        action=command.action,
        reason=command.reason,
        content=command.content,
        instance_id=instance_id,
    )
    _check_loop(tx, command, guidance, targets)
    wake = Wake(
        targets=targets,
        transport=command.transport,
        trigger_kind="control",
        limits=command.limits,
    )
    guided = guide(tx, guidance, wake)
    status = subject.status
    if command.action == "interrupt":
        status = cancel_turn(tx, subject)
    answer = Steered(
        message_event_id=guided.message.event_id,
        steered_event_id=guided.steered.event_id,
        pair_id=watch.pair_id,
        action=command.action,
        subject_turn_id=subject.turn_id,
        subject_actor_id=subject.target_actor_id,
        subject_status=status,
        next_turn=guided.next_turn,
        steer_count=steer_count(tx.conn, subject.turn_id),
        steer_limit=command.limits.steers_per_subject_turn,
    )
    remember(tx, command.key, answer)
    return answer


def _has_ended(subject: TurnRow) -> GroupXError:
    return GroupXError(
        ErrorCode.TARGET_NOT_RUNNING,
        f"{subject.target_actor_id}'s turn is {subject.status} already, so there is nothing to "
        "interrupt; nothing was sent. Nudge instead, or watch a later turn of the pair.",
        subjectTurnId=subject.turn_id,
        status=str(subject.status),
    )


def _check_loop(
    tx: Transaction, command: SteerCommand, guidance: Guidance, targets: tuple[RosterEntry, ...]
) -> None:
    stopped = first_reached(tx.conn, guidance.watch, targets, command.limits)
    if stopped is None:
        return
    refused = Refused(
        command_type=command.key.command_type,
        actor_id=command.actor_id,
        to=(guidance.subject.target_actor_id,),
        content=command.content,
        steer_reason=command.reason,
        subject_turn_id=guidance.subject.turn_id,
    )
    raise refuse_call(tx, guidance.watch, command.key, refused, stopped)


def _steered_from(result: Mapping[str, Any]) -> Steered:
    (next_turn,) = turns_from([result["nextTurn"]])
    return Steered(
        message_event_id=result["messageEventId"],
        steered_event_id=result["steeredEventId"],
        pair_id=result["pairId"],
        action=result["action"],
        subject_turn_id=result["subjectTurnId"],
        subject_actor_id=ActorId(result["subjectActorId"]),
        subject_status=TurnStatus(result["subjectStatus"]),
        next_turn=next_turn,
        steer_count=result["steerCount"],
        steer_limit=result["steerLimit"],
    )
