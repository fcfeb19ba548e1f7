"""Steer: count, guidance, next turn, record and, for an interrupt, the cancel: all or nothing."""

import attrs
import orjson
import pytest

from groupx.domain.commands import ContinueRootCommand
from groupx.domain.errors import RecordedRefusal
from groupx.domain.ids import USER_WEB, WEB_BINDING
from groupx.domain.limits import Limits
from groupx.domain.outcomes import Cause
from groupx.domain.supervision import Supervision
from groupx.store.transactions.continue_root import continue_root
from groupx.store.transactions.steer import steer
from tests.store.pairs import Pair


def events(ledger, since):
    return [orjson.loads(frame.data) for frame in ledger.frames[since:]]


def steers(ledger, subject):
    row = ledger.row(
        "SELECT steer_count FROM supervision_steer_counts WHERE subject_turn_id = ?", subject
    )
    return row and row[0]


def test_a_nudge_is_a_message_a_turn_and_a_record(ledger):
    pair = Pair(ledger)
    count = len(ledger.frames)
    answer = pair.steer()
    message, queued, steered = events(ledger, count)
    following = answer.next_turn.turn_id
    assert [it["type"] for it in (message, queued, steered)] == [
        "message.created", "turn.queued", "supervision.steered",
    ]  # fmt: skip
    assert message["actor"]["actorId"] == ledger.b
    assert message["actor"]["instanceId"] == "instance_2"
    assert message["to"] == [ledger.a]
    assert message["body"] == {"kind": "steer", "content": "keep the API"}
    assert message["replyToEventId"] == pair.accepted.message_event_id
    assert message["provenance"] == {"sourceKind": "mcp", "authorActorId": ledger.b}
    assert steered["body"] == {
        "action": "nudge", "reason": "scope drift", "subjectTurnId": pair.subject,
        "nextTurnId": following, "pairId": pair.pair_id,
    }  # fmt: skip
    assert steered["causationId"] == message["causationId"] == pair.watch
    assert ledger.row(
        "SELECT parent_turn_id, hop_count, root_correlation_id, trigger_kind, caused_by_turn_id"
        " FROM turns WHERE turn_id = ?",
        following,
    ) == (pair.watch, 1, pair.accepted.correlation_id, "control", pair.watch)
    for event in (message, queued, steered):
        assert event["correlationId"] == event["rootCorrelationId"] == pair.accepted.correlation_id
    assert ledger.row(
        "SELECT pair_id, role FROM supervision_pair_turns WHERE turn_id = ?", following
    ) == (pair.pair_id, "worker")
    assert ledger.status(pair.subject) == "running"
    assert ledger.woken == [ledger.a]
    assert (answer.steer_count, answer.steer_limit, answer.subject_status) == (1, 3, "running")


def test_an_interrupt_also_cancels_the_whole_turn(ledger):
    pair = Pair(ledger)
    answer = pair.steer("interrupt")
    assert answer.subject_status == ledger.status(pair.subject) == "cancelling"
    assert ledger.status(answer.next_turn.turn_id) == "queued"
    pair.end(pair.subject, Cause.CANCELLED)
    assert events(ledger, -1)[0]["body"]["reason"] == "steer"
    pair.begin(answer.next_turn.turn_id)


def test_an_interrupt_of_a_queued_turn_ends_it_at_once(ledger):
    ledger.running(ledger.a)
    pair = Pair(ledger, begun=False)
    answer = pair.steer("interrupt")
    assert answer.subject_status == ledger.status(pair.subject) == "cancelled"
    (end,) = events(ledger, -1)
    assert (end["type"], end["body"]["reason"]) == ("turn.cancelled", "steer")


def test_who_cancels_a_nudged_turn_is_the_user(ledger):
    pair = Pair(ledger)
    pair.steer()
    ledger.cancel(pair.subject)
    pair.end(pair.subject, Cause.CANCELLED)
    assert events(ledger, -1)[0]["body"]["reason"] == "user"


def test_the_steered_turn_is_watched_and_steered_in_its_turn(ledger):
    pair = Pair(ledger)
    first = pair.steer("interrupt").next_turn.turn_id
    pair.end(pair.subject, Cause.CANCELLED)
    second = pair.steer()
    assert second.subject_turn_id == first
    assert (steers(ledger, pair.subject), steers(ledger, first)) == (1, 1)
    chain = events(ledger, -3)[0]
    assert chain["hopCount"] == 1, "every steer is one hop below the watch turn"


