import itertools

import attrs
import orjson
import pytest

from groupx.domain.attempts import Reconciliation
from groupx.domain.ledger import Settlement, TerminalCommand
from groupx.domain.outcomes import Cause
from groupx.domain.recovery import NativeEnd
from groupx.domain.runs import RecoverLane
from groupx.store.transactions.recover import recover_lane
from groupx.store.transactions.settle import settle

COMPLETED, FAILED, STOPPED = NativeEnd.COMPLETED, NativeEnd.FAILED, NativeEnd.STOPPED


def sent(ledger, *, begun):
    if begun:
        return ledger.running()
    turn_id = ledger.queued()
    return turn_id, ledger.claim(turn_id).attempt_id


def settlement(turn_id, attempt_id, proven, outcome=Reconciliation.MATCHED_TERMINAL):
    end = TerminalCommand(
        turn_id=turn_id,
        attempt_id=attempt_id,
        cause=Cause.DAEMON_KILLED,
        message="cut off",
        evidence=outcome is Reconciliation.MATCHED_TERMINAL,
        native_turn_id="n9",
        response="the answer" if proven is COMPLETED else None,
        reconciliation=outcome,
        local_date="2026-02-02",
    )
    return Settlement(proven=proven, end=end)


@pytest.mark.parametrize(("begun", "cancelling"), [*itertools.product((False, True), repeat=2)])
@pytest.mark.parametrize("proven", [COMPLETED, FAILED, STOPPED, None])
def test_every_end_from_every_state(ledger, begun, cancelling, proven):
    turn_id, attempt_id = sent(ledger, begun=begun)
    if cancelling:
        ledger.cancel(turn_id)
    outcome = Reconciliation.MATCHED_TERMINAL if proven else Reconciliation.NOT_FOUND
    done = ledger.write(settle, settlement(turn_id, attempt_id, proven, outcome))
    stopped = "cancelled" if cancelling else "interrupted"
    expected = {COMPLETED: "completed", FAILED: "failed", STOPPED: stopped, None: "interrupted"}
    assert (done.status, done.fresh) == (expected[proven], True)
    assert ledger.status(turn_id) == done.status
    certainty = "delivered" if proven or begun else "unknown"
    assert ledger.attempt(turn_id) == ("terminal", certainty)
    assert ledger.row("SELECT reconciliation FROM turn_attempts") == (outcome,)
    body = orjson.loads(ledger.frames[-1].data)["body"]
    if done.status == "interrupted":
        assert body["reconciliation"] == outcome
        assert body["deliveryCertainty"] == certainty
    assert ledger.woken == [ledger.a]
    after = ledger.dump()
    assert ledger.write(settle, settlement(turn_id, attempt_id, proven, outcome)) is None
    assert ledger.dump() == after


def test_a_turn_that_ended_meanwhile_is_left(ledger):
    turn_id, attempt_id = ledger.running()
    ledger.write(recover_lane, RecoverLane(actor_id=ledger.a))
    before = ledger.dump()
    assert ledger.write(settle, settlement(turn_id, attempt_id, COMPLETED)) is None
    assert ledger.dump() == before


def test_another_attempt_is_left(ledger):
    turn_id, attempt_id = ledger.running()
    before = ledger.dump()
    command = settlement(turn_id, attempt_id, COMPLETED)
    other = attrs.evolve(command, end=attrs.evolve(command.end, attempt_id="attempt_of_before"))
    assert ledger.write(settle, other) is None
    assert ledger.dump() == before
