"""From a turn upwards: the turns out of which it came."""

import sqlite3
from collections.abc import Callable, Iterator

from groupx.store.turn_rows import TurnRow, find_turn

MAX_SHOWN = 64
"""Links of a chain that somebody is shown; what is decided by a chain looks at all of it."""


def caller_of(turn: TurnRow) -> str | None:
    """The turn that called it."""
    return turn.parent_turn_id


def cause_of(turn: TurnRow) -> str | None:
    """The turn that it came of: also one that was tried again, or whose end it tells."""
    return turn.caused_by_turn_id or turn.parent_turn_id


def chain_of(
    conn: sqlite3.Connection,
    turn: TurnRow,
    above: Callable[[TurnRow], str | None] = caller_of,
) -> Iterator[TurnRow]:
    """The turn itself, then those above it up to the first. It ends, too, where the chain is
    broken, and before it closes to a circle."""
    seen: set[str] = set()
    link: TurnRow | None = turn
    while link is not None and link.turn_id not in seen:
        seen.add(link.turn_id)
        yield link
        upper = above(link)
        link = None if upper is None else find_turn(conn, upper)
