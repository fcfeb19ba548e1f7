import orjson
import pytest

from groupx.domain.runs import CloseInstance
from groupx.store.transactions.bindings import close_instance
from groupx.store.transactions.claim import claim
from groupx.store.transactions.invoke import invoke
from groupx.store.transactions.lane import set_lane


def summarise(ledger, through):
    ledger.conn.execute(
        "UPDATE summaries SET status = 'superseded'",
    )
    ledger.conn.execute(
        "INSERT INTO summaries VALUES (?, 'room:main', 1, ?, 's', 'agent:a', 'active', 'now')",
        (f"summary_{through}", through),
    )


def reset(ledger, through):
    ledger.conn.execute(
        "INSERT INTO context_resets VALUES (?, 'room:main', ?, 0, 'now')",
        (f"reset_{through}", through),
    )


def test_the_head_becomes_one_prepared_attempt(ledger):
    turn_id = ledger.queued()
    claimed = ledger.claim(turn_id, invoke=False, packet_json='{"characters":1}')
    assert not claimed.invoked
    assert ledger.status(turn_id) == "dispatching"
    assert ledger.attempt(turn_id) == ("prepared", "not_delivered")
    event = orjson.loads(ledger.frames[-1].data)
    assert event["type"] == "turn.dispatched"
    assert event["idempotencyKey"] == f"turn:{turn_id}:dispatched:{claimed.attempt_id}"
    assert event["body"] == {
        "turnId": turn_id, "attemptId": claimed.attempt_id, "targetActorId": ledger.a,
    }  # fmt: skip
    assert event["actor"]["actorId"] == "system:groupx"


def test_with_invoke_the_prompt_may_leave_at_once(ledger):
    turn_id = ledger.queued()
    claimed = ledger.claim(turn_id)
    assert claimed.invoked
    assert ledger.attempt(turn_id) == ("prompt_invoked", "unknown")
    assert ledger.write(invoke, claimed.attempt_id) is False


def test_only_the_head_and_only_one_at_a_time(ledger, refused):
    first, second = ledger.queued(), ledger.queued()
    refused("STORE_CONFLICT", claim, ledger.claim_command(second))
    ledger.claim(first)
    error = refused("STORE_CONFLICT", claim, ledger.claim_command(second))
    assert "stale" not in error.details
    refused("STORE_CONFLICT", claim, ledger.claim_command(first))
    ledger.claim(ledger.queued(ledger.b))


def test_a_paused_lane_is_not_claimed(ledger, refused):
    turn_id = ledger.queued()
    ledger.write(set_lane, ledger.lane("paused"))
    refused("STORE_CONFLICT", claim, ledger.claim_command(turn_id))
    ledger.write(set_lane, ledger.lane("runnable"))
    ledger.claim(turn_id)


def test_another_transport_is_not_claimed(ledger, refused):
    turn_id = ledger.queued()
    command = ledger.claim_command(turn_id, expected_transport="direct")
    refused("TRANSPORT_MODE_MISMATCH", claim, command)


@pytest.mark.parametrize("wrong", ["agent:b", "closed", "instance"])
def test_only_an_open_session_of_this_agent(ledger, refused, wrong):
    command = ledger.claim_command(ledger.queued())
    if wrong == "agent:b":
        other = ledger.bindings[ledger.b]
        command = ledger.claim_command(command.turn_id, binding_id=other)
    elif wrong == "instance":
        command = ledger.claim_command(command.turn_id, instance_id="instance_x")
    else:
        ledger.write(close_instance, CloseInstance(instance_id=command.instance_id))
    refused("SESSION_NOT_AVAILABLE", claim, command)


def test_a_packet_whose_ground_moved_is_stale(ledger, refused):
    for _ in range(3):
        ledger.completed()
    turn_id = ledger.queued()
    summarise(ledger, 6)
    fresh = ledger.claim_command(turn_id, summary_through_seq=6)
    summarise(ledger, 9)
    assert refused("STORE_CONFLICT", claim, fresh).details["stale"] is True
    fresh = ledger.claim_command(turn_id, summary_through_seq=9)
    reset(ledger, 10)
    assert refused("STORE_CONFLICT", claim, fresh).details["stale"] is True
    beyond = ledger.claim_command(
        turn_id, summary_through_seq=9, reset_through_seq=10, context_through_seq=8
    )
    assert refused("STORE_CONFLICT", claim, beyond).details["stale"] is True
    ledger.claim(turn_id, summary_through_seq=9, reset_through_seq=10)


def test_a_checkpoint_made_meanwhile_does_not_spoil_a_packet_that_holds_every_word(ledger):
    ledger.completed()
    turn_id = ledger.queued()
    summarise(ledger, 5)
    ledger.claim(turn_id)


def test_a_cancelled_turn_is_not_claimed(ledger, refused):
    turn_id = ledger.queued()
    ledger.cancel(turn_id)
    refused("STORE_CONFLICT", claim, ledger.claim_command(turn_id))


def test_a_packet_record_is_bounded(ledger):
    command = ledger.claim_command(ledger.queued(), packet_json="x" * 9000)
    before = ledger.counts()
    with pytest.raises(ValueError, match="at most 8192 bytes"):
        ledger.write(claim, command)
    assert ledger.counts() == before
