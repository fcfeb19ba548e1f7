import orjson
import pytest

from groupx.domain.commands import WithdrawCommand
from groupx.domain.ids import OPERATOR_BINDING, USER_ASSISTANT, USER_WEB
from groupx.domain.limits import Limits
from groupx.store.transactions.withdraw import replace, withdraw


def command(ledger, event_id, **changes):
    fields = {
        "key": ledger.key("message.withdraw", id=None, event=event_id),
        "message_event_id": event_id,
        "actor_id": USER_WEB,
        "roster": ledger.roster,
    }
    return WithdrawCommand(**(fields | changes))


def test_all_its_turns_are_cancelled_and_it_stays_in_the_history(ledger):
    sent = ledger.send(ledger.a, ledger.b)
    since = len(ledger.frames)
    it = command(ledger, sent.message_event_id)
    answer = ledger.write(withdraw, it)
    assert [turn.status for turn in answer.turns] == ["cancelled", "cancelled"]
    assert ledger.types(since) == ["turn.cancelled", "turn.cancelled", "message.withdrawn"]
    cancelled, _, withdrawn = [orjson.loads(frame.data) for frame in ledger.frames[since:]]
    assert cancelled["body"]["reason"] == "withdrawn"
    assert withdrawn["body"] == {"messageEventId": sent.message_event_id}
    assert withdrawn["actor"]["actorId"] == USER_WEB
    assert ledger.woken == [ledger.a, ledger.b]
    before = ledger.dump()
    assert ledger.write(withdraw, it) == answer
    assert ledger.dump() == before


def test_replace_says_it_to_the_same_agents(ledger):
    replied_to = ledger.send(ledger.c).message_event_id
    sent = ledger.send(ledger.a, ledger.b, reply_to_event_id=replied_to)
    since = len(ledger.frames)
    it = command(ledger, sent.message_event_id, replacement="better")
    answer = ledger.write(replace, it)
    assert ledger.types(since) == [
        "turn.cancelled", "turn.cancelled", "message.withdrawn",
        "message.created", "turn.queued", "turn.queued",
    ]  # fmt: skip
    withdrawn, created = [orjson.loads(f.data) for f in ledger.frames[since + 2 : since + 4]]
    assert withdrawn["body"]["replacedByEventId"] == created["eventId"] == answer.message_event_id
    assert created["body"] == {"content": "better"}
    assert created["replyToEventId"] == replied_to
    assert [turn.target for turn in answer.turns] == [ledger.a, ledger.b]
    assert ledger.write(replace, it) == answer


def test_what_the_operator_says_instead_is_the_operators_turn(ledger):
    by_operator = {"binding": OPERATOR_BINDING}
    sent = ledger.send(
        key=ledger.key("message.send", **by_operator),
        actor_id=USER_ASSISTANT,
        trigger_kind="control",
    )
    key = ledger.key("message.replace", **by_operator)
    it = command(ledger, sent.message_event_id, replacement="x", actor_id=USER_ASSISTANT, key=key)
    ledger.write(replace, it)
    assert ledger.rows("SELECT trigger_kind FROM turns") == [("control",), ("control",)]


def test_a_full_queue_still_takes_the_replacement(ledger):
    limits = Limits(queue_per_agent=1)
    sent = ledger.send(limits=limits)
    ledger.write(replace, command(ledger, sent.message_event_id, replacement="x", limits=limits))


@pytest.mark.parametrize("run", [withdraw, replace])
def test_refusals(ledger, refused, run):
    sent = ledger.send(ledger.a, ledger.b)
    mine = sent.message_event_id
    refused("NOT_FOUND", run, command(ledger, "evt_none"))
    queued = ledger.row("SELECT event_id FROM events WHERE event_type = 'turn.queued'")[0]
    refused("NOT_FOUND", run, command(ledger, queued))
    key = ledger.key("message.withdraw", binding=OPERATOR_BINDING)
    refused("STORE_CONFLICT", run, command(ledger, mine, actor_id=USER_ASSISTANT, key=key))
    ledger.claim(sent.turns[1].turn_id, invoke=False)
    error = refused("TURN_NOT_QUEUED", run, command(ledger, mine))
    assert error.details["turns"] == [sent.turns[1].turn_id]
    assert ledger.status(sent.turns[0].turn_id) == "queued"


@pytest.mark.parametrize("again", [withdraw, replace])
@pytest.mark.parametrize("first", [withdraw, replace])
def test_what_was_taken_back_is_said_to_be_so(ledger, refused, first, again):
    mine = ledger.send().message_event_id
    answer = ledger.write(first, command(ledger, mine, replacement="better"))
    other = command(ledger, mine, replacement="best")
    error = refused("TURN_NOT_QUEUED", again, other)
    if first is withdraw:
        assert "withdrawn already" in error.message
    else:
        assert "replaced already" in error.message
        assert error.details == {"replacedByEventId": answer.message_event_id}


@pytest.mark.parametrize("run", [withdraw, replace])
def test_what_ended_was_not_taken(ledger, refused, run):
    sent = ledger.send()
    ledger.cancel(sent.turns[0].turn_id)
    error = refused("TURN_NOT_QUEUED", run, command(ledger, sent.message_event_id))
    assert "has ended" in error.message
    assert "taken this message" not in error.message


def test_a_refused_replacement_leaves_the_message_alone(ledger, refused):
    sent = ledger.send()
    long = command(
        ledger, sent.message_event_id, replacement="x" * 9, limits=Limits(message_characters=5)
    )
    refused("MESSAGE_TOO_LARGE", replace, long)
    gone = command(ledger, sent.message_event_id, replacement="x", roster=())
    refused("UNKNOWN_TARGET", replace, gone)
    assert ledger.status(sent.turns[0].turn_id) == "queued"
