"""What a watcher is shown: public, bounded, and what is new since it last looked."""

import attrs
import orjson
import pytest

from groupx.domain.commands import PublishCommand
from groupx.domain.errors import GroupXError
from groupx.domain.ids import ActorId
from groupx.domain.ledger import ToolRecord
from groupx.domain.outcomes import Cause
from groupx.domain.supervision import Supervision
from groupx.domain.watching import (
    MAX_MESSAGES,
    MAX_OBSERVED,
    MAX_TOOLS,
    LastSteer,
    Milestone,
    ObserveCommand,
    WatchQuery,
)
from groupx.domain.wire import to_wire
from groupx.store.queries.watch import watch_state
from groupx.store.transactions.observe import observe
from groupx.store.transactions.publish import publish
from tests.store.pairs import Pair


def look(ledger, pair, **changes):
    fields = {"watch_turn_id": pair.watch, "actor_id": ledger.b}
    return watch_state(ledger.conn, WatchQuery(**(fields | changes)))


def observing(ledger, pair, snapshot=None, **changes):
    fields = {
        "key": ledger.key("mcp.watch", binding=ledger.bindings[ledger.b]),
        "actor_id": ledger.b,
        "watch_turn_id": pair.watch,
        "until": "next_milestone",
        "timed_out": False,
        "snapshot": snapshot or look(ledger, pair).snapshot,
    }
    return ObserveCommand(**(fields | changes))


def says(ledger, pair, content):
    command = ledger.message(content=content)
    key = ledger.key("mcp.publish", binding=ledger.bindings[ledger.a])
    return ledger.write(
        publish,
        PublishCommand(
            key=key, actor_id=ledger.a, content=content, provenance=command.provenance,
            limits=command.limits, parent_turn_id=pair.subject,
        ),
    )  # fmt: skip


def test_a_running_turn_from_now_on(ledger):
    pair = Pair(ledger)
    state = look(ledger, pair)
    snapshot = state.snapshot
    assert (snapshot.turn_id, snapshot.actor_id, snapshot.status) == (
        pair.subject, ledger.a, "running",
    )  # fmt: skip
    assert snapshot.delivery_certainty == "delivered"
    assert snapshot.last_seq == ledger.row("SELECT max(seq) FROM events")[0]
    assert (snapshot.terminal, snapshot.subject_cancelled) == (False, False)
    assert snapshot.task.event_id == pair.accepted.message_event_id
    assert snapshot.task.excerpt == "the task"
    assert (snapshot.messages, snapshot.tools, snapshot.steer_count) == ((), (), 0)
    assert (state.milestones, state.shown) == ((), None)


def test_what_came_after_a_cursor(ledger):
    pair = Pair(ledger, begun=False)
    cursor = look(ledger, pair).snapshot.last_seq
    pair.begin(pair.subject)
    said = says(ledger, pair, "half done")
    pair.steer()
    state = look(ledger, pair, after_seq=cursor, subject_turn_id=pair.subject)
    assert state.milestones == (Milestone.STARTED, Milestone.MESSAGE, Milestone.STEER)
    assert [(it.event_id, it.excerpt) for it in state.snapshot.messages] == [
        (said.message_event_id, "half done")
    ]
    assert state.snapshot.steer_count == 1
    assert state.snapshot.last_steer == LastSteer(action="nudge", reason="scope drift")
    cursor = state.snapshot.last_seq
    assert look(ledger, pair, after_seq=cursor, subject_turn_id=pair.subject).milestones == ()


@pytest.mark.parametrize(
    ("cause", "milestones"),
    [
        (Cause.COMPLETED, (Milestone.MESSAGE, Milestone.TERMINAL)),
        (Cause.EXITED, (Milestone.TERMINAL,)),
        (Cause.NATIVE_FAILED, (Milestone.TERMINAL,)),
    ],
)
def test_an_end_is_a_milestone_and_leaves_out_how_it_came_about(ledger, cause, milestones):
    pair = Pair(ledger)
    cursor = look(ledger, pair).snapshot.last_seq
    secret = {"name": "Bash", "kind": "execute", "status": "failed", "input": "SECRET", "text": "S"}
    pair.end(
        pair.subject, cause, reasoning="SECRET thought", partial_text="SECRET", message="SECRET",
        tools=(
            ToolRecord(native_type="tool.started", tool_call_id="1", details={**secret}),
            ToolRecord(native_type="tool.completed", tool_call_id="1", details=secret),
        ),
    )  # fmt: skip
    state = look(ledger, pair, after_seq=cursor)
    assert state.milestones == milestones
    assert state.snapshot.terminal
    (tool,) = state.snapshot.tools
    assert to_wire(tool) == {"toolCallId": "1", "name": "Bash", "status": "failed", "open": False}
    assert b"SECRET" not in orjson.dumps(to_wire(state.snapshot))


