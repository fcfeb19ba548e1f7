"""Completion claims: a caller that asked to be woken gets one end once, by one way."""

import attrs
import orjson
import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule, run_state_machine_as_test

from groupx.domain.completion import ClaimInline, ReleaseInline
from groupx.domain.errors import GroupXError
from groupx.domain.ledger import StartedCommand
from groupx.domain.limits import Limits
from groupx.domain.outcomes import Cause
from groupx.domain.runs import RecoverLane, RecoverQuery
from groupx.store.claim_rows import find_claim
from groupx.store.queries.lane import lane_head
from groupx.store.queries.turn_detail import turn_detail
from groupx.store.transactions.accept import accept
from groupx.store.transactions.completion import claim_inline, release_inline
from groupx.store.transactions.lane import set_lane
from groupx.store.transactions.recover import recover_all, recover_lane
from groupx.store.transactions.started import started

CALLBACKS = (
    "SELECT t.turn_id FROM turns t JOIN events e ON e.event_id = t.source_event_id"
    " WHERE t.caused_by_turn_id = ? AND json_extract(e.body_json, '$.kind') = 'callback'"
)


def claim(ledger, child):
    found = find_claim(ledger.conn, child)
    return found and (found.state, found.owner)


def callbacks(ledger, child):
    return [row[0] for row in ledger.rows(CALLBACKS, child)]


def caller(ledger, kind="mcp.send", **changes):
    """(parent turn, its attempt, child turn) of agent:a calling agent:b."""
    parent, attempt_id = ledger.running(ledger.a)
    changes.setdefault("wake_me", True)
    sent = ledger.call(parent, ledger.a, ledger.b, kind=kind, **changes)
    return parent, attempt_id, sent.turns[0].turn_id


def finish(ledger, child, **changes):
    attempt_id = ledger.claim(child).attempt_id
    changes.setdefault("response", "found it")
    return ledger.end(child, attempt_id, Cause.COMPLETED, **changes)


def take(ledger, by, *children):
    return ledger.write(claim_inline, ClaimInline(child_turn_ids=children, by_turn_id=by))


def release(ledger, by, *children):
    return ledger.write(release_inline, ReleaseInline(child_turn_ids=children, by_turn_id=by))


def recover(ledger, *roster):
    found = roster or tuple(entry.actor_id for entry in ledger.roster)
    query = RecoverQuery(roster=frozenset(found))
    ledger.write(recover_all, query)
    before = ledger.dump()
    ledger.write(recover_all, query)
    assert ledger.dump() == before


class TestAsking:
    def test_nobody_is_woken_who_did_not_ask(self, ledger):
        _, _, child = caller(ledger, wake_me=False)
        finish(ledger, child)
        assert claim(ledger, child) is None
        assert callbacks(ledger, child) == []

    def test_a_person_is_never_called_back(self, ledger):
        child = ledger.send(ledger.b, wake_me=True).turns[0].turn_id
        finish(ledger, child)
        assert ledger.rows("SELECT * FROM completion_claims") == []

    def test_every_target_has_a_claim_of_its_own(self, ledger):
        parent, _ = ledger.running(ledger.a)
        sent = ledger.call(parent, ledger.a, ledger.b, ledger.c, wake_me=True)
        assert [claim(ledger, turn.turn_id) for turn in sent.turns] == [("open", None)] * 2
        assert {find_claim(ledger.conn, turn.turn_id).waiter_turn_id for turn in sent.turns} == {
            parent
        }

    def test_a_refused_call_leaves_no_claim(self, ledger):
        parent, _ = ledger.running(ledger.a)
        command = ledger.message(
            ledger.b,
            key=ledger.key("mcp.send", binding=ledger.bindings[ledger.a]),
            actor_id=ledger.a,
            parent_turn_id=parent,
            wake_me=True,
            limits=Limits(hop_count=0),
        )
        with pytest.raises(GroupXError, match="HOP_LIMIT_REACHED"):
            ledger.write(accept, command)
        assert ledger.row("SELECT count(*) FROM completion_claims") == (0,)


