from groupx.domain.attempts import MAX_ATTEMPTS
from groupx.store.transactions.requeue import requeue


def test_back_to_its_place_in_the_lane(ledger):
    first, second = ledger.queued(), ledger.queued()
    ledger.claim(first, invoke=False)
    assert ledger.write(requeue, first) == "queued"
    assert ledger.attempt(first) == ("terminal", "not_delivered")
    assert ledger.woken == [ledger.a]
    ledger.claim(first)
    assert ledger.status(second) == "queued"


def test_said_again_it_changes_nothing(ledger):
    turn_id = ledger.queued()
    before = ledger.dump()
    assert ledger.write(requeue, turn_id) == "queued"
    assert ledger.dump() == before
    done = ledger.completed() if ledger.cancel(turn_id) else None
    assert ledger.write(requeue, done.turn_id) == "completed"
    assert ledger.write(requeue, turn_id) == "cancelled"


def test_what_may_have_been_sent_is_never_queued_again(ledger, refused):
    invoked = ledger.queued()
    ledger.claim(invoked)
    refused("STORE_CONFLICT", requeue, invoked)
    running, _ = ledger.running(ledger.b)
    refused("STORE_CONFLICT", requeue, running)
    refused("NOT_FOUND", requeue, "turn_none")


def test_the_last_attempt_fails_the_turn(ledger):
    turn_id = ledger.queued()
    for number in range(1, MAX_ATTEMPTS + 1):
        ledger.claim(turn_id, invoke=False)
        status = ledger.write(requeue, turn_id)
        assert status == ("failed" if number == MAX_ATTEMPTS else "queued")
    assert ledger.row("SELECT error_code FROM turns WHERE turn_id = ?", turn_id) == (
        "ADAPTER_START_FAILED",
    )
    assert ledger.types()[-1] == "turn.failed"
    assert ledger.attempt(turn_id) == ("terminal", "not_delivered")
