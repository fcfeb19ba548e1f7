"""The operator gives work to agents: words of its own, or a message that was said before."""

from groupx.domain.commands import AcceptedMessage, DispatchCommand, DispatchEventCommand
from groupx.domain.envelope import Provenance
from groupx.domain.errors import ErrorCode, GroupXError
from groupx.domain.roster import RosterEntry
from groupx.domain.supervision import WATCH_BRIEF, resolve_pair
from groupx.store.command_rows import accepted_from, first_result, remember, sender_instance
from groupx.store.enqueue import (
    Lineage,
    Message,
    Source,
    Wake,
    check_content,
    enqueue_stored,
    new_root,
)
from groupx.store.messages import StoredMessage, get_message, is_withdrawn
from groupx.store.queries.rooms import active_room
from groupx.store.supervision import enqueue_watched, with_observers
from groupx.store.transaction import Transaction

_HAS_TURN = "SELECT 1 FROM turns WHERE source_event_id = ? AND target_actor_id = ?"


def operator_dispatch(tx: Transaction, command: DispatchCommand) -> AcceptedMessage:
    """Write the `operator.dispatch`, its turns and the command.

    CLIENT_COMMAND_CONFLICT, what `resolve_pair` refuses, MESSAGE_TOO_LARGE,
    QUEUE_CAPACITY_REACHED.
    """
    known = first_result(tx, command.key)
    if known is not None:
        return accepted_from(known)
    instance_id = sender_instance(tx, command.key, command.actor_id)
    addressed, observers = resolve_pair(
        command.to, command.supervision, command.roster, caller=command.actor_id
    )
    check_content(command.content, command.limits)
    dispatch = Message(
        type="operator.dispatch",
        room_id=active_room(tx.conn),
        actor_id=command.actor_id,
        instance_id=instance_id,
        body={
            "content": command.content,
            "operation": command.operation,
            "promptLength": len(command.content),
            "targets": [target.actor_id for target in addressed.targets],
        },
        provenance=Provenance(source_kind="operator"),
        lineage=new_root(tx),
    )
    wake = _wake(command, addressed.targets)
    answer = enqueue_watched(tx, dispatch, wake, observers, skipped=addressed.skipped)
    remember(tx, command.key, answer)
    return answer


def dispatch_event(tx: Transaction, command: DispatchEventCommand) -> AcceptedMessage:
    """Turns of a stored message, in a chain of their own; no other event is made of it.

    Refusals as `operator_dispatch`'s, and NOT_FOUND, STORE_CONFLICT for what cannot be anyone's
    work, DUPLICATE_DISPATCH for a target that has had it.
    """
    known = first_result(tx, command.key)
    if known is not None:
        return accepted_from(known)
    sender_instance(tx, command.key, command.actor_id)
    message = get_message(tx.conn, command.event_id)
    _check_message(tx, message)
    addressed, observers = resolve_pair(
        command.to, command.supervision, command.roster, caller=command.actor_id
    )
    for target in addressed.targets:
        if tx.conn.execute(_HAS_TURN, (message.event_id, target.actor_id)).fetchone():
            raise _duplicate(message, target)
    source = Source(
        event_id=message.event_id,
        room_id=message.room_id,
        correlation_id=message.correlation_id,
        author=message.actor_id,
    )
    lineage = Lineage(correlation_id=message.correlation_id, root_correlation_id=tx.ids.new("corr"))
    wake = _wake(command, addressed.targets)
    accepted = AcceptedMessage(
        message_event_id=message.event_id,
        correlation_id=message.correlation_id,
        turns=enqueue_stored(tx, source, lineage, wake),
        skipped=addressed.skipped or None,
    )
    answer = with_observers(tx, source, lineage, accepted, wake, observers=observers)
    remember(tx, command.key, answer)
    return answer


def _wake(
    command: DispatchCommand | DispatchEventCommand, targets: tuple[RosterEntry, ...]
) -> Wake:
    return Wake(
        targets=targets,
        transport=command.transport,
        trigger_kind="control",
        limits=command.limits,
    )


def _check_message(tx: Transaction, message: StoredMessage) -> None:
    if message.room_id != active_room(tx.conn):
        raise GroupXError(
            ErrorCode.NOT_FOUND,
            f"There is no message '{message.event_id}' in this room; nothing was sent.",
            eventId=message.event_id,
        )
    if message.type != "message.created" or message.kind == WATCH_BRIEF:
        raise GroupXError(
            ErrorCode.STORE_CONFLICT,
            "Only a message can be given to others as their work, and this is none; nothing was "
            "sent. Dispatch work of your own instead.",
            eventId=message.event_id,
        )
    if is_withdrawn(tx.conn, message):
        raise GroupXError(
            ErrorCode.STORE_CONFLICT,
            "This message was withdrawn, so it is not given to anyone; nothing was sent.",
            eventId=message.event_id,
        )


def _duplicate(message: StoredMessage, target: RosterEntry) -> GroupXError:
    return GroupXError(
        ErrorCode.DUPLICATE_DISPATCH,
        f"{target.actor_id} was given this message before; nothing was sent to anyone. Retry or "
        "continue its turn instead.",
        eventId=message.event_id,
        target=target.actor_id,
    )
