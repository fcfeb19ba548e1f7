"""Rows of completion claims, and how they move."""

import sqlite3
from collections.abc import Iterable

from groupx.domain.completion import ClaimOwner, ClaimState, CompletionClaim
from groupx.store.transaction import Transaction
from groupx.store.turn_rows import must_change

_FIND = """
SELECT child_turn_id, waiter_turn_id, owner, callback_turn_id, state
FROM completion_claims WHERE child_turn_id = ?
"""
_OPEN = """
INSERT INTO completion_claims (child_turn_id, waiter_turn_id, owner, state)
VALUES (?, ?, ?, 'open')
"""
_WAITS = """
UPDATE completion_claims SET owner = ? WHERE child_turn_id = ? AND state = 'open'
"""
_DECIDE = """
UPDATE completion_claims SET state = ?, owner = ?, callback_turn_id = ?, decided_at = ?
WHERE child_turn_id = ? AND state = ?
"""
_NOBODY_WAITS = """
UPDATE completion_claims SET owner = NULL
WHERE state = 'open' AND owner = 'inline' AND child_turn_id IN (
  SELECT turn_id FROM turns WHERE status IN ('queued', 'dispatching', 'running', 'cancelling'))
"""


def find_claim(conn: sqlite3.Connection, child_turn_id: str) -> CompletionClaim | None:
    """The claim on this turn's end; None when its caller did not ask to be woken."""
    row = conn.execute(_FIND, (child_turn_id,)).fetchone()
    if row is None:
        return None
    return CompletionClaim(
        child_turn_id=row[0],
        waiter_turn_id=row[1],
        owner=row[2],
        callback_turn_id=row[3],
        state=row[4],
    )


def open_claims(
    tx: Transaction, waiter_turn_id: str, children: Iterable[str], *, waits: bool
) -> None:
    """The waiter's turn is to learn of these turns' ends; `waits`: its call stays for them."""
    owner = "inline" if waits else None
    for child_turn_id in children:
        tx.conn.execute(_OPEN, (child_turn_id, waiter_turn_id, owner))


def set_waiting(tx: Transaction, child_turn_id: str, *, waits: bool) -> None:
    """Whether a call stays for this open turn."""
    tx.conn.execute(_WAITS, ("inline" if waits else None, child_turn_id))


def forget_waiting_calls(tx: Transaction) -> None:
    """No call outlives the daemon that it was made to."""
    tx.conn.execute(_NOBODY_WAITS)


def decide(
    tx: Transaction,
    claim: CompletionClaim,
    state: ClaimState,
    owner: ClaimOwner,
    *,
    callback_turn_id: str | None = None,
) -> None:
    """Compare-and-set on the claim's state, which is why there is one owner."""
    callback = callback_turn_id or claim.callback_turn_id
    values = (state, owner, callback, tx.now, claim.child_turn_id, claim.state)
    must_change(tx.conn.execute(_DECIDE, values), f"The claim on turn '{claim.child_turn_id}'")