def test_the_same_command_again_happens_once(ledger):
    pair = Pair(ledger)
    command = pair.command("interrupt")
    first = ledger.write(steer, command)
    before = ledger.counts()
    assert ledger.write(steer, command) == first
    assert ledger.counts() == before


def test_what_has_ended_can_be_nudged_and_not_interrupted(ledger, refused):
    pair = Pair(ledger)
    pair.end(pair.subject)
    command = pair.command("interrupt", subject_turn_id=pair.subject)
    error = refused("TARGET_NOT_RUNNING", steer, command)
    assert error.details == {"subjectTurnId": pair.subject, "status": "completed"}
    assert steers(ledger, pair.subject) is None
    assert pair.steer(subject_turn_id=pair.subject).steer_count == 1


def test_the_limit_is_a_count_that_the_room_is_shown_once(ledger, refused):
    pair = Pair(ledger)
    limits = Limits(steers_per_subject_turn=2)
    named = {"limits": limits, "subject_turn_id": pair.subject}
    assert [pair.steer(**named).steer_count for _ in range(2)] == [1, 2]
    with pytest.raises(RecordedRefusal) as caught:
        ledger.write(steer, pair.command(**named))
    assert caught.value.code == "STEER_LIMIT_REACHED"
    again = refused("STEER_LIMIT_REACHED", steer, pair.command("interrupt", **named))
    assert again.details == {"subjectTurnId": pair.subject, "limit": 2}
    assert steers(ledger, pair.subject) == 2
    assert ledger.status(pair.subject) == "running"


def test_a_limit_on_record_is_an_error_of_the_room(ledger):
    pair = Pair(ledger)
    with pytest.raises(RecordedRefusal):
        ledger.write(steer, pair.command(limits=Limits(steers_per_subject_turn=0)))
    (shown,) = events(ledger, -1)
    assert shown["type"] == "system.error"
    assert shown["body"]["code"] == "STEER_LIMIT_REACHED"
    assert ledger.b in shown["body"]["message"]


@pytest.mark.parametrize(
    ("code", "changes"),
    [
        ("INVALID_ENVELOPE", {"reason": " "}),
        ("INVALID_ENVELOPE", {"reason": "x" * 501}),
        ("MESSAGE_TOO_LARGE", {"limits": Limits(message_characters=3)}),
        ("SUPERVISION_PAIR_INVALID", {"subject_turn_id": "turn_none"}),
        ("SESSION_NOT_AVAILABLE", {"watch_turn_id": "turn_none"}),
        ("UNKNOWN_TARGET", {"roster": ()}),
        ("QUEUE_CAPACITY_REACHED", {"limits": Limits(queue_per_agent=0)}),
    ],
)
def test_refusals_store_nothing(ledger, refused, code, changes):
    pair = Pair(ledger)
    refused(code, steer, pair.command(**changes))
    refused(code, steer, pair.command("interrupt", **changes))
    assert ledger.status(pair.subject) == "running"


def test_a_worker_that_is_stopped_is_not_steered(ledger, refused):
    pair = Pair(ledger)
    refused("TARGET_NOT_RUNNING", steer, pair.command(roster=pair.without(ledger.a)))


def test_only_a_watch_turn_steers(ledger, refused):
    pair = Pair(ledger)
    by_worker = pair.command(
        key=ledger.key("mcp.steer", binding=ledger.bindings[ledger.a]),
        actor_id=ledger.a, watch_turn_id=pair.subject,
    )  # fmt: skip
    refused("SUPERVISION_WATCH_REQUIRED", steer, by_worker)
    alone, _ = ledger.running(ledger.c)
    stranger = attrs.evolve(
        by_worker,
        key=ledger.key("mcp.steer", binding=ledger.bindings[ledger.c]),
        actor_id=ledger.c, watch_turn_id=alone,
    )  # fmt: skip
    refused("SUPERVISION_WATCH_REQUIRED", steer, stranger)


def test_nobody_steers_for_another_or_after_the_end(ledger, refused):
    pair = Pair(ledger)
    foreign = ledger.key("mcp.steer", binding=WEB_BINDING)
    refused("MCP_BINDING_MISMATCH", steer, pair.command(key=foreign))
    theirs = ledger.key("mcp.steer", binding=ledger.bindings[ledger.a])
    refused("MCP_BINDING_MISMATCH", steer, pair.command(key=theirs, actor_id=ledger.a))
    pair.end(pair.watch)
    refused("SESSION_NOT_AVAILABLE", steer, pair.command())


