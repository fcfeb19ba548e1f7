"""A message whose work is watched: one transaction, or nothing."""

import attrs
import orjson
import pytest

from groupx.domain.commands import AgainCommand, WithdrawCommand
from groupx.domain.ids import USER_WEB
from groupx.domain.limits import Limits
from groupx.domain.outcomes import Cause
from groupx.domain.roster import Skipped
from groupx.domain.supervision import Supervision
from groupx.store.transactions.accept import accept
from groupx.store.transactions.again import again
from groupx.store.transactions.withdraw import replace, withdraw


def watched_by(*observers):
    return Supervision(observers=observers)


def events(ledger, since=0):
    return [orjson.loads(frame.data) for frame in ledger.frames[since:]]


def test_workers_and_observers_start_under_one_root_in_one_commit(ledger):
    answer = ledger.send(ledger.a, content="do it", supervision=watched_by(ledger.b, ledger.c))
    message, queued, brief, _, _, paired = events(ledger)
    (worker,) = answer.turns
    watch = [turn.turn_id for turn in answer.watch_turns]
    assert ledger.types() == [
        "message.created", "turn.queued",
        "message.created", "turn.queued", "turn.queued", "supervision.paired",
    ]  # fmt: skip
    assert message["body"] == {"content": "do it"}
    assert message["to"] == [ledger.a]
    assert queued["body"]["turnId"] == worker.turn_id
    assert (brief["eventId"], paired["eventId"]) == (answer.watch_event_id, answer.pair_event_id)
    assert brief["actor"]["actorId"] == "system:groupx"
    assert brief["to"] == [ledger.b, ledger.c]
    assert brief["replyToEventId"] == brief["causationId"] == message["eventId"]
    assert brief["provenance"] == {
        "sourceKind": "supervision", "authorActorId": "user:web",
        "sourceEventId": message["eventId"], "labels": ["supervision.watch"],
    }  # fmt: skip
    pair_id = paired["body"]["pairId"]
    assert paired["body"] == {
        "pairId": pair_id, "mode": "live_steer",
        "sourceEventId": message["eventId"], "watchEventId": brief["eventId"],
        "workers": [{"actorId": ledger.a, "turnId": worker.turn_id}],
        "observers": [
            {"actorId": ledger.b, "turnId": watch[0]}, {"actorId": ledger.c, "turnId": watch[1]},
        ],
    }  # fmt: skip
    roots = ledger.rows("SELECT root_correlation_id, hop_count, parent_turn_id FROM turns")
    assert roots == [(answer.correlation_id, 0, None)] * 3
    assert ledger.rows("SELECT * FROM supervision_pairs")[0][:7] == (
        pair_id, "room:main", answer.correlation_id, message["eventId"], brief["eventId"],
        paired["eventId"], "live_steer",
    )  # fmt: skip
    assert ledger.rows("SELECT turn_id, pair_id, role FROM supervision_pair_turns") == [
        (worker.turn_id, pair_id, "worker"), *((turn, pair_id, "observer") for turn in watch),
    ]  # fmt: skip
    assert ledger.woken == [ledger.a, ledger.b, ledger.c]


def test_the_brief_names_the_workers_turn_and_never_the_task(ledger):
    answer = ledger.send(ledger.a, content="melt the glacier", supervision=watched_by(ledger.b))
    brief = next(it for it in events(ledger) if it["eventId"] == answer.watch_event_id)
    assert brief["body"]["kind"] == "supervision.watch"
    assert "glacier" not in brief["body"]["content"]
    assert answer.turns[0].turn_id in brief["body"]["content"]


def test_the_same_command_again_is_answered_with_the_same_pair(ledger):
    command = ledger.message(ledger.a, supervision=watched_by(ledger.b))
    first = ledger.write(accept, command)
    before = ledger.counts()
    assert ledger.write(accept, command) == first
    assert None not in (first.watch_turns, first.watch_event_id, first.pair_event_id)
    assert ledger.counts() == before


def test_everyone_is_everyone_but_the_observers(ledger):
    answer = ledger.send("@all", supervision=watched_by(ledger.b))
    assert [turn.target for turn in answer.turns] == [ledger.a, ledger.c]
    assert answer.skipped == (Skipped(target=ledger.b, reason="observer"),)


def test_a_pair_without_supervision_is_none(ledger):
    answer = ledger.send(ledger.a)
    assert (answer.watch_turns, answer.watch_event_id, answer.pair_event_id) == (None,) * 3
    assert ledger.row("SELECT count(*) FROM supervision_pairs") == (0,)


