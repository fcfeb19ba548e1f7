from groupx.domain.outcomes import Cause


def test_a_turn_from_message_to_answer(ledger):
    done = ledger.completed()
    assert ledger.status(done.turn_id) == "completed"
    assert ledger.types() == [
        "message.created",
        "turn.queued",
        "turn.dispatched",
        "turn.started",
        "message.created",
        "turn.completed",
    ]
    turn = ledger.queued()
    assert ledger.cancel(turn).status == "cancelled"
    turn = ledger.queued()
    a = ledger.claim(turn)
    assert ledger.end(turn, a.attempt_id, Cause.EXITED).status == "interrupted"
