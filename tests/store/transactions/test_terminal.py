import orjson
import pytest

from groupx.domain.ledger import TerminalCommand, ToolRecord
from groupx.domain.outcomes import Cause
from groupx.store.transactions.terminal import terminal
from groupx.store.turn_views import turn_view


def last(ledger, event_type):
    found = [orjson.loads(frame.data) for frame in ledger.frames if frame.type == event_type]
    return found[-1]


def end(ledger, turn_id, attempt_id, cause, **changes):
    changes.setdefault("local_date", "2026-02-02")
    return TerminalCommand(turn_id=turn_id, attempt_id=attempt_id, cause=cause, **changes)


def test_everything_of_an_end_in_its_order(ledger):
    turn_id, attempt_id = ledger.running()
    since = len(ledger.frames)
    done = ledger.end(
        turn_id,
        attempt_id,
        Cause.COMPLETED,
        response="the answer",
        reasoning="thought",
        reasoning_truncated=True,
        tools=(
            ToolRecord(native_type="tool.started", tool_call_id="t1", details={"title": "ls"}),
            ToolRecord(native_type="tool.completed", tool_call_id=None, details={}),
        ),
        final_offset=4,
        truncated=True,
        stop_reason="max_tokens",
    )
    assert done.fresh
    assert ledger.types(since) == [
        "turn.reasoning.recorded", "tool.progress.recorded", "tool.progress.recorded",
        "message.created", "turn.completed",
    ]  # fmt: skip
    reasoning, started, completed, response, ended = [
        orjson.loads(frame.data) for frame in ledger.frames[since:]
    ]
    assert reasoning["body"] == {
        "turnId": turn_id, "content": "thought", "terminalStatus": "completed", "truncated": True,
    }  # fmt: skip
    assert started["body"]["toolCallId"] == "t1"
    assert "toolCallId" not in completed["body"]
    assert response["body"] == {
        "turnId": turn_id, "content": "the answer", "finalOffset": 4, "truncated": True,
        "stopReason": "max_tokens",
    }  # fmt: skip
    assert response["idempotencyKey"] == f"turn:{turn_id}:response"
    assert response["causationId"] == turn_id
    assert ended["idempotencyKey"] == f"turn:{turn_id}:terminal"
    assert ended["causationId"] == response["eventId"] == done.response_event_id
    assert ended["body"] == {
        "turnId": turn_id, "status": "completed", "responseEventId": response["eventId"],
    }  # fmt: skip
    assert ended["actor"]["actorId"] == ledger.a
    assert ledger.attempt(turn_id) == ("terminal", "delivered")
    assert ledger.woken == [ledger.a]


def test_the_same_end_again_is_answered_with_the_first(ledger, refused):
    turn_id, attempt_id = ledger.running()
    first = ledger.end(turn_id, attempt_id, Cause.COMPLETED, response="yes")
    before = ledger.dump()
    again = ledger.end(turn_id, attempt_id, Cause.COMPLETED, response="yes")
    assert ledger.dump() == before
    assert not again.fresh
    assert (again.terminal_event_id, again.response_event_id) == (
        first.terminal_event_id, first.response_event_id,
    )  # fmt: skip
    other = end(ledger, turn_id, attempt_id, Cause.COMPLETED, response="no")
    refused("STORE_CONFLICT", terminal, other)
    refused("STORE_CONFLICT", terminal, end(ledger, turn_id, attempt_id, Cause.EXITED))


def test_the_same_failure_is_told_by_its_code(ledger, refused):
    turn_id, attempt_id = ledger.running()
    ledger.end(turn_id, attempt_id, Cause.NATIVE_FAILED, error_code="NATIVE_QUOTA_EXCEEDED")
    same = end(ledger, turn_id, attempt_id, Cause.NATIVE_FAILED, error_code="NATIVE_QUOTA_EXCEEDED")
    assert not ledger.write(terminal, same).fresh
    refused("STORE_CONFLICT", terminal, end(ledger, turn_id, attempt_id, Cause.NATIVE_FAILED))


INVOKED_OR_STARTED = [
    (Cause.EXITED, "interrupted", "ADAPTER_EXITED", "unknown"),
    (Cause.NATIVE_FAILED, "failed", "NATIVE_TURN_FAILED", "delivered"),
    (Cause.PROTOCOL_BROKEN, "failed", "PROTOCOL_INVALID_MESSAGE", "unknown"),
    (Cause.NO_FIRST_EVENT, "failed", "TURN_FIRST_EVENT_TIMEOUT", "unknown"),
    (Cause.IDLE, "failed", "TURN_IDLE_TIMEOUT", "unknown"),
    (Cause.INTERACTION, "failed", "UNEXPECTED_NATIVE_INTERACTION", "delivered"),
    (Cause.CANCELLED, "cancelled", None, "unknown"),
    (Cause.CANCEL_IGNORED, "interrupted", "TURN_CANCEL_TIMEOUT", "unknown"),
    (Cause.DAEMON_KILLED, "interrupted", "TURN_INTERRUPTED", "unknown"),
    (Cause.STOP_CONFIRMED, "cancelled", None, "unknown"),
    (Cause.STOP_UNCONFIRMED, "interrupted", "TURN_INTERRUPTED", "unknown"),
    (Cause.COMPLETED, "completed", None, "delivered"),
]