def test_a_cancel_by_the_user_is_told(ledger):
    pair = Pair(ledger)
    cursor = look(ledger, pair).snapshot.last_seq
    ledger.cancel(pair.subject)
    state = look(ledger, pair, after_seq=cursor)
    assert (state.snapshot.status, state.snapshot.subject_cancelled) == ("cancelling", True)
    pair.end(pair.subject, Cause.CANCELLED)
    state = look(ledger, pair, after_seq=cursor)
    assert state.milestones == (Milestone.CANCELLED, Milestone.TERMINAL)
    assert state.snapshot.subject_cancelled


def test_an_interrupt_is_not_told_as_the_users_cancel(ledger):
    pair = Pair(ledger)
    following = pair.steer("interrupt").next_turn.turn_id
    snapshot = look(ledger, pair, subject_turn_id=pair.subject).snapshot
    assert (snapshot.status, snapshot.subject_cancelled) == ("cancelling", False)
    pair.end(pair.subject, Cause.CANCELLED)
    assert look(ledger, pair).snapshot.turn_id == following, "the one that is open"


def test_a_stop_of_groupx_is_not_told_as_the_users_cancel(ledger):
    pair = Pair(ledger)
    pair.end(pair.subject, Cause.STOP_CONFIRMED)
    snapshot = look(ledger, pair).snapshot
    assert (snapshot.status, snapshot.subject_cancelled) == ("cancelled", False)


def test_a_cursor_from_the_future_hides_nothing(ledger):
    pair = Pair(ledger)
    state = look(ledger, pair, after_seq=10**9)
    assert (state.milestones, state.snapshot.last_seq < 10**9) == ((), True)


def test_others_words_and_turns_are_none_of_it(ledger):
    pair = Pair(ledger)
    cursor = look(ledger, pair).snapshot.last_seq
    ledger.call(pair.subject, ledger.a, ledger.c, content="help me")
    child = ledger.rows("SELECT turn_id FROM turns WHERE target_actor_id = 'agent:c'")[0][0]
    attempt = ledger.claim(child).attempt_id
    ledger.end(child, attempt, Cause.COMPLETED, response="c's answer")
    state = look(ledger, pair, after_seq=cursor)
    assert [it.excerpt for it in state.snapshot.messages] == ["help me"]
    assert state.milestones == (Milestone.MESSAGE,)


def test_everything_is_bounded(ledger):
    pair = Pair(ledger)
    for number in range(MAX_MESSAGES + 2):
        says(ledger, pair, f"{number} " + "x" * 5_000)
    tools = tuple(
        ToolRecord(native_type="tool.started", tool_call_id=f"t{n}", details={"name": "y" * 500})
        for n in range(MAX_TOOLS + 5)
    )
    pair.end(pair.subject, response="z" * 100_000, tools=tools)
    snapshot = look(ledger, pair).snapshot
    assert len(snapshot.messages) == MAX_MESSAGES
    assert snapshot.messages[-1].excerpt.startswith("zzz")
    assert [tool.tool_call_id for tool in snapshot.tools][-1] == f"t{MAX_TOOLS + 4}"
    assert len(snapshot.tools) == MAX_TOOLS
    assert len(orjson.dumps(to_wire(snapshot))) < 16_000


def test_a_withdrawn_task_is_not_quoted(ledger):
    ledger.running(ledger.a)
    pair = Pair(ledger, begun=False)
    ledger.conn.execute(
        "INSERT INTO events (event_id, schema_version, room_id, event_type, actor_id, actor_kind,"
        " actor_display_name, targets_json, correlation_id, idempotency_key, occurred_at,"
        " body_json) VALUES ('w', 's', 'room:main', 'message.withdrawn', 'user:web', 'user', 'You',"
        " '[]', 'c', ?, 'now', '{}')",
        (f"message:{pair.accepted.message_event_id}:withdrawn",),
    )
    assert look(ledger, pair).snapshot.task.excerpt == ""