class TestCallback:
    def test_it_is_one_message_and_one_turn_for_the_caller(self, ledger):
        parent, attempt_id, child = caller(ledger)
        ledger.end(parent, attempt_id, Cause.COMPLETED, response="waiting")
        since = len(ledger.frames)
        end = finish(ledger, child)
        assert ledger.types(since)[-3:] == ["turn.completed", "message.created", "turn.queued"]
        assert ledger.woken == [ledger.a, ledger.b]
        message = orjson.loads(ledger.frames[-2].data)
        assert message["actor"]["actorId"] == "system:groupx"
        assert message["to"] == [ledger.a]
        assert message["replyToEventId"] == end.response_event_id
        assert message["causationId"] == child
        assert message["idempotencyKey"] == f"callback:{child}"
        assert message["body"]["kind"] == "callback"
        assert message["body"]["childTurnId"] == child
        assert "agent:b has answered" in message["body"]["content"]
        (callback,) = callbacks(ledger, child)
        detail = turn_detail(ledger.conn, callback)
        turn, of_child = detail.turn, turn_detail(ledger.conn, child).turn
        assert (turn.target_actor_id, turn.trigger_kind, turn.status) == (
            ledger.a, "automatic", "queued",
        )  # fmt: skip
        assert (turn.parent_turn_id, turn.hop_count) == (parent, of_child.hop_count)
        assert turn.root_correlation_id == of_child.root_correlation_id
        assert [link.via for link in detail.chain] == ["message", "send", "callback"]
        assert claim(ledger, child) == ("queued", "callback")
        assert find_claim(ledger.conn, child).callback_turn_id == callback

    @pytest.mark.parametrize(
        ("cause", "said"),
        [
            (Cause.CANCELLED, "was stopped in"), (Cause.NATIVE_FAILED, "NATIVE_TURN_FAILED"),
            (Cause.EXITED, "was interrupted in"), (Cause.PACKET_IMPOSSIBLE, "has failed at"),
        ],
    )  # fmt: skip
    def test_any_end_calls_back(self, ledger, cause, said):
        _, _, child = caller(ledger)
        sent = cause not in (Cause.PACKET_IMPOSSIBLE, Cause.CANCELLED)
        attempt_id = ledger.claim(child).attempt_id if sent else None
        ledger.end(child, attempt_id, cause)
        (callback,) = callbacks(ledger, child)
        (body,) = ledger.row(
            "SELECT body_json FROM events JOIN turns ON source_event_id = event_id"
            " WHERE turn_id = ?",
            callback,
        )
        assert said in orjson.loads(body)["content"]

    def test_a_cancel_of_a_queued_child_calls_back(self, ledger):
        _, _, child = caller(ledger)
        ledger.cancel(child)
        assert len(callbacks(ledger, child)) == 1

    def test_the_end_said_again_calls_back_no_second_time(self, ledger):
        _, _, child = caller(ledger)
        attempt_id = ledger.claim(child).attempt_id
        for _ in range(2):
            ledger.end(child, attempt_id, Cause.COMPLETED, response="x")
        assert len(callbacks(ledger, child)) == 1

    def test_the_callbacks_own_calls_hang_on_a_sound_chain(self, ledger):
        parent, attempt_id, child = caller(ledger)
        finish(ledger, child)
        ledger.end(parent, attempt_id, Cause.COMPLETED, response="x")
        (callback,) = callbacks(ledger, child)
        ledger.write(started, StartedCommand(attempt_id=ledger.claim(callback).attempt_id))
        again = ledger.call(callback, ledger.a, ledger.b, wake_me=True).turns[0].turn_id
        finish(ledger, again)
        assert len(callbacks(ledger, again)) == 1

    def test_it_waits_in_a_paused_lane_and_does_not_lift_the_pause(self, ledger):
        parent, attempt_id, child = caller(ledger)
        ledger.end(parent, attempt_id, Cause.COMPLETED, response="x")
        ledger.write(set_lane, ledger.lane("paused"))
        before = ledger.rows("SELECT * FROM lane_states")
        finish(ledger, child)
        assert ledger.status(callbacks(ledger, child)[0]) == "queued"
        assert lane_head(ledger.conn, ledger.a) is None
        assert ledger.rows("SELECT * FROM lane_states") == before

    def test_a_room_that_was_left_is_not_written_to_again(self, ledger):
        _, _, child = caller(ledger)
        attempt_id = ledger.claim(child).attempt_id
        ledger.conn.execute("UPDATE rooms SET active = 0")
        ledger.conn.execute(
            "INSERT INTO rooms (room_id, title, active, created_at) VALUES ('r', 'r', 1, '2027')"
        )
        ledger.end(child, attempt_id, Cause.COMPLETED, response="x")
        assert claim(ledger, child) == ("cancelled", "callback")
        assert callbacks(ledger, child) == []