@pytest.mark.parametrize(("cause", "status", "code", "certainty"), INVOKED_OR_STARTED)
@pytest.mark.parametrize("state", ["invoked", "started", "cancelling", "cancelling+started"])
def test_ends_after_the_prompt_left(ledger, cause, status, code, certainty, state):
    if "started" in state:
        turn_id, attempt_id = ledger.running()
        certainty = "delivered"
    else:
        turn_id = ledger.queued()
        attempt_id = ledger.claim(turn_id).attempt_id
    if "cancelling" in state:
        ledger.cancel(turn_id)
    done = ledger.end(turn_id, attempt_id, cause)
    assert (done.status, done.error_code) == (status, code)
    assert ledger.attempt(turn_id) == ("terminal", certainty)
    moved = ledger.row("SELECT last_delivered_seq FROM delivery_cursors")
    assert (moved is not None) == (certainty == "delivered")


@pytest.mark.parametrize("invoked", [False, None])
@pytest.mark.parametrize(
    ("cause", "code"),
    [
        (Cause.START_FAILED, "ADAPTER_START_FAILED"),
        (Cause.PACKET_IMPOSSIBLE, "CONTEXT_BUDGET_EXCEEDED"),
        (Cause.AGENT_GONE, "ADAPTER_NOT_FOUND"),
        (Cause.OTHER_TRANSPORT, "TRANSPORT_MODE_MISMATCH"),
        (Cause.INTERACTION, "UNEXPECTED_NATIVE_INTERACTION"),
    ],
)
def test_ends_before_anything_was_sent(ledger, cause, code, invoked):
    turn_id = ledger.queued()
    attempt_id = None if invoked is None else ledger.claim(turn_id, invoke=False).attempt_id
    done = ledger.end(turn_id, attempt_id, cause, message="why")
    assert (done.status, done.error_code) == ("failed", code)
    event = last(ledger, "turn.failed")
    assert event["actor"]["actorId"] == "system:groupx"
    assert event["body"]["message"] == "why"
    no_packet = attempt_id is None and cause is Cause.PACKET_IMPOSSIBLE
    certainty = None if no_packet else "not_delivered"
    assert event["body"].get("deliveryCertainty") == certainty
    assert turn_view(ledger.conn, turn_id).delivery_certainty == certainty


def test_a_turn_without_an_attempt_is_known_not_to_be_delivered_once_it_ended(ledger):
    turn_id = ledger.queued()
    assert turn_view(ledger.conn, turn_id).delivery_certainty is None
    ledger.cancel(turn_id)
    assert turn_view(ledger.conn, turn_id).delivery_certainty == "not_delivered"
    assert ledger.rows("SELECT * FROM delivery_cursors") == []


def test_a_completion_that_outran_its_start_enters_it_first(ledger):
    turn_id = ledger.queued()
    attempt_id = ledger.claim(turn_id).attempt_id
    since = len(ledger.frames)
    ledger.end(turn_id, attempt_id, Cause.COMPLETED, response="r", native_turn_id="n9")
    assert ledger.types(since) == ["turn.started", "message.created", "turn.completed"]
    assert ledger.row("SELECT native_turn_id, started_at FROM turn_attempts")[0] == "n9"


@pytest.mark.parametrize("cause", [Cause.COMPLETED, Cause.EXITED, Cause.CANCEL_IGNORED])
def test_what_was_never_sent_cannot_end_like_what_ran(ledger, refused, cause):
    refused("STORE_CONFLICT", terminal, end(ledger, ledger.queued(), None, cause))


def test_a_cancelled_turn_that_was_never_sent_cannot_complete(ledger, refused):
    """Such rows exist only in older ledgers."""
    turn_id = ledger.queued()
    attempt_id = ledger.claim(turn_id, invoke=False).attempt_id
    ledger.conn.execute("UPDATE turns SET status = 'cancelling'")
    refused("STORE_CONFLICT", terminal, end(ledger, turn_id, attempt_id, Cause.COMPLETED))


