"""Continue: the call that a limit stopped is made after all, in its author's name."""

from groupx.domain.commands import AcceptedMessage, ContinueRootCommand, QueuedTurnAnswer
from groupx.domain.envelope import EventDraft, Provenance, actor_kind
from groupx.domain.errors import ErrorCode, GroupXError
from groupx.domain.ids import OPERATOR_BINDING
from groupx.domain.roster import Addressed, resolve_targets
from groupx.store.callbacks import callback_message
from groupx.store.claim_rows import decide, find_claim, open_claims
from groupx.store.command_rows import accepted_from, first_result, remember, sender_instance
from groupx.store.enqueue import Message, Wake, called_from, check_content, enqueue
from groupx.store.loop_limits import measure, raised_key
from groupx.store.queries.rooms import active_room
from groupx.store.stopped_calls import StoppedCall, stopped_call
from groupx.store.transaction import Transaction
from groupx.store.turn_rows import get_turn


def continue_root(tx: Transaction, command: ContinueRootCommand) -> AcceptedMessage:
    """The message and the turns that the limit had refused; each stopped call goes on once.

    What stood in its way is raised for this chain, and `routing.loop_continued` says so.
    MCP_BINDING_MISMATCH when no person asks; what `stopped_call`, `resolve_targets` and
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
    addressed = resolve_targets(call.to, command.roster, caller=call.actor_id)
    check_content(call.content, command.limits)
    _raise_bounds(tx, stop, addressed, command, instance_id)
    wake = Wake(
        targets=addressed.targets,
        transport=command.transport,
        trigger_kind="automatic",
        limits=command.limits,
        caused_by_turn_id=call.child_turn_id,
    )
    source, turns = enqueue(tx, _message(tx, stop), wake)
    _claim_ends(tx, stop, turns)
    answer = AcceptedMessage(
        message_event_id=source.event_id,
        correlation_id=source.correlation_id,
        turns=turns,
        skipped=addressed.skipped or None,
    )
    remember(tx, command.key, answer)
    return answer


def _raise_bounds(
    tx: Transaction,
    stop: StoppedCall,
    addressed: Addressed,
    command: ContinueRootCommand,
    instance_id: str,
) -> None:
    """The bound that stopped it is raised by as much as is configured; so is every other one
    that would stop it now. Calls that one bound stopped raise it to the same height."""
    raised = {stop.limit: stop.bound}
    for it in measure(tx.conn, stop.parent, addressed.targets, command.limits):
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
