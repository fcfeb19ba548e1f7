import orjson

from groupx.domain.ledger import StartedCommand
from groupx.domain.outcomes import Cause
from groupx.store.transactions.started import started


def test_it_proves_the_delivery(ledger):
    turn_id = ledger.queued()
    attempt_id = ledger.claim(turn_id).attempt_id
    command = StartedCommand(attempt_id=attempt_id, native_turn_id="native-1")
    assert ledger.write(started, command) == "running"
    assert ledger.attempt(turn_id) == ("native_started", "delivered")
    event = orjson.loads(ledger.frames[-1].data)
    assert event["type"] == "turn.started"
    assert event["idempotencyKey"] == f"turn:{turn_id}:started"
    assert event["body"] == {"turnId": turn_id, "attemptId": attempt_id}
    assert event["actor"]["actorId"] == ledger.a
    assert "native-1" not in ledger.frames[-1].data.decode()
    before = ledger.dump()
    assert ledger.write(started, command) == "running"
    assert ledger.dump() == before


def test_a_turn_being_cancelled_stays_so(ledger):
    turn_id = ledger.queued()
    attempt_id = ledger.claim(turn_id).attempt_id
    ledger.cancel(turn_id)
    assert ledger.write(started, StartedCommand(attempt_id=attempt_id)) == "cancelling"
    assert ledger.attempt(turn_id) == ("native_started", "delivered")
    assert ledger.types()[-1] == "turn.started"


def test_after_the_end_it_changes_nothing(ledger):
    turn_id = ledger.queued()
    attempt_id = ledger.claim(turn_id).attempt_id
    ledger.end(turn_id, attempt_id, Cause.EXITED)
    before = ledger.dump()
    assert ledger.write(started, StartedCommand(attempt_id=attempt_id)) == "interrupted"
    assert ledger.dump() == before


def test_refusals(ledger, refused):
    turn_id = ledger.queued()
    attempt_id = ledger.claim(turn_id, invoke=False).attempt_id
    refused("STORE_CONFLICT", started, StartedCommand(attempt_id=attempt_id))
    refused("NOT_FOUND", started, StartedCommand(attempt_id="attempt_none"))
