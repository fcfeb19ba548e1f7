"""Calls that wait for turns, or come for what they gave, against callbacks: one gets it."""

from groupx.domain.completion import ClaimInline, CompletionClaim, ReleaseInline
from groupx.domain.errors import ErrorCode, GroupXError
from groupx.domain.ledger import TerminalCommand
from groupx.domain.outcomes import Cause
from groupx.domain.turns import TurnStatus
from groupx.store.attempt_rows import open_attempt
from groupx.store.claim_rows import decide, find_claim, set_waiting
from groupx.store.ending import end_turn
from groupx.store.transaction import Transaction
from groupx.store.turn_rows import TurnRow, get_turn

COLLECTED = "collected"
"""The reason shown of a callback turn that was taken back."""


def claim_inline(tx: Transaction, command: ClaimInline) -> tuple[CompletionClaim, ...]:
    """Where the claims on these turns stand now; turns that nobody asked a callback for have none.

    Of a turn that is open, the waiter's own call takes the end when it comes. Of one that has
    ended, a callback that is still queued is taken back; one that was dispatched goes on, and
    its result may be read all the same. SESSION_NOT_AVAILABLE, MCP_BINDING_MISMATCH.
    """
    by = get_turn(tx.conn, command.by_turn_id)
    if not by.at_work:
        raise GroupXError(
            ErrorCode.SESSION_NOT_AVAILABLE,
            "The turn that this call belongs to is not running; nothing was changed.",
        )
    for claim in _claims(tx, by, command.child_turn_ids):
        if claim.state == "open" and claim.waiter_turn_id == by.turn_id:
            set_waiting(tx, claim.child_turn_id, waits=True)
        elif claim.state == "queued" and claim.callback_turn_id is not None:
            _take_back(tx, claim, get_turn(tx.conn, claim.callback_turn_id))
    return _claims(tx, by, command.child_turn_ids)


def release_inline(tx: Transaction, command: ReleaseInline) -> tuple[CompletionClaim, ...]:
    """Where the claims stand now: `inline` = it ended meanwhile and this call has it after all."""
    by = get_turn(tx.conn, command.by_turn_id)
    for claim in _claims(tx, by, command.child_turn_ids):
        if claim.state == "open" and claim.waiter_turn_id == by.turn_id:
            set_waiting(tx, claim.child_turn_id, waits=False)
    return _claims(tx, by, command.child_turn_ids)


def _claims(
    tx: Transaction, by: TurnRow, child_turn_ids: tuple[str, ...]
) -> tuple[CompletionClaim, ...]:
    """The claims on these turns, all of them made by this agent."""
    found = tuple(
        claim
        for child_turn_id in child_turn_ids
        if (claim := find_claim(tx.conn, child_turn_id)) is not None
    )
    for claim in found:
        waiter = get_turn(tx.conn, claim.waiter_turn_id)
        if waiter.target_actor_id != by.target_actor_id:
            raise GroupXError(
                ErrorCode.MCP_BINDING_MISMATCH,
                f"{waiter.target_actor_id} called this turn, not {by.target_actor_id}; nothing "
                "was changed.",
            )
    return found


def _take_back(tx: Transaction, claim: CompletionClaim, callback: TurnRow) -> None:
    if callback.status is not TurnStatus.QUEUED:
        return
    end = TerminalCommand(
        turn_id=callback.turn_id, attempt_id=None, cause=Cause.CANCELLED, reason=COLLECTED
    )
    end_turn(tx, callback, open_attempt(tx.conn, callback.turn_id), end)
    decide(tx, claim, "cancelled", "inline")