class TestLimits:
    @pytest.mark.parametrize(
        ("name", "limit", "bound"),
        [
            ("hop_count", "hopCount", 0), ("root_turns", "rootTurns", 2),
            ("actor_calls_per_root", "actorCallsPerRoot", 0),
            ("queue_per_agent", "queuePerAgent", 1),
        ],
    )  # fmt: skip
    def test_a_limit_stops_it_for_all_to_see(self, ledger, name, limit, bound):
        parent, _, child = caller(ledger)
        ledger.queued(ledger.a)
        attempt_id = ledger.claim(child).attempt_id
        ledger.limits = attrs.evolve(Limits(), **{name: bound})
        end = ledger.end(child, attempt_id, Cause.COMPLETED, response="x")
        assert (end.status, end.fresh) == ("completed", True)
        assert claim(ledger, child) == ("cancelled", "callback")
        assert callbacks(ledger, child) == []
        stop = orjson.loads(ledger.frames[-1].data)
        root = stop["rootCorrelationId"]
        assert stop["type"] == "routing.loop_stopped"
        assert stop["idempotencyKey"] == f"loop:{root}:{limit}:1"
        body = stop["body"]
        assert (body["limit"], body["bound"], body["rootCorrelationId"]) == (limit, bound, root)
        assert body["chain"] == [{"turnId": parent, "actorId": ledger.a}]
        assert body["refused"]["commandType"] == "callback"
        assert body["refused"]["to"] == [ledger.a]
        assert "agent:b has answered" in body["refused"]["content"]
        assert (stop["parentTurnId"], stop["causationId"]) == (parent, child)

    def test_each_stop_has_a_number(self, ledger):
        parent, _ = ledger.running(ledger.a)
        sent = ledger.call(parent, ledger.a, ledger.b, ledger.c, wake_me=True)
        ledger.limits = Limits(hop_count=0)
        for turn in sent.turns:
            finish(ledger, turn.turn_id)
        keys = [
            row[0]
            for row in ledger.rows(
                "SELECT idempotency_key FROM events WHERE event_type = 'routing.loop_stopped'"
            )
        ]
        assert [key.rpartition(":")[2] for key in keys] == ["1", "2"]


