"""Continue: the call that a limit stopped is made after all, in its author's name."""

from groupx.domain.commands import AcceptedMessage, ContinueRootCommand, QueuedTurnAnswer
from groupx.domain.envelope import EventDraft, Provenance, actor_kind
from groupx.domain.errors import ErrorCode, GroupXError, RecordedRefusal
from groupx.domain.ids import OPERATOR_BINDING
from groupx.domain.roster import RosterEntry
from groupx.domain.supervision import Supervision, resolve_pair
from groupx.store.callbacks import callback_message
from groupx.store.claim_rows import decide, find_claim, open_claims
from groupx.store.command_rows import accepted_from, first_result, remember, sender_instance
from groupx.store.enqueue import Message, Wake, called_from, check_content
from groupx.store.event_keys import raised_key
from groupx.store.loop_limits import measure
from groupx.store.queries.rooms import active_room
from groupx.store.stopped_calls import StoppedCall, stopped_call
from groupx.store.supervision import enqueue_watched
from groupx.store.supervision_rows import place_of
from groupx.store.supervision_steer import Guidance, guide
from groupx.store.transaction import Transaction
from groupx.store.turn_rows import get_turn


def continue_root(tx: Transaction, command: ContinueRootCommand) -> AcceptedMessage:
    """The message and the turns that the limit had refused; each stopped call goes on once.

    What stood in its way is raised for this chain, and `routing.loop_continued` says so.
    MCP_BINDING_MISMATCH when no person asks; what `stopped_call`, `resolve_pair` and
    `enqueue` refuse: then nothing is raised, and the call can still go on later.
    """
    known = first_result(tx, command.key)
    if known is not None:
        return accepted_from(known)
    instance_id = sender_instance(tx, command.key, command.by)
    if actor_kind(command.by) != "user":
        raise GroupXError(
            ErrorCode.MCP_BINDING_MISMATCH,
            "Only the user lets a stopped call go on; nothing was sent.",
        )
    stop = stopped_call(
        tx.conn, command.root_correlation_id, command.stop_event_id, active_room(tx.conn)
    )
    call = stop.refused
    watched = Supervision(observers=call.observers) if call.observers else None
    addressed, observers = resolve_pair(call.to, watched, command.roster, caller=call.actor_id)
    check_content(call.content, command.limits)
    _raise_bounds(tx, stop, (*addressed.targets, *observers), command, instance_id)
    wake = Wake(
        targets=addressed.targets,
        transport=command.transport,
        trigger_kind="automatic" if call.subject_turn_id is None else "control",
        limits=command.limits,
        caused_by_turn_id=call.child_turn_id,
    )
    if call.subject_turn_id is not None:
        answer = _steer_on(tx, stop, call.subject_turn_id, wake)
    else:
        answer = enqueue_watched(tx, _message(tx, stop), wake, observers, skipped=addressed.skipped)
    _claim_ends(tx, stop, answer.turns)
    remember(tx, command.key, answer)
    return answer


def _raise_bounds(
    tx: Transaction,
    stop: StoppedCall,
    woken: tuple[RosterEntry, ...],
    command: ContinueRootCommand,
    instance_id: str,
) -> None:
    """The bound that stopped it is raised by as much as is configured; so is every other one
    that would stop it now. Calls that one bound stopped raise it to the same height."""
    raised = {stop.limit: stop.bound}
    for it in measure(tx.conn, stop.parent, woken, command.limits):
        if it.limit == stop.limit or it.reached:
            before = stop.bound if it.limit == stop.limit else it.bound
            raised[it.limit] = max(before + it.configured, it.needed, it.bound)
    operator = command.key.binding_id == OPERATOR_BINDING
    for limit, new_bound in raised.items():
        tx.emit(
            EventDraft(
                type="routing.loop_continued",
                room_id=stop.room_id,
                actor_id=command.by,
                correlation_id=stop.correlation_id,
                body={"limit": limit, "newBound": new_bound},
                instance_id=instance_id,
                causation_id=stop.event_id,
                root_correlation_id=stop.root_correlation_id,
                parent_turn_id=stop.parent.turn_id,
                hop_count=stop.parent.hop_count,
                idempotency_key=raised_key(stop.root_correlation_id, limit, stop.event_id),
                provenance=Provenance(source_kind="operator" if operator else "web"),
            )
        )


def _message(tx: Transaction, stop: StoppedCall) -> Message:
    call = stop.refused
    if call.child_turn_id is not None:
        child = get_turn(tx.conn, call.child_turn_id)
        return callback_message(stop.parent, child, call.content, call.reply_to_event_id)
    return Message(
        room_id=stop.room_id,
        actor_id=call.actor_id,
        body={"content": call.content},
        provenance=Provenance(
            source_kind="mcp", author_actor_id=call.actor_id, source_event_id=stop.event_id
        ),
        lineage=called_from(stop.parent),
        reply_to_event_id=call.reply_to_event_id,
        forwarded_event_id=call.forwarded_event_id,
    )


def _steer_on(
    tx: Transaction, stop: StoppedCall, subject_turn_id: str, wake: Wake
) -> AcceptedMessage:
    """As a nudge: the moment to interrupt is over. STEER_LIMIT_REACHED."""
    place = place_of(tx.conn, stop.parent.turn_id)
    if place is None:
        raise GroupXError(
            ErrorCode.STORE_CONFLICT,
            "The steer that was stopped belongs to no pair any more; nothing was sent.",
        )
    guidance = Guidance(
        watch=stop.parent,
        pair_id=place.pair_id,
        subject=get_turn(tx.conn, subject_turn_id),
        action="nudge",
        reason=stop.refused.steer_reason or "",
        content=stop.refused.content,
        source_event_id=stop.event_id,
    )
    try:
        guided = guide(tx, guidance, wake)
    except RecordedRefusal as error:  # only the observer's own steer is put on record
        raise GroupXError(error.code, error.message, **error.details) from None
    return AcceptedMessage(
        message_event_id=guided.message.event_id,
        correlation_id=guided.message.correlation_id,
        turns=(guided.next_turn,),
    )


def _claim_ends(tx: Transaction, stop: StoppedCall, turns: tuple[QueuedTurnAnswer, ...]) -> None:
    """Whoever was to learn of an end still is; no call waits for it any more."""
    call = stop.refused
    if call.child_turn_id is not None:
        claim = find_claim(tx.conn, call.child_turn_id)
        if claim is not None:
            decide(tx, claim, "queued", "callback", callback_turn_id=turns[0].turn_id)
    elif call.wake_me:
        children = [turn.turn_id for turn in turns]
        open_claims(tx, stop.parent.turn_id, children, waits=False)
