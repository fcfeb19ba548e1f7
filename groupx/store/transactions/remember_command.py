"""Commands whose effect is outside the ledger: they too are taken once."""

from groupx.domain.commands import RememberCommand, Remembered
from groupx.store.command_rows import first_result, remember
from groupx.store.transaction import Transaction


def remember_command(tx: Transaction, command: RememberCommand) -> Remembered:
    """Keep the answer; a repeated command gets the first one, `fresh` False."""
    known = first_result(tx, command.key)
    if known is not None:
        return Remembered(result=known, fresh=False)
    remember(tx, command.key, command.result)
    return Remembered(result=command.result, fresh=True)