class TestInline:
    def test_an_ask_that_waits_takes_it(self, ledger):
        _, _, child = caller(ledger, kind="mcp.ask")
        assert claim(ledger, child) == ("open", "inline")
        finish(ledger, child)
        assert claim(ledger, child) == ("inline", "inline")
        assert callbacks(ledger, child) == []

    def test_an_ask_that_gave_up_is_called_back(self, ledger):
        parent, _, child = caller(ledger, kind="mcp.ask")
        (found,) = release(ledger, parent, child)
        assert (found.state, found.owner) == ("open", None)
        finish(ledger, child)
        assert len(callbacks(ledger, child)) == 1

    def test_an_ask_that_gives_up_too_late_has_it(self, ledger):
        parent, _, child = caller(ledger, kind="mcp.ask")
        finish(ledger, child)
        assert release(ledger, parent, child)[0].state == "inline"
        assert callbacks(ledger, child) == []

    def test_an_ask_whose_turn_has_ended_waits_no_longer(self, ledger):
        parent, attempt_id, child = caller(ledger, kind="mcp.ask")
        ledger.end(parent, attempt_id, Cause.COMPLETED, response="x")
        finish(ledger, child)
        assert claim(ledger, child) == ("queued", "callback")

    def test_a_collect_may_begin_to_wait(self, ledger):
        parent, _, child = caller(ledger)
        assert take(ledger, parent, child)[0].owner == "inline"
        finish(ledger, child)
        assert callbacks(ledger, child) == []

    def test_a_collect_takes_a_queued_callback_back(self, ledger):
        parent, _, child = caller(ledger)
        finish(ledger, child)
        (callback,) = callbacks(ledger, child)
        (found,) = take(ledger, parent, child)
        assert (found.state, found.owner) == ("cancelled", "inline")
        assert ledger.status(callback) == "cancelled"
        body = orjson.loads(ledger.frames[-1].data)["body"]
        assert body == {"turnId": callback, "status": "cancelled", "reason": "collected"}
        before = ledger.dump()
        assert take(ledger, parent, child) == (found,)
        assert ledger.dump() == before

    def test_a_later_turn_of_the_same_agent_takes_it_too(self, ledger):
        parent, attempt_id, child = caller(ledger)
        ledger.end(parent, attempt_id, Cause.COMPLETED, response="x")
        later, _ = ledger.running(ledger.a)
        take(ledger, later, child)
        assert claim(ledger, child) == ("open", None)
        finish(ledger, child)
        assert take(ledger, later, child)[0].state == "cancelled"

    def test_a_dispatched_callback_goes_on(self, ledger):
        parent, attempt_id, child = caller(ledger)
        finish(ledger, child)
        ledger.end(parent, attempt_id, Cause.COMPLETED, response="x")
        (callback,) = callbacks(ledger, child)
        ledger.claim(callback)
        (found,) = take(ledger, callback, child)
        assert (found.state, found.owner) == ("queued", "callback")
        assert ledger.status(callback) == "dispatching"

    def test_turns_without_a_claim_have_no_answer(self, ledger):
        parent, _, child = caller(ledger, wake_me=False)
        assert take(ledger, parent, child, "turn_none") == ()

    def test_refusals(self, ledger, refused):
        parent, attempt_id, child = caller(ledger)
        other, _ = ledger.running(ledger.c)
        for run, command in ((claim_inline, ClaimInline), (release_inline, ReleaseInline)):
            theirs = command(child_turn_ids=(child,), by_turn_id=other)
            refused("MCP_BINDING_MISMATCH", run, theirs)
            refused("NOT_FOUND", run, command(child_turn_ids=(child,), by_turn_id="turn_none"))
        ledger.end(parent, attempt_id, Cause.COMPLETED, response="x")
        late = ClaimInline(child_turn_ids=(child,), by_turn_id=parent)
        refused("SESSION_NOT_AVAILABLE", claim_inline, late)


