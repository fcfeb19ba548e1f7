"""Publish: a message that wakes nobody."""

from groupx.domain.commands import AcceptedMessage, PublishCommand
from groupx.store.ancestry import ancestry
from groupx.store.command_rows import accepted_from, first_result, remember, sender_instance
from groupx.store.enqueue import Lineage, Message, check_content, new_root, store_message
from groupx.store.queries.rooms import active_room
from groupx.store.transaction import Transaction
from groupx.store.transactions.accept import must_be_in_room


def publish(tx: Transaction, command: PublishCommand) -> AcceptedMessage:
    """Write the message and the command; no turn. Refusals as `accept`'s, without targets."""
    known = first_result(tx, command.key)
    if known is not None:
        return accepted_from(known)
    instance_id = sender_instance(tx, command.key, command.actor_id)
    room_id = active_room(tx.conn)
    must_be_in_room(tx, room_id, command.reply_to_event_id)
    check_content(command.content, command.limits)
    source = store_message(
        tx,
        Message(
            room_id=room_id,
            actor_id=command.actor_id,
            instance_id=instance_id,
            body={"content": command.content},
            provenance=command.provenance,
            lineage=_lineage(tx, command),
            reply_to_event_id=command.reply_to_event_id,
        ),
    )
    answer = AcceptedMessage(message_event_id=source.event_id, correlation_id=source.correlation_id)
    remember(tx, command.key, answer)
    return answer


def _lineage(tx: Transaction, command: PublishCommand) -> Lineage:
    if command.parent_turn_id is None:
        return new_root(tx)
    parent = ancestry(tx.conn, command.parent_turn_id, command.actor_id).parent
    return Lineage(
        correlation_id=parent.correlation_id,
        root_correlation_id=parent.root_correlation_id,
        parent_turn_id=parent.turn_id,
        hop_count=parent.hop_count,
        causation_id=parent.turn_id,
    )
