import orjson
import pytest

from groupx.domain.commands import AgainCommand
from groupx.domain.ids import USER_WEB
from groupx.domain.limits import Limits
from groupx.domain.outcomes import Cause
from groupx.store.transactions.again import again
from groupx.store.transactions.withdraw import withdraw


def command(ledger, turn_id, kind="retry", **changes):
    fields = {
        "key": ledger.key(f"turn.{kind}", turnId=turn_id),
        "kind": kind,
        "turn_id": turn_id,
        "actor_id": USER_WEB,
        "roster": ledger.roster,
        "limits": Limits(),
    }
    return AgainCommand(**(fields | changes))


def failed(ledger, **changes):
    turn_id, attempt_id = ledger.running(**changes)
    ledger.end(turn_id, attempt_id, Cause.EXITED)
    return turn_id


def message(ledger):
    found = [f for f in ledger.frames if f.type == "message.created"]
    return orjson.loads(found[-1].data)


def test_a_retry_says_the_original_again(ledger):
    replied_to = ledger.send(ledger.b).message_event_id
    old = failed(ledger, content="do it", reply_to_event_id=replied_to)
    source = ledger.row("SELECT source_event_id FROM turns WHERE turn_id = ?", old)[0]
    correlation = ledger.row("SELECT correlation_id FROM events WHERE event_id = ?", source)[0]
    it = command(ledger, old)
    answer = ledger.write(again, it)
    event = message(ledger)
    assert event["body"] == {"kind": "retry", "retryOfTurnId": old, "content": "do it"}
    assert event["forwardedEventId"] == source
    assert event["causationId"] == old
    assert event["replyToEventId"] == replied_to
    assert event["correlationId"] == correlation == answer.correlation_id
    assert event["rootCorrelationId"] != correlation
    new = answer.turns[0].turn_id
    assert ledger.row(
        "SELECT target_actor_id, caused_by_turn_id, parent_turn_id, hop_count, trigger_kind,"
        " root_correlation_id FROM turns WHERE turn_id = ?",
        new,
    ) == (ledger.a, old, None, 0, "user", event["rootCorrelationId"])
    assert ledger.write(again, it) == answer


def test_a_retry_of_a_retry_still_points_to_the_first_message(ledger):
    old = failed(ledger, content="first words")
    source = ledger.row("SELECT source_event_id FROM turns WHERE turn_id = ?", old)[0]
    second = ledger.write(again, command(ledger, old)).turns[0].turn_id
    ledger.cancel(second)
    ledger.write(again, command(ledger, second))
    event = message(ledger)
    assert event["forwardedEventId"] == source
    assert event["body"] == {"kind": "retry", "retryOfTurnId": second, "content": "first words"}


def test_continue_answers_the_source(ledger):
    done = ledger.completed()
    source = ledger.row("SELECT source_event_id FROM turns WHERE turn_id = ?", done.turn_id)[0]
    answer = ledger.write(again, command(ledger, done.turn_id, "continue"))
    event = message(ledger)
    assert event["body"] == {"kind": "continue", "content": "continue"}
    assert event["replyToEventId"] == source
    assert event["causationId"] == done.turn_id
    assert answer.turns[0].target == ledger.a


def test_refusals(ledger, refused):
    open_turn = ledger.queued(ledger.b)
    refused("STORE_CONFLICT", again, command(ledger, open_turn))
    refused("STORE_CONFLICT", again, command(ledger, open_turn, "continue"))
    done = ledger.completed()
    refused("STORE_CONFLICT", again, command(ledger, done.turn_id))
    refused("NOT_FOUND", again, command(ledger, "turn_none"))
    old = failed(ledger)
    refused("UNKNOWN_TARGET", again, command(ledger, old, roster=()))
    ledger.queued()
    full = command(ledger, old, limits=Limits(queue_per_agent=1))
    refused("QUEUE_CAPACITY_REACHED", again, full)


def test_a_watch_turn_is_not_run_again(ledger, refused):
    old = failed(ledger)
    event_id = ledger.row("SELECT event_id FROM events LIMIT 1")[0]
    ledger.conn.execute(
        "INSERT INTO supervision_pairs VALUES ('p', 'room:main', 'c', ?, ?, ?, 'live_steer', 'n')",
        (event_id,) * 3,
    )
    ledger.conn.execute(
        "INSERT INTO supervision_pair_turns VALUES (?, 'p', 'observer', 'agent:a', 'n')", (old,)
    )
    for kind in ("retry", "continue"):
        refused("SUPERVISION_PAIR_INVALID", again, command(ledger, old, kind))


def test_a_withdrawn_message_is_not_sent_again(ledger, refused):
    from groupx.domain.commands import WithdrawCommand

    sent = ledger.send()
    ledger.write(
        withdraw,
        WithdrawCommand(
            key=ledger.key("message.withdraw"),
            message_event_id=sent.message_event_id,
            actor_id=USER_WEB,
        ),
    )
    refused("STORE_CONFLICT", again, command(ledger, sent.turns[0].turn_id))


@pytest.mark.parametrize("kind", ["retry", "continue"])
def test_a_room_that_is_not_active_is_read_only(ledger, refused, kind):
    old = failed(ledger)
    ledger.conn.execute("UPDATE rooms SET active = 0")
    ledger.conn.execute("INSERT INTO rooms VALUES ('room:2', 'two', 1, 'now', NULL)")
    refused("STORE_CONFLICT", again, command(ledger, old, kind))


def test_a_turn_is_tried_again_once_at_a_time(ledger, refused):
    old = failed(ledger, content="do it")
    new = ledger.write(again, command(ledger, old)).turns[0].turn_id
    error = refused("STORE_CONFLICT", again, command(ledger, old))
    assert error.details == {"turnId": new}
    ledger.write(again, command(ledger, old, "continue"))
    ledger.cancel(new)
    ledger.write(again, command(ledger, old))