class TestCrash:
    def test_no_ask_outlives_the_daemon(self, ledger):
        parent, _, child = caller(ledger, kind="mcp.ask")
        recover(ledger)
        assert ledger.status(parent) == "interrupted"
        assert claim(ledger, child) == ("open", None)
        ledger.bindings[ledger.b] = ledger.open_session(ledger.b)
        finish(ledger, child)
        assert len(callbacks(ledger, child)) == 1

    def test_a_child_that_the_crash_ended_calls_back(self, ledger):
        _, _, child = caller(ledger, kind="mcp.ask")
        ledger.claim(child)
        recover(ledger)
        assert ledger.status(child) == "interrupted"
        (callback,) = callbacks(ledger, child)
        assert ledger.status(callback) == "queued"
        assert claim(ledger, child) == ("queued", "callback")

    def test_a_queued_callback_survives(self, ledger):
        _, _, child = caller(ledger)
        finish(ledger, child)
        recover(ledger)
        (callback,) = callbacks(ledger, child)
        assert lane_head(ledger.conn, ledger.a).turn_id == callback

    def test_a_sent_callback_is_not_made_again(self, ledger):
        parent, attempt_id, child = caller(ledger)
        finish(ledger, child)
        ledger.end(parent, attempt_id, Cause.COMPLETED, response="x")
        (callback,) = callbacks(ledger, child)
        ledger.claim(callback)
        recover(ledger)
        assert callbacks(ledger, child) == [callback]
        assert ledger.status(callback) == "interrupted"

    def test_a_callback_for_an_agent_that_is_gone_fails_at_once(self, ledger):
        _, _, child = caller(ledger)
        ledger.claim(child)
        recover(ledger, ledger.b)
        (callback,) = callbacks(ledger, child)
        assert turn_detail(ledger.conn, callback).turn.error_code == "ADAPTER_NOT_FOUND"

    def test_one_for_an_agent_that_was_gone_when_the_daemon_started_fails_too(self, ledger):
        _, _, child = caller(ledger)
        recover(ledger, ledger.b, ledger.c)
        ledger.bindings[ledger.b] = ledger.open_session(ledger.b)
        finish(ledger, child)
        (callback,) = callbacks(ledger, child)
        turn = turn_detail(ledger.conn, callback).turn
        assert (turn.status, turn.error_code) == ("failed", "ADAPTER_NOT_FOUND")
        assert claim(ledger, child) == ("queued", "callback")

    def test_one_for_an_agent_that_is_back_is_queued_again(self, ledger):
        _, _, child = caller(ledger)
        recover(ledger, ledger.b)
        recover(ledger)
        ledger.bindings[ledger.b] = ledger.open_session(ledger.b)
        finish(ledger, child)
        assert ledger.status(callbacks(ledger, child)[0]) == "queued"

    def test_a_crash_of_the_childs_lane_leaves_the_end_to_the_ask(self, ledger):
        _, _, child = caller(ledger, kind="mcp.ask")
        ledger.claim(child)
        ledger.write(recover_lane, RecoverLane(actor_id=ledger.b))
        assert claim(ledger, child) == ("inline", "inline")

    def test_a_crash_of_the_callers_lane_ends_its_ask(self, ledger):
        _, _, child = caller(ledger, kind="mcp.ask")
        ledger.write(recover_lane, RecoverLane(actor_id=ledger.a))
        finish(ledger, child)
        assert claim(ledger, child) == ("queued", "callback")


