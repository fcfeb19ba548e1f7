"""Progress: what a running turn has said so far, without an event."""

from groupx.domain.ledger import Progress
from groupx.store.transaction import Transaction

_PARTIAL = "UPDATE turns SET partial_text = ? WHERE turn_id = ? AND terminal_event_id IS NULL"


def progress(tx: Transaction, command: Progress) -> bool:
    """Whether the turn is still open, so that the text was kept."""
    return tx.conn.execute(_PARTIAL, (command.text, command.turn_id)).rowcount == 1
