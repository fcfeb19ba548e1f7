"""Calls that a limit stops: counted in the ledger, on record whole, refused once and the same."""

import orjson
import pytest

from groupx.domain.errors import GroupXError, RecordedRefusal
from groupx.domain.limits import Limits
from groupx.domain.outcomes import Cause
from groupx.store.loop_stop import MAX_STOPS
from groupx.store.transactions.accept import accept

STOPS = "SELECT count(*) FROM events WHERE event_type = 'routing.loop_stopped'"

CASES = pytest.mark.parametrize(
    ("limit", "bound", "code", "limits"),
    [
        ("hopCount", 1, "HOP_LIMIT_REACHED", Limits(hop_count=1)),
        ("rootTurns", 2, "ROOT_TURN_LIMIT_REACHED", Limits(root_turns=2)),
        ("actorCallsPerRoot", 1, "ACTOR_CALL_LIMIT_REACHED", Limits(actor_calls_per_root=1)),
    ],
)


def call(ledger, parent, caller, *to, kind="mcp.send", **changes):
    key = ledger.key(kind, binding=ledger.bindings[caller], to=list(to))
    fields = {"key": key, "actor_id": caller, "parent_turn_id": parent, "waits": kind == "mcp.ask"}
    return ledger.message(*to, **(fields | changes))


def chain(ledger):
    """(turn of a, turn of b that a called): as long as the limits of CASES allow."""
    parent, _ = ledger.running(ledger.a)
    child = ledger.call(parent, ledger.a, ledger.b).turns[0].turn_id
    ledger.claim(child)
    return parent, child


def refuse(ledger, command):
    with pytest.raises(GroupXError) as caught:
        ledger.write(accept, command)
    return caught.value


@CASES
def test_the_stop_holds_the_chain_and_the_whole_call(ledger, limit, bound, code, limits):
    parent, child = chain(ledger)
    said = ledger.row("SELECT event_id FROM events WHERE event_type = 'message.created'")[0]
    command = call(
        ledger, child, ledger.b, ledger.b,
        limits=limits, content="go on", reply_to_event_id=said, wake_me=True,
    )  # fmt: skip
    before = ledger.counts()
    error = refuse(ledger, command)
    stop = orjson.loads(ledger.frames[-1].data)
    root = ledger.row("SELECT root_correlation_id FROM turns WHERE turn_id = ?", parent)[0]
    assert isinstance(error, RecordedRefusal)
    assert error.code == code
    assert error.details == {
        "limit": limit, "bound": bound, "rootCorrelationId": root, "stopEventId": stop["eventId"],
    }  # fmt: skip
    assert stop["type"] == "routing.loop_stopped"
    assert stop["body"] == {
        "limit": limit,
        "bound": bound,
        "rootCorrelationId": root,
        "chain": [
            {"turnId": parent, "actorId": ledger.a},
            {"turnId": child, "actorId": ledger.b},
        ],
        "refused": {
            "commandType": "mcp.send", "actorId": ledger.b, "to": [ledger.b],
            "content": "go on", "replyToEventId": said, "wakeMe": True,
        },
    }  # fmt: skip
    after = ledger.counts()
    changed = {name for name in after if after[name] != before[name]}
    assert changed == {"events", "client_commands"}, "no message, no turn"


@CASES
def test_the_same_call_again_is_refused_the_same_and_written_down_once(
    ledger, limit, bound, code, limits
):
    _, child = chain(ledger)
    command = call(ledger, child, ledger.b, ledger.b, limits=limits)
    first, before = refuse(ledger, command), ledger.dump()
    # Also when the limits of a later run would let it through: an answer stays an answer.
    for again in (command, call(ledger, child, ledger.b, ledger.b, key=command.key)):
        second = refuse(ledger, again)
        assert (second.code, second.message, second.details) == (
            first.code, first.message, first.details,
        )  # fmt: skip
    assert ledger.dump() == before
    other = call(ledger, child, ledger.b, ledger.b, limits=limits)
    assert refuse(ledger, other).details["stopEventId"] != first.details["stopEventId"]


@CASES
def test_a_person_is_never_stopped_and_begins_anew(ledger, limit, bound, code, limits):
    chain(ledger)
    answer = ledger.send(ledger.b, limits=limits)
    row = ledger.row(
        "SELECT hop_count, parent_turn_id, root_correlation_id FROM turns WHERE turn_id = ?",
        answer.turns[0].turn_id,
    )
    assert row == (0, None, answer.correlation_id)


@CASES
def test_what_is_counted_is_in_the_ledger_ended_or_not(ledger, limit, bound, code, limits):
    parent, attempt = ledger.running(ledger.a)
    child = ledger.call(parent, ledger.a, ledger.b, limits=limits).turns[0].turn_id
    child_attempt = ledger.claim(child).attempt_id
    allowed = limit == "hopCount"  # the chain is no longer for a second call of the same turn
    ledger.end(child, child_attempt, Cause.COMPLETED, response="done")
    command = call(ledger, parent, ledger.a, ledger.b, limits=limits)
    if allowed:
        assert ledger.write(accept, command).turns
    else:
        assert refuse(ledger, command).code == code
    assert attempt


def test_root_turns_count_every_target_of_a_call(ledger):
    parent, _ = ledger.running(ledger.a)
    both = call(ledger, parent, ledger.a, ledger.b, ledger.c, limits=Limits(root_turns=2))
    assert refuse(ledger, both).code == "ROOT_TURN_LIMIT_REACHED"
    one = call(ledger, parent, ledger.a, ledger.b, limits=Limits(root_turns=2))
    assert ledger.write(accept, one).turns


def test_everyone_stays_everyone(ledger):
    parent, _ = ledger.running(ledger.a)
    refuse(ledger, call(ledger, parent, ledger.a, "@all", limits=Limits(hop_count=0)))
    assert orjson.loads(ledger.frames[-1].data)["body"]["refused"]["to"] == ["@all"]


def test_a_loop_that_goes_on_calling_does_not_fill_the_room(ledger):
    _, child = chain(ledger)
    limits = Limits(hop_count=1)
    for _ in range(MAX_STOPS):
        refuse(ledger, call(ledger, child, ledger.b, ledger.b, limits=limits))
    before = ledger.dump()
    error = refuse(ledger, call(ledger, child, ledger.b, ledger.b, limits=limits))
    assert (error.code, "stopEventId" in error.details) == ("HOP_LIMIT_REACHED", False)
    assert ledger.dump() == before
    assert ledger.row(STOPS) == (MAX_STOPS,)


def test_what_is_refused_for_another_reason_is_not_on_record(ledger, refused):
    _, child = chain(ledger)
    limits = Limits(hop_count=1)
    cycle = call(ledger, child, ledger.b, ledger.a, kind="mcp.ask", limits=limits)
    refused("CAUSAL_CYCLE", accept, cycle)
    refused("UNKNOWN_TARGET", accept, call(ledger, child, ledger.b, "agent:no", limits=limits))
    full = Limits(queue_per_agent=1)
    ledger.queued(ledger.c)
    refused("QUEUE_CAPACITY_REACHED", accept, call(ledger, child, ledger.b, ledger.c, limits=full))
    assert ledger.row(STOPS) == (0,)
