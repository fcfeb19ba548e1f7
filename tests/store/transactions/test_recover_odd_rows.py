"""A room opens whatever pairs of turn and attempt an older program or a crash has left."""

import itertools

import attrs
import pytest

from groupx.domain.attempts import DeliveryCertainty, DispatchPhase
from groupx.domain.runs import RecoverQuery
from groupx.domain.turns import OPEN
from groupx.store.transactions.recover import recover_all

RISES = ("not_delivered", "unknown", "delivered")
PREPARED = ("prepared", "not_delivered")


@attrs.frozen
class Row:
    """One turn as it stands in the ledger, and its one attempt."""

    status: str
    attempt: tuple[str, str] | None
    open: bool

    @property
    def says_unsent(self):
        return self.status != "running" and self.attempt == PREPARED


ROWS = [
    *(Row(status, None, open=False) for status in OPEN),
    *(
        Row(status, (phase, certainty), open=is_open)
        for status, phase, certainty, is_open in itertools.product(
            OPEN, DispatchPhase, DeliveryCertainty, (True, False)
        )
    ),
]


def lay(ledger):
    """Turn id → row, all in one lane."""
    laid = {}
    for row in ROWS:
        turn_id = ledger.queued()
        if row.attempt is not None:
            ledger.claim(turn_id)
        laid[turn_id] = row
        ledger.conn.execute("UPDATE turns SET status = 'failed' WHERE turn_id = ?", (turn_id,))
    for turn_id, row in laid.items():
        ledger.conn.execute("UPDATE turns SET status = ? WHERE turn_id = ?", (row.status, turn_id))
        if row.attempt is not None:
            ledger.conn.execute(
                "UPDATE turn_attempts SET dispatch_phase = ?, delivery_certainty = ?,"
                " terminal_at = iif(?, NULL, 'then') WHERE turn_id = ?",
                (*row.attempt, row.open, turn_id),
            )
    return laid


@pytest.mark.slow
@pytest.mark.parametrize("in_roster", [True, False])
@pytest.mark.parametrize("transport", ["structured", "direct"])
@pytest.mark.parametrize("can_ask", [True, False])
def test_every_pair_is_recovered_once_and_truthfully(ledger, in_roster, transport, can_ask):
    laid = lay(ledger)
    query = RecoverQuery(
        roster=frozenset({ledger.a} if in_roster else ()),
        transport=transport,
        reconcilable=frozenset({"demo"} if can_ask else ()),
    )
    recovered = ledger.write(recover_all, query)
    once = ledger.dump()
    assert ledger.write(recover_all, query).undecided == recovered.undecided
    assert ledger.dump() == once

    undecided = {attempt.turn_id for attempt in recovered.undecided}
    assert bool(undecided) == (in_roster and can_ask and transport == "structured")
    for turn_id, row in laid.items():
        status = ledger.status(turn_id)
        if turn_id in undecided:
            assert (status, row.open) == (row.status, True)
            assert row.attempt != PREPARED
            continue
        assert status not in {"dispatching", "running", "cancelling"}, row
        if status == "queued":
            assert row.status in {"queued", "dispatching"}
            assert not row.open or row.says_unsent, row
        if row.attempt is None:
            continue
        phase, certainty = ledger.attempt(turn_id)
        if not row.open:
            assert (phase, certainty) == row.attempt
            continue
        assert phase == "terminal"
        assert RISES.index(certainty) >= RISES.index(row.attempt[1]), row
        assert (certainty == "not_delivered") == row.says_unsent, row
    assert ledger.row("SELECT count(*) FROM turn_attempts WHERE terminal_at IS NULL")[0] == len(
        undecided
    )
