from groupx.store.transactions.invoke import invoke
from groupx.store.transactions.requeue import requeue


def prepared(ledger):
    turn_id = ledger.queued()
    return turn_id, ledger.claim(turn_id, invoke=False).attempt_id


def test_true_once(ledger):
    turn_id, attempt_id = prepared(ledger)
    assert ledger.write(invoke, attempt_id) is True
    assert ledger.attempt(turn_id) == ("prompt_invoked", "unknown")
    assert ledger.write(invoke, attempt_id) is False
    assert ledger.write(invoke, "attempt_none") is False


def test_a_cancel_that_came_first_wins(ledger):
    turn_id, attempt_id = prepared(ledger)
    assert ledger.cancel(turn_id).status == "cancelled"
    assert ledger.write(invoke, attempt_id) is False
    assert ledger.attempt(turn_id) == ("terminal", "not_delivered")


def test_an_invoke_that_came_first_makes_the_cancel_a_wish(ledger):
    turn_id, attempt_id = prepared(ledger)
    assert ledger.write(invoke, attempt_id) is True
    assert ledger.cancel(turn_id).status == "cancelling"
    assert ledger.attempt(turn_id) == ("prompt_invoked", "unknown")


def test_a_requeued_attempt_never_sends(ledger):
    turn_id, attempt_id = prepared(ledger)
    ledger.write(requeue, turn_id)
    assert ledger.write(invoke, attempt_id) is False
