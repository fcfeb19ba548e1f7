"""What the end of a called turn means for a caller that asked to be woken: at most one turn."""

from collections.abc import Mapping
from types import MappingProxyType

import attrs

from groupx.domain.completion import CompletionClaim
from groupx.domain.envelope import Provenance
from groupx.domain.errors import ErrorCode, GroupXError
from groupx.domain.ids import SYSTEM
from groupx.domain.roster import RosterEntry
from groupx.domain.turns import TurnStatus
from groupx.store.claim_rows import decide, find_claim
from groupx.store.enqueue import Message, Wake, called_from, enqueue
from groupx.store.loop_limits import check_loop_limits
from groupx.store.loop_stop import CALLBACK, Refused, record_loop_stop
from groupx.store.serving import is_served
from groupx.store.transaction import Transaction
from groupx.store.turn_rows import TurnRow, get_turn

_IS_ACTIVE = "SELECT active FROM rooms WHERE room_id = ?"
_LIMITS = frozenset(
    {
        ErrorCode.HOP_LIMIT_REACHED,
        ErrorCode.ROOT_TURN_LIMIT_REACHED,
        ErrorCode.ACTOR_CALL_LIMIT_REACHED,
        ErrorCode.QUEUE_CAPACITY_REACHED,
    }
)
_SAID: Mapping[TurnStatus, str] = MappingProxyType(
    {
        TurnStatus.COMPLETED: "has answered",
        TurnStatus.FAILED: "has failed at",
        TurnStatus.CANCELLED: "was stopped in",
        TurnStatus.INTERRUPTED: "was interrupted in",
    }
)


@attrs.frozen(kw_only=True)
class ChildEnd:
    """How a called turn ended."""

    turn: TurnRow
    status: TurnStatus
    code: str | None
    response_event_id: str | None


def settle_claim(tx: Transaction, end: ChildEnd) -> str | None:
    """Decide who takes this end, in the transaction that writes it.

    A call that waits for it out of a turn that still runs; otherwise a callback, unless a limit
    is reached: then there is none, and the room shows why. The answer is a callback's turn that
    nobody of this run takes: its agent is gone.
    """
    claim = find_claim(tx.conn, end.turn.turn_id)
    if claim is None or claim.state != "open":
        return None
    waiter = get_turn(tx.conn, claim.waiter_turn_id)
    if claim.owner == "inline" and not waiter.ended:
        decide(tx, claim, "inline", "inline")
    elif not tx.conn.execute(_IS_ACTIVE, (waiter.room_id,)).fetchone()[0]:
        decide(tx, claim, "cancelled", "callback")
    else:
        callback = _call_back(tx, claim, waiter, end)
        return None if is_served(tx.conn, waiter.target_actor_id) else callback
    return None


def _call_back(
    tx: Transaction, claim: CompletionClaim, waiter: TurnRow, end: ChildEnd
) -> str | None:
    caller = RosterEntry(actor_id=waiter.target_actor_id, adapter_id=waiter.adapter_id)
    message = _message(waiter, end)
    wake = Wake(
        targets=(caller,),
        transport=waiter.transport,
        trigger_kind="automatic",
        limits=tx.limits,
        caused_by_turn_id=end.turn.turn_id,
    )
    try:
        check_loop_limits(tx.conn, waiter, wake.targets, tx.limits)
        _, (turn,) = enqueue(tx, message, wake)
    except GroupXError as error:
        if error.code not in _LIMITS:
            raise
        _give_up(tx, claim, waiter, message, error)
        return None
    decide(tx, claim, "queued", "callback", callback_turn_id=turn.turn_id)
    return turn.turn_id


def _give_up(
    tx: Transaction, claim: CompletionClaim, waiter: TurnRow, message: Message, error: GroupXError
) -> None:
    full = error.code is ErrorCode.QUEUE_CAPACITY_REACHED
    decide(tx, claim, "cancelled", "callback")
    record_loop_stop(
        tx,
        waiter,
        Refused(
            command_type=CALLBACK,
            actor_id=SYSTEM,
            to=(waiter.target_actor_id,),
            content=message.body["content"],
            reply_to_event_id=message.reply_to_event_id,
            child_turn_id=claim.child_turn_id,
        ),
        limit="queuePerAgent" if full else error.details["limit"],
        bound=tx.limits.queue_per_agent if full else error.details["bound"],
        caused_by=claim.child_turn_id,
    )


def callback_message(
    waiter: TurnRow, child: TurnRow, content: str, reply_to_event_id: str | None
) -> Message:
    """What the waiter is told of the child's end; there is at most one such message of a child."""
    return Message(
        room_id=waiter.room_id,
        actor_id=SYSTEM,
        body={"kind": CALLBACK, "childTurnId": child.turn_id, "content": content},
        provenance=Provenance(
            source_kind="system",
            author_actor_id=SYSTEM,
            subject_actor_id=child.target_actor_id,
            source_event_id=child.source_event_id,
        ),
        lineage=called_from(waiter, causation_id=child.turn_id),
        reply_to_event_id=reply_to_event_id,
        idempotency_key=f"callback:{child.turn_id}",
    )


def _message(waiter: TurnRow, end: ChildEnd) -> Message:
    child = end.turn
    how = "" if end.code is None else f" ({end.code})"
    return callback_message(
        waiter,
        child,
        f"{child.target_actor_id} {_SAID[end.status]} what you sent it{how}. "
        "You asked to be woken when it ended.",
        end.response_event_id or child.source_event_id,
    )
