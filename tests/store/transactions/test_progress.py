from groupx.domain.ledger import Progress
from groupx.domain.outcomes import Cause
from groupx.store.transactions.progress import progress


def partial(ledger, turn_id):
    return ledger.row("SELECT partial_text FROM turns WHERE turn_id = ?", turn_id)[0]


def test_it_keeps_the_text_without_an_event(ledger):
    turn_id, attempt_id = ledger.running()
    frames = len(ledger.frames)
    assert ledger.write(progress, Progress(turn_id=turn_id, text="half")) is True
    assert partial(ledger, turn_id) == "half"
    assert len(ledger.frames) == frames
    ledger.end(turn_id, attempt_id, Cause.EXITED)
    assert partial(ledger, turn_id) == "half"
    assert ledger.write(progress, Progress(turn_id=turn_id, text="late")) is False
    assert partial(ledger, turn_id) == "half"


def test_a_completed_turn_has_its_answer_instead(ledger):
    turn_id, attempt_id = ledger.running()
    ledger.write(progress, Progress(turn_id=turn_id, text="half"))
    ledger.end(turn_id, attempt_id, Cause.COMPLETED, response="whole")
    assert partial(ledger, turn_id) is None