def test_another_pairs_worker_is_not_ones_own(ledger, refused):
    other = ledger.send(ledger.c, supervision=Supervision(observers=(ledger.a,)))
    pair = Pair(ledger, begun=False)
    command = pair.command(subject_turn_id=other.turns[0].turn_id)
    error = refused("SUPERVISION_PAIR_INVALID", steer, command)
    assert [it["turnId"] for it in error.details["workers"]] == [pair.subject]


def test_the_subject_may_be_left_out_only_if_one_worker_is_open(ledger, refused):
    pair = Pair(ledger, ledger.a, ledger.c)
    error = refused("SUPERVISION_PAIR_INVALID", steer, pair.command())
    assert [it["actorId"] for it in error.details["workers"]] == [ledger.a, ledger.c]
    pair.end(pair.subject)
    assert pair.steer().subject_actor_id == ledger.c
    ledger.cancel(pair.accepted.turns[1].turn_id)
    ledger.cancel(ledger.row("SELECT turn_id FROM turns WHERE parent_turn_id IS NOT NULL")[0])
    refused("SUPERVISION_PAIR_INVALID", steer, pair.command())


# --- loop limits ------------------------------------------------------------------------------

LOOP = pytest.mark.parametrize(
    ("code", "limits"),
    [
        ("HOP_LIMIT_REACHED", Limits(hop_count=0)),
        ("ROOT_TURN_LIMIT_REACHED", Limits(root_turns=2)),
        ("ACTOR_CALL_LIMIT_REACHED", Limits(actor_calls_per_root=0)),
    ],
)


@LOOP
def test_a_steer_that_a_loop_limit_stops_is_on_record_and_can_go_on(ledger, code, limits):
    pair = Pair(ledger)
    with pytest.raises(RecordedRefusal) as caught:
        ledger.write(steer, pair.command("interrupt", limits=limits))
    assert caught.value.code == code
    assert steers(ledger, pair.subject) is None
    assert ledger.status(pair.subject) == "running"
    (stop,) = events(ledger, -1)
    assert stop["type"] == "routing.loop_stopped"
    assert stop["body"]["refused"] == {
        "commandType": "mcp.steer", "actorId": ledger.b, "to": [ledger.a],
        "content": "keep the API", "subjectTurnId": pair.subject, "steerReason": "scope drift",
    }  # fmt: skip
    answer = ledger.write(continue_root, go_on(ledger, pair, limits))
    assert ledger.row(
        "SELECT trigger_kind FROM turns WHERE turn_id = ?", answer.turns[0].turn_id
    ) == ("control",)
    message, _, steered = events(ledger, -3)
    assert message["body"] == {"kind": "steer", "content": "keep the API"}
    assert message["actor"]["actorId"] == ledger.b
    assert steered["body"]["action"] == "nudge", "the moment to interrupt is over"
    assert steered["body"]["nextTurnId"] == answer.turns[0].turn_id
    assert steers(ledger, pair.subject) == 1


def go_on(ledger, pair, limits):
    return ContinueRootCommand(
        key=ledger.key("root.continue"), root_correlation_id=pair.accepted.correlation_id,
        by=USER_WEB, roster=ledger.roster, limits=limits,
    )  # fmt: skip


def test_what_goes_on_is_still_within_the_steer_limit(ledger, refused):
    pair = Pair(ledger)
    with pytest.raises(RecordedRefusal):
        ledger.write(steer, pair.command(limits=Limits(hop_count=0)))
    pair.steer(limits=Limits(steers_per_subject_turn=1))
    limits = Limits(hop_count=0, steers_per_subject_turn=1)
    refused("STEER_LIMIT_REACHED", continue_root, go_on(ledger, pair, limits))


def test_a_watched_call_that_a_limit_stopped_goes_on_watched(ledger):
    parent, _ = ledger.running(ledger.a)
    limits = Limits(hop_count=0)
    with pytest.raises(RecordedRefusal):
        ledger.call(
            parent, ledger.a, ledger.b,
            limits=limits, supervision=Supervision(observers=(ledger.c,)),
        )  # fmt: skip
    root = ledger.row("SELECT root_correlation_id FROM turns WHERE turn_id = ?", parent)[0]
    command = ContinueRootCommand(
        key=ledger.key("root.continue"), root_correlation_id=root,
        by=USER_WEB, roster=ledger.roster, limits=limits,
    )  # fmt: skip
    answer = ledger.write(continue_root, command)
    assert [turn.target for turn in answer.watch_turns] == [ledger.c]
    assert ledger.types()[-1] == "supervision.paired"
