import orjson
import pytest

from groupx.domain.ledger import Progress, TurnOf
from groupx.domain.runs import RecoverLane, RecoverQuery
from groupx.store.transactions.invoke import invoke
from groupx.store.transactions.lane import set_lane
from groupx.store.transactions.progress import progress
from groupx.store.transactions.recover import recover_all, recover_lane


def query(ledger, **changes):
    fields = {"roster": frozenset(entry.actor_id for entry in ledger.roster)}
    return RecoverQuery(**(fields | changes))


def recover(ledger, **changes):
    return ledger.write(recover_all, query(ledger, **changes))


def again_changes_nothing(ledger, **changes):
    before = ledger.dump()
    recovered = recover(ledger, **changes)
    assert ledger.dump() == before
    return recovered


def test_queued_work_survives(ledger):
    turn_id = ledger.queued()
    frames = len(ledger.frames)
    recovered = recover(ledger)
    assert ledger.woken == [ledger.a]
    assert len(ledger.frames) == frames
    assert (recovered.requeued, recovered.undecided) == (0, ())
    assert ledger.status(turn_id) == "queued"
    again_changes_nothing(ledger)


def test_what_was_not_sent_is_queued_again(ledger):
    turn_id = ledger.queued()
    ledger.claim(turn_id, invoke=False)
    assert recover(ledger).requeued == 1
    assert ledger.status(turn_id) == "queued"
    assert ledger.attempt(turn_id) == ("terminal", "not_delivered")
    assert ledger.woken == [ledger.a]
    again_changes_nothing(ledger)


@pytest.mark.parametrize("cancelling", [False, True])
@pytest.mark.parametrize(("started", "certainty"), [(False, "unknown"), (True, "delivered")])
def test_what_may_have_been_sent_is_interrupted(ledger, started, certainty, cancelling):
    if started:
        turn_id, _ = ledger.running()
    else:
        turn_id = ledger.queued()
        ledger.claim(turn_id)
    ledger.write(progress, Progress(turn_id=turn_id, text="so far"))
    if cancelling:
        ledger.cancel(turn_id)
    waiting = ledger.queued()
    recovered = recover(ledger)
    assert (recovered.interrupted, recovered.delivery_unknown) == (1, int(not started))
    assert recovered.cut_short == (TurnOf(turn_id=turn_id, target_actor_id=ledger.a),)
    assert recovered.through_seq == orjson.loads(ledger.frames[-1].data)["seq"]
    assert ledger.status(turn_id) == "interrupted"
    assert ledger.attempt(turn_id) == ("terminal", certainty)
    assert ledger.row("SELECT partial_text, error_code FROM turns WHERE turn_id = ?", turn_id) == (
        "so far",
        "TURN_INTERRUPTED",
    )
    body = orjson.loads(ledger.frames[-1].data)["body"]
    assert body["deliveryCertainty"] == certainty
    assert ("may never have read" in body["message"]) == (certainty == "unknown")
    assert body["reconciliation"] == "unsupported"
    assert body["partialCharacters"] == 6
    assert ledger.status(waiting) == "queued"
    again_changes_nothing(ledger)


def test_a_cancelled_prompt_that_never_left_is_cancelled(ledger):
    turn_id = ledger.queued()
    ledger.claim(turn_id, invoke=False)
    ledger.conn.execute("UPDATE turns SET status = 'cancelling' WHERE turn_id = ?", (turn_id,))
    assert recover(ledger).cancelled == 1
    assert ledger.status(turn_id) == "cancelled"
    again_changes_nothing(ledger)


@pytest.mark.parametrize("claimed", [False, True])
def test_another_transport_is_never_claimed(ledger, claimed):
    turn_id = ledger.queued()
    if claimed:
        ledger.claim(turn_id, invoke=False)
    ledger.conn.execute("UPDATE turns SET transport = 'direct'")
    assert recover(ledger).failed == 1
    assert ledger.row("SELECT status, error_code FROM turns WHERE turn_id = ?", turn_id) == (
        "failed", "TRANSPORT_MODE_MISMATCH",
    )  # fmt: skip
    again_changes_nothing(ledger)


def test_agents_that_are_gone(ledger):
    queued, running = ledger.queued(ledger.b), ledger.running(ledger.c)[0]
    kept = ledger.queued(ledger.a)
    recovered = recover(ledger, roster=frozenset({ledger.a}), reconcilable=frozenset({"demo"}))
    assert (recovered.failed, recovered.interrupted, recovered.undecided) == (1, 1, ())
    assert ledger.row("SELECT status, error_code FROM turns WHERE turn_id = ?", queued) == (
        "failed", "ADAPTER_NOT_FOUND",
    )  # fmt: skip
    assert ledger.status(running) == "interrupted"
    assert ledger.status(kept) == "queued"
    again_changes_nothing(ledger, roster=frozenset({ledger.a}))


