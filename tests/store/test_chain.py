"""However long a chain of calls is, what is decided by it knows all of it."""

from itertools import cycle

import pytest

from groupx.domain.limits import Limits
from groupx.store.chain import MAX_SHOWN, chain_of
from groupx.store.queries.chain_actors import chain_actors
from groupx.store.queries.turn_detail import turn_detail
from groupx.store.turn_rows import get_turn

LINKS = MAX_SHOWN + 40
LIMITS = Limits(hop_count=1_000, root_turns=1_000, actor_calls_per_root=1_000)


@pytest.fixture
def lowest(ledger):
    """The last of LINKS + 1 turns: `c` calls `a`, and from there on `a` and `b` one another."""
    turn, _ = ledger.running(ledger.c)
    caller = ledger.c
    for _, target in zip(range(LINKS), cycle((ledger.a, ledger.b)), strict=False):
        below = ledger.call(turn, caller, target, limits=LIMITS).turns[0].turn_id
        ledger.conn.execute("UPDATE turns SET status = 'completed' WHERE turn_id = ?", (turn,))
        ledger.conn.execute("UPDATE turns SET status = 'running' WHERE turn_id = ?", (below,))
        turn, caller = below, target
    return turn


def test_everybody_in_a_long_chain_is_known(ledger, lowest):
    assert chain_actors(ledger.conn, lowest) == {ledger.a, ledger.b, ledger.c}
    assert len(list(chain_of(ledger.conn, get_turn(ledger.conn, lowest)))) == LINKS + 1


def test_of_a_long_chain_the_nearest_links_are_shown(ledger, lowest):
    chain = turn_detail(ledger.conn, lowest).chain
    assert len(chain) == MAX_SHOWN
    assert chain[-1].event_id == get_turn(ledger.conn, lowest).source_event_id


def test_a_chain_that_closes_ends(ledger):
    turn, _ = ledger.running(ledger.a)
    below = ledger.call(turn, ledger.a, ledger.b).turns[0].turn_id
    ledger.conn.execute("UPDATE turns SET parent_turn_id = ? WHERE turn_id = ?", (below, turn))
    links = [link.turn_id for link in chain_of(ledger.conn, get_turn(ledger.conn, below))]
    assert links == [below, turn]
    assert chain_actors(ledger.conn, below) == {ledger.a, ledger.b}
