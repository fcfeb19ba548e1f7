"""Input receipts: what is claimed of a message's way, and never more than is proven."""

import pytest
from hypothesis import HealthCheck, settings
from hypothesis.stateful import invariant, run_state_machine_as_test

from groupx.domain.ledger import StartedCommand
from groupx.domain.outcomes import Cause
from groupx.domain.receipts import ReceiptQuery
from groupx.store.queries.receipts import input_receipts
from groupx.store.transactions.started import started
from tests.store.transactions.test_turn_lifecycle import Machine as Lifecycle

RANK = {"recorded": 1, "applied": 2, "completed": 3, "failed": 3, "cancelled": 3}


def receipts(ledger, source, target=None):
    query = ReceiptQuery(source_event_id=source, target_actor_id=target)
    return input_receipts(ledger.conn, query)


def test_each_target_has_its_own(ledger):
    sent = ledger.send(ledger.a, ledger.b)
    for_a, for_b = receipts(ledger, sent.message_event_id)
    assert (for_a.target_actor_id, for_b.target_actor_id) == (ledger.a, ledger.b)
    assert (for_a.state, for_b.state) == ("recorded", "recorded")
    assert for_a.received_at == for_a.recorded_at
    attempt_id = ledger.claim(for_a.turn_id).attempt_id
    assert receipts(ledger, sent.message_event_id, ledger.a)[0].state == "recorded"
    ledger.write(started, StartedCommand(attempt_id=attempt_id))
    (applied,) = receipts(ledger, sent.message_event_id, ledger.a)
    assert applied.state == "applied"
    assert applied.applied_at is not None
    ledger.end(for_a.turn_id, attempt_id, Cause.COMPLETED, response="ok")
    done, other = receipts(ledger, sent.message_event_id)
    assert (done.state, other.state) == ("completed", "recorded")
    assert done.applied_at == applied.applied_at < done.completed_at
    assert other.applied_at is None


@pytest.mark.parametrize(
    ("cause", "state"),
    [
        (Cause.EXITED, "failed"), (Cause.NO_FIRST_EVENT, "failed"), (Cause.CANCELLED, "cancelled"),
        (Cause.DAEMON_KILLED, "failed"), (Cause.NATIVE_FAILED, "failed"),
    ],
)  # fmt: skip
def test_without_a_proven_start_nothing_was_applied(ledger, cause, state):
    turn_id = ledger.queued()
    attempt_id = ledger.claim(turn_id).attempt_id
    ledger.end(turn_id, attempt_id, cause)
    (source,) = ledger.row("SELECT source_event_id FROM turns")
    (receipt,) = receipts(ledger, source)
    assert (receipt.state, receipt.applied_at, receipt.completed_at) == (state, None, None)


def test_what_started_and_then_failed_was_applied(ledger):
    turn_id, attempt_id = ledger.running()
    ledger.end(turn_id, attempt_id, Cause.EXITED, evidence=True)
    (source,) = ledger.row("SELECT source_event_id FROM turns")
    (receipt,) = receipts(ledger, source)
    assert receipt.state == "failed"
    assert receipt.applied_at is not None


def test_a_start_that_is_not_sure_is_no_proof(ledger):
    """Rows of older formats may hold a start time without a proven delivery."""
    turn_id, attempt_id = ledger.running()
    ledger.end(turn_id, attempt_id, Cause.EXITED, evidence=True)
    ledger.conn.execute("UPDATE turn_attempts SET delivery_certainty = 'unknown'")
    (source,) = ledger.row("SELECT source_event_id FROM turns")
    assert receipts(ledger, source)[0].applied_at is None


def test_a_message_that_woke_nobody_has_none(ledger):
    assert receipts(ledger, "evt_none") == ()


class Machine(Lifecycle):
    """Any history of commands and crashes; the receipts are looked at after every step."""

    def __init__(self):
        super().__init__()
        self.seen = {}

    @invariant()
    def receipts_only_go_forward_and_say_what_is_proven(self):
        sources = {row[0] for row in self.ledger.rows("SELECT source_event_id FROM turns")}
        found = [item for source in sources for item in receipts(self.ledger, source)]
        assert len(found) == self.ledger.row("SELECT count(*) FROM turns")[0]
        for item in found:
            proven = self.ledger.row(
                "SELECT 1 FROM turn_attempts WHERE turn_id = ? AND started_at IS NOT NULL"
                " AND delivery_certainty = 'delivered'",
                item.turn_id,
            )
            assert (item.applied_at is not None) == (proven is not None)
            assert item.state != "applied" or proven
            assert item.state != "completed" or proven
            assert (item.state == "completed") == (item.completed_at is not None)
            unsure = self.ledger.rows(
                "SELECT 1 FROM turn_attempts WHERE turn_id = ?"
                " AND delivery_certainty <> 'delivered'",
                item.turn_id,
            )
            if unsure and not proven:
                assert item.state in {"recorded", "failed", "cancelled"}
            was = self.seen.get(item.turn_id)
            if was is not None:
                assert RANK[item.state] >= RANK[was.state]
                assert RANK[was.state] < 3 or item == was
                assert was.applied_at in (None, item.applied_at)
            self.seen[item.turn_id] = item


@pytest.mark.slow
def test_receipts_are_true_in_any_history(new_ledger):
    machine = type("BoundMachine", (Machine,), {"new_ledger": staticmethod(new_ledger)})
    run_state_machine_as_test(
        machine,
        settings=settings(
            max_examples=20,
            stateful_step_count=30,
            deadline=None,
            suppress_health_check=list(HealthCheck),
        ),
    )