def test_only_the_open_attempt_can_end(ledger, refused):
    turn_id = ledger.queued()
    first = ledger.claim(turn_id).attempt_id
    refused("STORE_CONFLICT", terminal, end(ledger, turn_id, "attempt_x", Cause.EXITED))
    refused("STORE_CONFLICT", terminal, end(ledger, turn_id, None, Cause.START_FAILED))
    assert ledger.end(turn_id, first, Cause.EXITED).fresh
    refused("NOT_FOUND", terminal, end(ledger, "turn_none", None, Cause.START_FAILED))


def test_the_cursor_moves_to_what_was_delivered_and_never_back(ledger):
    first, second = ledger.completed(), ledger.completed()
    del first, second
    seq = ledger.row("SELECT max(context_through_seq) FROM turn_attempts")[0]
    turn_id = ledger.queued()
    attempt_id = ledger.claim(turn_id, context_through_seq=1).attempt_id
    ledger.end(turn_id, attempt_id, Cause.NATIVE_FAILED)
    assert ledger.row("SELECT last_delivered_seq, last_summary_seq FROM delivery_cursors") == (
        seq, None,
    )  # fmt: skip


def test_the_summary_counts_as_seen_only_with_its_packet(ledger):
    ledger.completed()
    ledger.conn.execute(
        "INSERT INTO summaries VALUES ('s', 'room:main', 1, 3, 's', 'agent:a', 'active', 'now')"
    )
    for cause, seen in ((Cause.EXITED, None), (Cause.NATIVE_FAILED, 3), (Cause.EXITED, 3)):
        turn_id = ledger.queued()
        attempt_id = ledger.claim(turn_id, summary_through_seq=3).attempt_id
        ledger.end(turn_id, attempt_id, cause)
        assert ledger.row("SELECT last_summary_seq FROM delivery_cursors") == (seen,)


def test_an_interruption_keeps_what_was_said(ledger):
    turn_id, attempt_id = ledger.running()
    ledger.end(turn_id, attempt_id, Cause.EXITED, partial_text="half an ans", message="m")
    assert ledger.row("SELECT partial_text FROM turns WHERE turn_id = ?", turn_id) == (
        "half an ans",
    )
    assert last(ledger, "turn.interrupted")["body"] == {
        "turnId": turn_id, "status": "interrupted", "errorCode": "ADAPTER_EXITED",
        "message": "m", "deliveryCertainty": "delivered", "reconciliation": "none",
        "partialCharacters": 11,
    }  # fmt: skip


def test_an_interaction_leaves_only_its_kind_and_reason(ledger):
    turn_id, attempt_id = ledger.running()
    ledger.end(
        turn_id, attempt_id, Cause.INTERACTION, interaction={"kind": "permission", "reason": "rm"}
    )
    assert last(ledger, "turn.failed")["body"]["interaction"] == {
        "kind": "permission", "reason": "rm",
    }  # fmt: skip


# --- dated memory -----------------------------------------------------------------------------


def test_a_completed_turn_is_filed_under_its_day(ledger):
    ledger.completed(content="12345", response="678")
    ledger.completed(content="1", response="")
    rollup = ledger.row(
        "SELECT local_date, pending_turns, pending_chars, pending_through_seq FROM"
        " agent_dated_memory_rollups WHERE actor_id = ?",
        ledger.a,
    )
    sources = ledger.rows(
        "SELECT source_chars, source_seq < response_seq, processed_at FROM"
        " agent_dated_memory_sources ORDER BY response_seq"
    )
    newest = ledger.row("SELECT max(response_seq) FROM agent_dated_memory_sources")[0]
    assert rollup == ("2026-02-02", 2, 9, newest)
    assert sources == [(8, 1, None), (1, 1, None)]


def test_others_are_not_filed(ledger):
    turn_id, attempt_id = ledger.running()
    ledger.end(turn_id, attempt_id, Cause.EXITED)
    observer, attempt_id = ledger.running()
    event_id = ledger.row("SELECT event_id FROM events LIMIT 1")[0]
    ledger.conn.execute(
        "INSERT INTO supervision_pairs VALUES ('p', 'room:main', 'c', ?, ?, ?, 'live_steer', 'n')",
        (event_id,) * 3,
    )
    ledger.conn.execute(
        "INSERT INTO supervision_pair_turns VALUES (?, 'p', 'observer', 'agent:a', 'n')",
        (observer,),
    )
    ledger.end(observer, attempt_id, Cause.COMPLETED, response="seen")
    assert ledger.rows("SELECT * FROM agent_dated_memory_sources") == []


def test_a_completion_must_know_its_day(ledger):
    turn_id, attempt_id = ledger.running()
    before = ledger.counts()
    with pytest.raises(ValueError, match="local day"):
        ledger.end(turn_id, attempt_id, Cause.COMPLETED, local_date="")
    assert ledger.counts() == before