class Machine(RuleBasedStateMachine):
    """Agents that call one another and wait or do not, in any order, with crashes anywhere."""

    new_ledger = None

    def __init__(self):
        super().__init__()
        self.ledger = self.new_ledger()
        self.ledger.limits = Limits(hop_count=3, actor_calls_per_root=4, queue_per_agent=3)
        self.decided = {}

    def teardown(self):
        self.ledger.conn.close()

    def maybe(self, run):
        before = self.ledger.counts()
        try:
            return run()
        except GroupXError:
            assert self.ledger.counts() == before
        return None

    def pick(self, data, sql):
        rows = self.ledger.rows(sql)
        return data.draw(st.sampled_from(rows)) if rows else None

    @rule(actor=st.sampled_from(["agent:a", "agent:b"]))
    def speak(self, actor):
        self.maybe(lambda: self.ledger.queued(actor, limits=self.ledger.limits))

    @rule(actor=st.sampled_from(["agent:a", "agent:b", "agent:c"]))
    def run_next(self, actor):
        head = lane_head(self.ledger.conn, actor)
        if head is not None:
            attempt_id = self.ledger.claim(head.turn_id).attempt_id
            self.ledger.write(started, StartedCommand(attempt_id=attempt_id))

    @rule(
        data=st.data(),
        to=st.sampled_from(["agent:a", "agent:b", "agent:c"]),
        kind=st.sampled_from(["mcp.send", "mcp.ask"]),
    )
    def call(self, data, to, kind):
        running = "SELECT turn_id, target_actor_id FROM turns WHERE status = 'running'"
        if found := self.pick(data, running):
            turn_id, actor = found
            self.maybe(
                lambda: self.ledger.call(
                    turn_id, actor, to, kind=kind, wake_me=True, limits=self.ledger.limits
                )
            )

    @rule(data=st.data(), takes=st.booleans())
    def collect(self, data, takes):
        pairs = (
            "SELECT t.turn_id, c.child_turn_id FROM completion_claims c"
            " JOIN turns w ON w.turn_id = c.waiter_turn_id"
            " JOIN turns t ON t.target_actor_id = w.target_actor_id AND t.status = 'running'"
        )
        if found := self.pick(data, pairs):
            (take if takes else release)(self.ledger, *found)

    @rule(data=st.data(), cause=st.sampled_from([Cause.COMPLETED, Cause.EXITED, Cause.CANCELLED]))
    def end(self, data, cause):
        running = (
            "SELECT turn_id, attempt_id FROM turns JOIN turn_attempts a USING (turn_id)"
            " WHERE status IN ('running', 'cancelling') AND a.terminal_at IS NULL"
        )
        if found := self.pick(data, running):
            self.maybe(lambda: self.ledger.end(*found, cause, response="x", evidence=True))

    @rule(data=st.data())
    def cancel(self, data):
        if found := self.pick(data, "SELECT turn_id FROM turns ORDER BY rowid DESC LIMIT 5"):
            self.ledger.cancel(*found)

    @rule(actor=st.sampled_from(["agent:a", "agent:b"]))
    def lane_crashes(self, actor):
        self.ledger.write(recover_lane, RecoverLane(actor_id=actor))
        self.ledger.bindings[actor] = self.ledger.open_session(actor)

    @rule()
    def daemon_crashes(self):
        recover(self.ledger)
        assert not self.ledger.rows(
            "SELECT 1 FROM completion_claims WHERE state = 'open' AND owner = 'inline'"
        )
        for actor in self.ledger.bindings:
            self.ledger.bindings[actor] = self.ledger.open_session(actor)

    @invariant()
    def one_owner_and_never_two_callbacks(self):
        for child, state, owner, callback, status in self.ledger.rows(
            "SELECT child_turn_id, c.state, owner, callback_turn_id, t.status"
            " FROM completion_claims c JOIN turns t ON t.turn_id = child_turn_id"
        ):
            ended = status in ("completed", "failed", "cancelled", "interrupted")
            assert (state == "open") == (not ended)
            made = callbacks(self.ledger, child)
            assert made == ([callback] if callback else [])
            assert (callback is not None) == (
                state == "queued" or (state, owner) == ("cancelled", "inline")
            )
            if (state, owner) == ("cancelled", "inline"):
                assert self.ledger.status(callback) == "cancelled"
            if (state, owner) == ("cancelled", "callback"):
                assert self.ledger.row(
                    "SELECT 1 FROM events WHERE event_type = 'routing.loop_stopped'"
                    " AND causation_id = ?",
                    child,
                )
            was = self.decided.get(child)
            if was not in (None, "open"):
                assert state == was or (was, state) == ("queued", "cancelled")
            self.decided[child] = state

    @invariant()
    def only_claims_call_back(self):
        (messages,) = self.ledger.row(
            "SELECT count(*) FROM events WHERE json_extract(body_json, '$.kind') = 'callback'"
        )
        (claims,) = self.ledger.row(
            "SELECT count(*) FROM completion_claims WHERE callback_turn_id IS NOT NULL"
        )
        assert messages == claims


@pytest.mark.slow
def test_one_end_is_taken_once_whatever_the_order(new_ledger):
    machine = type("BoundMachine", (Machine,), {"new_ledger": staticmethod(new_ledger)})
    run_state_machine_as_test(
        machine,
        settings=settings(
            max_examples=25,
            stateful_step_count=35,
            deadline=None,
            suppress_health_check=list(HealthCheck),
        ),
    )
