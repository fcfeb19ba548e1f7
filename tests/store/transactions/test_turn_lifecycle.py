"""Whatever the order of commands and crashes, the guarantees about turns hold."""

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule, run_state_machine_as_test

from groupx.domain.errors import ErrorCode, GroupXError
from groupx.domain.ledger import StartedCommand
from groupx.domain.outcomes import Cause
from groupx.domain.runs import RecoverQuery
from groupx.store.queries.lane import lane_head
from groupx.store.transactions.invoke import invoke
from groupx.store.transactions.lane import set_lane
from groupx.store.transactions.recover import recover_all
from groupx.store.transactions.requeue import requeue
from groupx.store.transactions.started import started

RANK = {"prepared": 0, "prompt_invoked": 1, "native_started": 2, "terminal": 3}
CERTAIN = {"not_delivered": 0, "unknown": 1, "delivered": 2}
TERMINAL = {"completed", "failed", "cancelled", "interrupted"}
ACTORS = st.sampled_from(["agent:a", "agent:b"])


class Machine(RuleBasedStateMachine):
    new_ledger = None

    def __init__(self):
        super().__init__()
        self.ledger = self.new_ledger()
        self.ends = {}
        self.attempts = {}
        self.sent = []
        self.order = {"agent:a": [], "agent:b": []}

    def teardown(self):
        self.ledger.conn.close()

    def refusable(self, run):
        """Refusals are fine, anything else is not; a refusal leaves no trace."""
        before = self.ledger.counts()
        try:
            return run()
        except GroupXError as error:
            if error.code is not ErrorCode.STORE_CONFLICT:
                raise
        assert self.ledger.counts() == before
        return None

    def pick(self, data, table="turns"):
        column = "turn_id" if table == "turns" else "attempt_id"
        found = self.ledger.rows(f"SELECT {column} FROM {table} ORDER BY rowid DESC LIMIT 6")
        return data.draw(st.sampled_from([row[0] for row in found])) if found else None

    @rule(actor=ACTORS)
    def send(self, actor):
        self.ledger.queued(actor)

    @rule(actor=ACTORS, at_once=st.booleans())
    def claim_head(self, actor, at_once):
        head = lane_head(self.ledger.conn, actor)
        if head is None:
            return
        claimed = self.refusable(lambda: self.ledger.claim(head.turn_id, invoke=at_once))
        assert claimed is not None
        seq = self.ledger.row("SELECT enqueue_seq FROM turns WHERE turn_id = ?", head.turn_id)[0]
        self.order[actor].append(seq)
        if claimed.invoked:
            self.sent.append(head.turn_id)

    @rule(data=st.data())
    def claim_any(self, data):
        if turn_id := self.pick(data):
            actor = self.ledger.row("SELECT target_actor_id FROM turns WHERE turn_id = ?", turn_id)[
                0
            ]
            head = lane_head(self.ledger.conn, actor)
            won = self.refusable(lambda: self.ledger.claim(turn_id, invoke=False))
            assert (won is not None) == (head is not None and head.turn_id == turn_id)

    @rule(data=st.data())
    def invoke(self, data):
        attempt_id = self.pick(data, "turn_attempts")
        if attempt_id and self.ledger.write(invoke, attempt_id):
            row = "SELECT turn_id FROM turn_attempts WHERE attempt_id = ?"
            self.sent.append(self.ledger.row(row, attempt_id)[0])

    @rule(data=st.data())
    def start(self, data):
        if attempt_id := self.pick(data, "turn_attempts"):
            command = StartedCommand(attempt_id=attempt_id)
            self.refusable(lambda: self.ledger.write(started, command))

    @rule(data=st.data(), cause=st.sampled_from(list(Cause)), evidence=st.booleans())
    def end(self, data, cause, evidence):
        if turn_id := self.pick(data):
            row = "SELECT attempt_id FROM turn_attempts WHERE turn_id = ? AND terminal_at IS NULL"
            attempt = self.ledger.row(row, turn_id)
            attempt_id = attempt and attempt[0]
            self.refusable(lambda: self.ledger.end(turn_id, attempt_id, cause, evidence=evidence))

    @rule(data=st.data())
    def cancel(self, data):
        if turn_id := self.pick(data):
            self.ledger.cancel(turn_id)

    @rule(data=st.data())
    def requeue(self, data):
        if turn_id := self.pick(data):
            self.refusable(lambda: self.ledger.write(requeue, turn_id))

    @rule(actor=ACTORS, state=st.sampled_from(["paused", "runnable"]))
    def pause(self, actor, state):
        self.ledger.write(set_lane, self.ledger.lane(state, actor))

    @rule(can_ask=st.booleans())
    def crash(self, can_ask):
        roster = frozenset(entry.actor_id for entry in self.ledger.roster)
        asked = frozenset({"demo"}) if can_ask else frozenset()
        query = RecoverQuery(roster=roster, reconcilable=asked)
        first = self.ledger.write(recover_all, query)
        before = self.ledger.counts()
        second = self.ledger.write(recover_all, query)
        assert self.ledger.counts() == before
        assert second.undecided == first.undecided
        for actor in self.ledger.bindings:
            self.ledger.bindings[actor] = self.ledger.open_session(actor)

    @invariant()
    def one_end_that_never_changes(self):
        for turn_id, status, end, response in self.ledger.rows(
            "SELECT turn_id, status, terminal_event_id, response_event_id FROM turns"
        ):
            assert (status in TERMINAL) == (end is not None)
            assert (status == "completed") == (response is not None)
            assert self.ends.setdefault(turn_id, (status, end)) == (status, end) or (
                self.ends[turn_id][1] is None
            )
            self.ends[turn_id] = (status, end)
        doubled = self.ledger.rows(
            "SELECT json_extract(body_json, '$.turnId') FROM events WHERE event_type IN"
            " ('turn.completed', 'turn.failed', 'turn.cancelled', 'turn.interrupted')"
            " GROUP BY 1 HAVING count(*) > 1"
        )
        assert doubled == []

    @invariant()
    def one_open_attempt_and_one_active_turn(self):
        assert not self.ledger.rows(
            "SELECT turn_id FROM turn_attempts WHERE terminal_at IS NULL"
            " GROUP BY turn_id HAVING count(*) > 1"
        )
        assert not self.ledger.rows(
            "SELECT target_actor_id FROM turns WHERE status IN"
            " ('dispatching', 'running', 'cancelling') GROUP BY 1 HAVING count(*) > 1"
        )
        assert not self.ledger.rows(
            "SELECT 1 FROM turns t JOIN turn_attempts a USING (turn_id)"
            " WHERE (a.terminal_at IS NULL) != (t.status IN ('dispatching', 'running',"
            " 'cancelling')) AND a.terminal_at IS NULL"
        )

    @invariant()
    def attempts_never_go_back(self):
        for attempt_id, phase, certainty in self.ledger.rows(
            "SELECT attempt_id, dispatch_phase, delivery_certainty FROM turn_attempts"
        ):
            now = (RANK[phase], CERTAIN[certainty])
            was = self.attempts.get(attempt_id, (0, 0))
            assert now[0] >= was[0]
            assert now[1] >= was[1]
            self.attempts[attempt_id] = now

    @invariant()
    def a_prompt_is_sent_at_most_once(self):
        assert len(self.sent) == len(set(self.sent))

    @invariant()
    def first_in_first_out(self):
        for seqs in self.order.values():
            assert seqs == sorted(seqs)


@pytest.mark.slow
def test_turns_keep_their_guarantees(new_ledger):
    machine = type("BoundMachine", (Machine,), {"new_ledger": staticmethod(new_ledger)})
    run_state_machine_as_test(
        machine,
        settings=settings(
            max_examples=25,
            stateful_step_count=30,
            deadline=None,
            suppress_health_check=list(HealthCheck),
        ),
    )