@pytest.mark.parametrize(
    ("code", "changes"),
    [
        ("SESSION_NOT_AVAILABLE", {"watch_turn_id": "turn_none"}),
        ("MCP_BINDING_MISMATCH", {"actor_id": ActorId("agent:a")}),
        ("SUPERVISION_PAIR_INVALID", {"subject_turn_id": "turn_none"}),
    ],
)
def test_refusals(ledger, code, changes):
    pair = Pair(ledger)
    with pytest.raises(GroupXError) as caught:
        look(ledger, pair, **changes)
    assert caught.value.code == code


def test_only_a_watch_turn_looks(ledger):
    pair = Pair(ledger)
    with pytest.raises(GroupXError) as caught:
        look(ledger, pair, watch_turn_id=pair.subject, actor_id=ledger.a)
    assert caught.value.code == "SUPERVISION_WATCH_REQUIRED"


def test_which_of_two_open_workers_is_asked_for(ledger):
    pair = Pair(ledger, ledger.a, ledger.c)
    with pytest.raises(GroupXError) as caught:
        look(ledger, pair)
    assert caught.value.code == "SUPERVISION_PAIR_INVALID"
    assert look(ledger, pair, subject_turn_id=pair.subject).snapshot.actor_id == ledger.a


def test_the_only_worker_is_meant_after_its_end_too(ledger):
    pair = Pair(ledger)
    pair.end(pair.subject)
    assert look(ledger, pair).snapshot.terminal


# --- what is kept of it -----------------------------------------------------------------------


def test_a_snapshot_is_kept_as_it_was_returned(ledger):
    pair = Pair(ledger)
    snapshot = look(ledger, pair).snapshot
    answer = ledger.write(observe, observing(ledger, pair, snapshot, timed_out=True))
    event = orjson.loads(ledger.frames[-1].data)
    assert event["eventId"] == answer.observed_event_id
    assert not answer.limit_reached
    assert event["type"] == "supervision.observed"
    assert event["body"] == {
        "watchTurnId": pair.watch, "subjectTurnId": pair.subject,
        "until": "next_milestone", "timedOut": True, "snapshot": to_wire(snapshot),
    }  # fmt: skip
    assert event["actor"]["actorId"] == ledger.b
    assert event["to"] == []
    assert event["causationId"] == pair.watch
    assert event["provenance"]["subjectActorId"] == ledger.a


def test_what_was_shown_is_found_by_its_cursor(ledger):
    pair = Pair(ledger)
    first = look(ledger, pair).snapshot
    ledger.write(observe, observing(ledger, pair, first))
    shown = look(ledger, pair, after_seq=first.last_seq).shown
    assert (shown.status, shown.tools) == (first.status, first.tools)
    assert look(ledger, pair, after_seq=first.last_seq - 1).shown is None


def test_a_watch_turn_keeps_64_and_answers_the_rest(ledger):
    pair = Pair(ledger)
    command = observing(ledger, pair)
    kept = [ledger.write(observe, command) for _ in range(MAX_OBSERVED)]
    assert len({answer.observed_event_id for answer in kept}) == MAX_OBSERVED == 64
    before = ledger.counts()
    answer = ledger.write(observe, command)
    assert to_wire(answer) == {"limitReached": True}
    assert ledger.counts() == before


def test_the_bound_is_each_watch_turns_own(ledger):
    first = Pair(ledger)
    for _ in range(MAX_OBSERVED):
        ledger.write(observe, observing(ledger, first))
    first.end(first.watch)
    first.end(first.subject)
    second = Pair(ledger)
    assert not ledger.write(observe, observing(ledger, second)).limit_reached


def test_keeping_has_the_same_rules_as_looking(ledger, refused):
    pair = Pair(ledger)
    other = ledger.send(ledger.c, supervision=Supervision(observers=(ledger.b,)))
    by_worker = observing(
        ledger, pair, watch_turn_id=pair.subject, actor_id=ledger.a,
        key=ledger.key("mcp.watch", binding=ledger.bindings[ledger.a]),
    )  # fmt: skip
    refused("SUPERVISION_WATCH_REQUIRED", observe, by_worker)
    foreign = attrs.evolve(look(ledger, pair).snapshot, turn_id=other.turns[0].turn_id)
    refused("SUPERVISION_PAIR_INVALID", observe, observing(ledger, pair, foreign))
    late = observing(ledger, pair)
    pair.end(pair.watch)
    refused("SESSION_NOT_AVAILABLE", observe, late)
