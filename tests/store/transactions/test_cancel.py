import attrs
import orjson
import pytest

from groupx.domain.commands import CancelCommand
from groupx.domain.ids import USER_WEB
from groupx.domain.outcomes import Cause
from groupx.store.transactions.cancel import cancel


@pytest.mark.parametrize("claimed", [False, True])
def test_at_once_while_nothing_was_sent(ledger, claimed):
    turn_id = ledger.queued()
    if claimed:
        ledger.claim(turn_id, invoke=False)
    assert ledger.cancel(turn_id).status == "cancelled"
    event = orjson.loads(ledger.frames[-1].data)
    assert event["body"] == {"turnId": turn_id, "status": "cancelled", "reason": "user"}
    assert event["actor"]["actorId"] == "system:groupx"
    assert ledger.woken == [ledger.a]
    if claimed:
        assert ledger.attempt(turn_id) == ("terminal", "not_delivered")


@pytest.mark.parametrize("started", [False, True])
def test_afterwards_it_is_a_wish(ledger, started):
    if started:
        turn_id, attempt_id = ledger.running()
    else:
        turn_id = ledger.queued()
        attempt_id = ledger.claim(turn_id).attempt_id
    frames = len(ledger.frames)
    assert ledger.cancel(turn_id).status == "cancelling"
    assert len(ledger.frames) == frames
    assert ledger.woken == [ledger.a]
    assert ledger.cancel(turn_id, force=True).status == "cancelling"
    assert ledger.woken == [ledger.a], "a forced one reaches the lane too"
    done = ledger.end(turn_id, attempt_id, Cause.COMPLETED, response="faster")
    assert done.status == "completed"


def test_an_ended_turn_is_answered_with_its_end(ledger):
    done = ledger.completed()
    assert ledger.cancel(done.turn_id).status == "completed"
    assert ledger.woken == []


def test_repeated_it_is_answered_the_same(ledger):
    turn_id, attempt_id = ledger.running()
    key = ledger.key("turn.cancel", turnId=turn_id)
    command = CancelCommand(key=key, turn_id=turn_id, actor_id=USER_WEB)
    first = ledger.write(cancel, command)
    ledger.end(turn_id, attempt_id, Cause.CANCELLED)
    before = ledger.dump()
    assert ledger.write(cancel, command) == first
    assert ledger.dump() == before


def test_refusals(ledger, refused):
    key = ledger.key("turn.cancel", turnId="turn_none")
    command = CancelCommand(key=key, turn_id="turn_none", actor_id=USER_WEB)
    refused("NOT_FOUND", cancel, command)
    turn_id = ledger.queued()
    ledger.cancel(turn_id, key=key)
    changed = attrs.evolve(key, request={"turnId": "other"})
    refused("CLIENT_COMMAND_CONFLICT", cancel, attrs.evolve(command, key=changed))