def test_what_the_program_can_tell_is_left_to_it(ledger):
    turn_id, attempt_id = ledger.running()
    ledger.write(progress, Progress(turn_id=turn_id, text="so far"))
    recovered = recover(ledger, reconcilable=frozenset({"demo"}))
    (left,) = recovered.undecided
    assert (left.turn_id, left.attempt_id, left.status) == (turn_id, attempt_id, "running")
    assert (left.phase, left.certainty) == ("native_started", "delivered")
    assert (left.native_session_id, left.native_turn_id) == ("native-agent:a-1", "n1")
    assert left.partial_text == "so far"
    assert ledger.status(turn_id) == "running"
    assert ledger.woken == [ledger.a]


def test_the_last_attempt_is_not_queued_again(ledger):
    turn_id = ledger.queued()
    for _ in range(3):
        ledger.claim(turn_id, invoke=False)
        last = ledger.write(recover_lane, RecoverLane(actor_id=ledger.a))
        ledger.bindings[ledger.a] = ledger.open_session(ledger.a)
    assert last.failed == 1
    assert ledger.status(turn_id) == "failed"


def test_one_lane_leaves_the_others_alone(ledger):
    mine, theirs = ledger.running(ledger.a)[0], ledger.running(ledger.b)[0]
    recovered = ledger.write(recover_lane, RecoverLane(actor_id=ledger.a))
    assert recovered.interrupted == 1
    assert (ledger.status(mine), ledger.status(theirs)) == ("interrupted", "running")
    assert ledger.rows(
        "SELECT actor_id FROM session_bindings WHERE closed_at IS NULL AND actor_id LIKE 'agent:%'"
        " ORDER BY 1"
    ) == [(ledger.b,), (ledger.c,)]


def test_a_program_that_still_runs_keeps_its_session(ledger):
    turn_id = ledger.running(ledger.a)[0]
    before = (
        ledger.rows("SELECT * FROM session_bindings"),
        ledger.rows("SELECT * FROM agent_instances"),
    )
    [(alive,)] = ledger.rows("SELECT instance_id FROM agent_instances WHERE actor_id = ?", ledger.a)
    recovered = ledger.write(recover_lane, RecoverLane(actor_id=ledger.a, alive=alive))
    assert recovered.interrupted == 1
    assert ledger.status(turn_id) == "interrupted"
    assert before == (
        ledger.rows("SELECT * FROM session_bindings"),
        ledger.rows("SELECT * FROM agent_instances"),
    )


def test_instances_of_the_crashed_run_are_closed_and_people_stay_connected(ledger):
    recover(ledger)
    assert ledger.rows(
        "SELECT DISTINCT i.status, b.status FROM agent_instances i JOIN session_bindings b"
        " USING (instance_id) WHERE i.actor_id LIKE 'agent:%'"
    ) == [("interrupted", "interrupted")]
    assert ledger.row("SELECT status, closed_at FROM session_bindings WHERE binding_id = ?",
                      "binding:web") == ("ready", None)  # fmt: skip
    assert ledger.send()


def test_a_pause_is_not_lifted(ledger):
    ledger.write(set_lane, ledger.lane("paused"))
    recover(ledger)
    assert ledger.row("SELECT state FROM lane_states") == ("paused",)


def test_odd_rows_of_older_formats(ledger):
    """Pairs of phase and certainty that the machine never makes count as sent."""
    odd = {}
    for actor, phase, certainty in (
        (ledger.a, "native_started", "unknown"),
        (ledger.b, "prompt_invoked", "delivered"),
    ):
        turn_id = ledger.queued(actor)
        ledger.claim(turn_id)
        ledger.conn.execute(
            "UPDATE turn_attempts SET dispatch_phase = ?, delivery_certainty = ? WHERE turn_id = ?",
            (phase, certainty, turn_id),
        )
        odd[turn_id] = certainty
    queued_but_sent = ledger.queued(ledger.c)
    ledger.claim(queued_but_sent)
    ledger.conn.execute("UPDATE turns SET status = 'queued' WHERE turn_id = ?", (queued_but_sent,))
    odd[queued_but_sent] = "unknown"
    assert recover(ledger).interrupted == 3
    for turn_id, certainty in odd.items():
        assert ledger.status(turn_id) == "interrupted"
        assert ledger.attempt(turn_id) == ("terminal", certainty)
    again_changes_nothing(ledger)


def test_a_claim_that_was_prepared_only_in_part(ledger):
    turn_id = ledger.queued()
    attempt = ledger.claim(turn_id, invoke=False)
    ledger.conn.execute("UPDATE turns SET status = 'queued' WHERE turn_id = ?", (turn_id,))
    assert recover(ledger).requeued == 1
    assert ledger.write(invoke, attempt.attempt_id) is False
    ledger.bindings[ledger.a] = ledger.open_session(ledger.a)
    ledger.claim(turn_id)