@pytest.mark.parametrize(
    ("code", "to", "observers"),
    [
        ("SUPERVISION_PAIR_INVALID", ("agent:a",), ("agent:a",)),
        ("SUPERVISION_PAIR_INVALID", ("agent:a", "agent:b"), ("agent:c", "agent:b")),
        ("SUPERVISION_PAIR_INVALID", ("agent:a",), ()),
        ("SUPERVISION_PAIR_INVALID", ("agent:a",), ("agent:b", "agent:b")),
        ("SUPERVISION_PAIR_INVALID", ("agent:a",), ("@all",)),
        ("SUPERVISION_PAIR_INVALID", ("agent:a",), tuple(f"agent:{n}" for n in "bcdef")),
        ("TARGET_NOT_RUNNING", ("@all",), ("agent:a", "agent:b", "agent:c")),
        ("UNKNOWN_TARGET", ("agent:a",), ("agent:x",)),
        ("INVALID_ENVELOPE", ("agent:a", "agent:a"), ("agent:b",)),
    ],
)
def test_refusals_store_nothing(ledger, refused, code, to, observers):
    refused(code, accept, ledger.message(*to, supervision=watched_by(*observers)))


def test_an_observer_that_is_stopped_refuses_the_whole(ledger, refused):
    roster = (*ledger.roster[:2], attrs.evolve(ledger.roster[2], stopped=True))
    command = ledger.message(ledger.a, roster=roster, supervision=watched_by(ledger.c))
    refused("TARGET_NOT_RUNNING", accept, command)


def test_an_observers_full_lane_refuses_the_whole(ledger, refused):
    limits = Limits(queue_per_agent=1)
    ledger.queued(ledger.b)
    command = ledger.message(ledger.a, limits=limits, supervision=watched_by(ledger.b))
    refused("QUEUE_CAPACITY_REACHED", accept, command)


# --- started by an agent ----------------------------------------------------------------------


def call(ledger, parent, caller, *to, kind="mcp.send", **changes):
    key = ledger.key(kind, binding=ledger.bindings[caller])
    fields = {"key": key, "actor_id": caller, "parent_turn_id": parent, "waits": kind == "mcp.ask"}
    return ledger.message(*to, **(fields | changes))


def test_an_agents_pair_stands_one_hop_below_it(ledger):
    parent, _ = ledger.running(ledger.a)
    answer = ledger.call(parent, ledger.a, ledger.b, supervision=watched_by(ledger.c))
    for turn in (*answer.turns, *answer.watch_turns):
        row = ledger.row(
            "SELECT parent_turn_id, hop_count, root_correlation_id, trigger_kind FROM turns"
            " WHERE turn_id = ?",
            turn.turn_id,
        )
        assert row == (parent, 1, answer.correlation_id, "automatic")


def test_nobody_watches_what_it_asks_for_itself(ledger, refused):
    parent, _ = ledger.running(ledger.a)
    command = call(ledger, parent, ledger.a, ledger.b, supervision=watched_by(ledger.a))
    refused("SUPERVISION_PAIR_INVALID", accept, command)


def test_nobody_waits_for_a_watch_turn(ledger):
    parent, _ = ledger.running(ledger.a)
    child = ledger.call(parent, ledger.a, ledger.b).turns[0].turn_id
    ledger.claim(child)
    ask = call(
        ledger, child, ledger.b, ledger.c,
        kind="mcp.ask", wake_me=True, supervision=watched_by(ledger.a),
    )  # fmt: skip
    answer = ledger.write(accept, ask)
    claims = ledger.rows("SELECT child_turn_id FROM completion_claims")
    assert claims == [(answer.turns[0].turn_id,)]


@pytest.mark.parametrize(
    ("code", "limits"),
    [
        ("ROOT_TURN_LIMIT_REACHED", Limits(root_turns=2)),
        ("HOP_LIMIT_REACHED", Limits(hop_count=0)),
        ("ACTOR_CALL_LIMIT_REACHED", Limits(actor_calls_per_root=0)),
    ],
)
def test_loop_limits_count_the_observers_too(ledger, code, limits):
    parent, _ = ledger.running(ledger.a)
    command = call(
        ledger, parent, ledger.a, ledger.b, limits=limits, supervision=watched_by(ledger.c)
    )
    with pytest.raises(Exception, match="limit") as caught:
        ledger.write(accept, command)
    assert caught.value.code == code
    assert ledger.row("SELECT count(*) FROM supervision_pairs") == (0,)
    if code == "ROOT_TURN_LIMIT_REACHED":
        assert ledger.write(accept, call(ledger, parent, ledger.a, ledger.b, limits=limits))


# --- out of a watch turn ----------------------------------------------------------------------


