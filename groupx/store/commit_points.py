"""Which transactions' commits are moments at which a run may be told to kill itself."""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from groupx.store.transaction import Transaction
from groupx.store.transactions.accept import accept
from groupx.store.transactions.checkpoint import swap_checkpoint
from groupx.store.transactions.claim import claim
from groupx.store.transactions.rollup import finish_batch
from groupx.store.transactions.started import started
from groupx.store.transactions.terminal import terminal

COMMIT_POINTS: Mapping[Callable[[Transaction, Any], Any], str] = MappingProxyType(
    {
        accept: "accept.committed",
        claim: "claim.committed",
        started: "started.committed",
        terminal: "terminal.committed",
        finish_batch: "rollup.committed",
        swap_checkpoint: "checkpoint.committed",
    }
)
"""The point that is passed after the COMMIT and before anybody is answered."""
