"""Accept: a message and the turns that it wakes, all or nothing, once per client command."""

from groupx.domain.commands import AcceptCommand, AcceptedMessage
from groupx.domain.errors import ErrorCode, GroupXError
from groupx.domain.ids import RoomId
from groupx.domain.roster import EVERYONE, RosterEntry
from groupx.domain.supervision import resolve_pair
from groupx.store.ancestry import Ancestry, ancestry
from groupx.store.claim_rows import open_claims
from groupx.store.command_rows import accepted_from, first_result, remember, sender_instance
from groupx.store.enqueue import Message, Wake, called_from, check_content, new_root
from groupx.store.loop_limits import first_reached
from groupx.store.loop_stop import Refused, refuse_call
from groupx.store.queries.rooms import active_room
from groupx.store.supervision import enqueue_watched
from groupx.store.supervision_watch import refuse_messages_to_watched
from groupx.store.transaction import Transaction

_IN_ROOM = "SELECT 1 FROM events WHERE event_id = ? AND room_id = ?"


def accept(tx: Transaction, command: AcceptCommand) -> AcceptedMessage:
    """Write the message, its turns and the command.

    CLIENT_COMMAND_CONFLICT, what `resolve_pair` refuses, NOT_FOUND, MESSAGE_TOO_LARGE,
    QUEUE_CAPACITY_REACHED; for a call out of a running turn also
    SESSION_NOT_AVAILABLE, SUPERVISION_STEER_REQUIRED, CAUSAL_CYCLE and the loop limits: such a
    refusal is on record, for the user to overrule.
    """
    known = first_result(tx, command.key)
    if known is not None:
        return accepted_from(known)
    instance_id = sender_instance(tx, command.key, command.actor_id)
    addressed, observers = resolve_pair(
        command.to, command.supervision, command.roster, caller=command.actor_id
    )
    room_id = active_room(tx.conn)
    for event_id in (command.reply_to_event_id, command.forwarded_event_id):
        must_be_in_room(tx, room_id, event_id)
    check_content(command.content, command.limits)
    calling = None
    if command.parent_turn_id is not None:
        calling = ancestry(tx.conn, command.parent_turn_id, command.actor_id)
        _check_call(tx, command, calling, addressed.targets, observers)
    message = Message(
        room_id=room_id,
        actor_id=command.actor_id,
        instance_id=instance_id,
        body={"content": command.content},
        provenance=command.provenance,
        lineage=new_root(tx) if calling is None else called_from(calling.parent),
        reply_to_event_id=command.reply_to_event_id,
        forwarded_event_id=command.forwarded_event_id,
    )
    wake = Wake(
        targets=addressed.targets,
        transport=command.transport,
        trigger_kind=command.trigger_kind,
        limits=command.limits,
    )
    answer = enqueue_watched(tx, message, wake, observers, skipped=addressed.skipped)
    if command.wake_me and command.parent_turn_id is not None:
        children = [turn.turn_id for turn in answer.turns]
        open_claims(tx, command.parent_turn_id, children, waits=command.waits)
    remember(tx, command.key, answer)
    return answer


def must_be_in_room(tx: Transaction, room_id: RoomId, event_id: str | None) -> None:
    """NOT_FOUND when an event that a message points to is not in the room."""
    if event_id is None or tx.conn.execute(_IN_ROOM, (event_id, room_id)).fetchone():
        return
    raise GroupXError(
        ErrorCode.NOT_FOUND,
        f"There is no event '{event_id}' in this room to refer to; nothing was sent.",
        eventId=event_id,
    )


def _check_call(
    tx: Transaction,
    command: AcceptCommand,
    chain: Ancestry,
    targets: tuple[RosterEntry, ...],
    observers: tuple[RosterEntry, ...],
) -> None:
    """Refuse what may not be called out of the turn at the end of `chain`."""
    woken = (*targets, *observers)
    refuse_messages_to_watched(tx.conn, chain.parent.turn_id, woken)
    if command.waits:
        for target in targets:
            if target.actor_id in chain.actors:
                raise GroupXError(
                    ErrorCode.CAUSAL_CYCLE,
                    f"{target.actor_id} is above this call in its chain: what it did led here, so "
                    "it may wait for you. Nothing was sent; `send` reaches it without waiting.",
                    target=target.actor_id,
                )
    stopped = first_reached(tx.conn, chain.parent, woken, command.limits)
    if stopped is not None:
        refused = _refused(command, targets)
        raise refuse_call(tx, chain.parent, command.key, refused, stopped)


def _refused(command: AcceptCommand, targets: tuple[RosterEntry, ...]) -> Refused:
    """The whole call, for the case that the user lets it go on."""
    everyone = EVERYONE in command.to
    return Refused(
        command_type=command.key.command_type,
        actor_id=command.actor_id,
        to=(EVERYONE,) if everyone else tuple(target.actor_id for target in targets),
        content=command.content,
        reply_to_event_id=command.reply_to_event_id,
        forwarded_event_id=command.forwarded_event_id,
        wake_me=command.wake_me or None,
        observers=command.supervision and command.supervision.observers,
    )