def watching(ledger):
    """(pair's answer, its running watch turn's id): A works, B watches."""
    answer = ledger.send(ledger.a, supervision=watched_by(ledger.b))
    (watch,) = answer.watch_turns
    ledger.claim(watch.turn_id)
    return answer, watch.turn_id


@pytest.mark.parametrize("kind", ["mcp.send", "mcp.ask"])
@pytest.mark.parametrize("to", [("agent:a",), ("agent:c", "agent:a"), ("@all",)])
def test_a_watcher_reaches_its_worker_by_steer_only(ledger, refused, kind, to):
    _, watch = watching(ledger)
    error = refused(
        "SUPERVISION_STEER_REQUIRED", accept, call(ledger, watch, ledger.b, *to, kind=kind)
    )
    assert error.details["target"] == ledger.a


def test_a_watcher_cannot_make_its_worker_an_observer_either(ledger, refused):
    _, watch = watching(ledger)
    command = call(ledger, watch, ledger.b, ledger.c, supervision=watched_by(ledger.a))
    refused("SUPERVISION_STEER_REQUIRED", accept, command)


def test_a_watcher_may_send_to_everybody_else(ledger):
    _, watch = watching(ledger)
    assert ledger.write(accept, call(ledger, watch, ledger.b, ledger.c, kind="mcp.ask"))
    worker = ledger.row("SELECT turn_id FROM supervision_pair_turns WHERE role = 'worker'")[0]
    ledger.claim(worker)
    assert ledger.write(accept, call(ledger, worker, ledger.a, ledger.b)), "a worker may"


@pytest.mark.parametrize("kind", ["retry", "continue"])
def test_a_watch_turn_is_not_run_again(ledger, refused, kind):
    _, watch = watching(ledger)
    (attempt,) = ledger.row("SELECT attempt_id FROM turn_attempts WHERE turn_id = ?", watch)
    ledger.end(watch, attempt, Cause.EXITED)
    command = AgainCommand(
        key=ledger.key(f"turn.{kind}"), kind=kind, turn_id=watch, actor_id=USER_WEB,
        roster=ledger.roster, limits=Limits(),
    )  # fmt: skip
    refused("SUPERVISION_PAIR_INVALID", again, command)


def test_a_watch_turn_is_no_dated_source(ledger):
    _, watch = watching(ledger)
    (attempt,) = ledger.row("SELECT attempt_id FROM turn_attempts WHERE turn_id = ?", watch)
    ledger.end(watch, attempt, Cause.COMPLETED, response="seen")
    assert ledger.rows("SELECT * FROM agent_dated_memory_sources") == []
    assert ledger.rows("SELECT * FROM agent_dated_memory_rollups") == []


# --- taken back -------------------------------------------------------------------------------


def waiting_pair(ledger):
    """A's lane is busy, so its turn waits; B watches already."""
    ledger.running(ledger.a)
    return watching(ledger)


def take_back(ledger, message_event_id, **changes):
    fields = {
        "key": ledger.key("message.withdraw"), "message_event_id": message_event_id,
        "actor_id": USER_WEB, "roster": ledger.roster,
    }  # fmt: skip
    return WithdrawCommand(**(fields | changes))


def test_nobody_watches_what_was_withdrawn(ledger):
    answer, watch = waiting_pair(ledger)
    command = take_back(ledger, answer.message_event_id)
    withdrawn = ledger.write(withdraw, command)
    assert [(turn.turn_id, turn.status) for turn in withdrawn.turns] == [
        (answer.turns[0].turn_id, "cancelled"), (watch, "cancelling"),
    ]  # fmt: skip
    assert ledger.write(withdraw, command) == withdrawn


def test_what_replaces_a_watched_message_is_watched(ledger):
    answer, watch = waiting_pair(ledger)
    command = take_back(ledger, answer.message_event_id, replacement="better")
    replaced = ledger.write(replace, command)
    assert [turn.target for turn in replaced.watch_turns] == [ledger.b]
    assert ledger.status(watch) == "cancelling"
    assert ledger.types()[-1] == "supervision.paired"
    assert ledger.write(replace, command) == replaced


def test_a_begun_worker_keeps_its_watcher(ledger, refused):
    answer, watch = watching(ledger)
    ledger.claim(answer.turns[0].turn_id)
    refused("TURN_NOT_QUEUED", withdraw, take_back(ledger, answer.message_event_id))
    assert ledger.status(watch) == "dispatching"


def test_nobody_takes_the_brief_back(ledger, refused):
    answer, _ = waiting_pair(ledger)
    refused("STORE_CONFLICT", withdraw, take_back(ledger, answer.watch_event_id))
