"""A pause without a word of why is left alone by everything but its user's own command."""

from contextlib import closing

import pytest
from hypothesis import HealthCheck, settings
from hypothesis.stateful import initialize, invariant, run_state_machine_as_test

from groupx.domain.commands import AgainCommand
from groupx.domain.ids import USER_WEB
from groupx.domain.limits import Limits
from groupx.domain.outcomes import Cause
from groupx.domain.runs import CloseInstance, OpenRun, RecoverLane, RecoverQuery
from groupx.store.opening import open_ledger
from groupx.store.queries.lane import lane_head, lane_views
from groupx.store.transactions.again import again
from groupx.store.transactions.bindings import close_instance, open_run
from groupx.store.transactions.lane import set_lane
from groupx.store.transactions.recover import recover_all, recover_lane
from groupx.store.transactions.requeue import requeue
from tests.store.transactions.test_turn_lifecycle import Machine as Lifecycle

NOW = "2026-03-01T00:00:00.000Z"
PAUSES = "SELECT * FROM lane_states"


def start(ledger):
    ledger.write(open_run, OpenRun(agents={ledger.a: "Ada", ledger.b: "Bob"}))


def restart_agent(ledger):
    (instance,) = ledger.row(
        "SELECT instance_id FROM session_bindings WHERE binding_id = ?", ledger.bindings[ledger.a]
    )
    ledger.write(close_instance, CloseInstance(instance_id=instance))
    ledger.bindings[ledger.a] = ledger.open_session(ledger.a)


def crash(ledger):
    ledger.write(recover_all, RecoverQuery(roster=frozenset({ledger.a, ledger.b})))


def lane_crash(ledger):
    ledger.write(recover_lane, RecoverLane(actor_id=ledger.a))


def new_message(ledger):
    ledger.send(ledger.a)


def retry(ledger):
    turn_id = ledger.queued()
    ledger.cancel(turn_id)
    command = AgainCommand(
        key=ledger.key("turn.retry"), kind="retry", turn_id=turn_id, actor_id=USER_WEB,
        roster=ledger.roster, limits=Limits(),
    )  # fmt: skip
    ledger.write(again, command)


def call_out_of_another_turn(ledger):
    parent, _ = ledger.running(ledger.b)
    ledger.call(parent, ledger.b, ledger.a)


def pause_again(ledger):
    ledger.write(set_lane, ledger.lane("paused"))


@pytest.mark.parametrize(
    "happen",
    [
        start, restart_agent, crash, lane_crash, new_message, retry, call_out_of_another_turn,
        pause_again,
    ],
)  # fmt: skip
def test_it_stays(ledger, happen):
    ledger.write(set_lane, ledger.lane("paused"))
    turn_id = ledger.queued()
    before = ledger.rows(PAUSES)
    assert before[0][2:5] == ("paused", None, 1)
    happen(ledger)
    assert ledger.rows(PAUSES) == before
    assert lane_head(ledger.conn, ledger.a) is None
    assert ledger.status(turn_id) == "queued"
    assert next(view for view in lane_views(ledger.conn, None) if view.actor_id == ledger.a).paused


def test_a_callback_waits_behind_it(ledger):
    parent, attempt_id = ledger.running(ledger.a)
    child = ledger.call(parent, ledger.a, ledger.b, wake_me=True).turns[0].turn_id
    ledger.write(set_lane, ledger.lane("paused"))
    before = ledger.rows(PAUSES)
    ledger.end(child, ledger.claim(child).attempt_id, Cause.COMPLETED, response="x")
    ledger.end(parent, attempt_id, Cause.COMPLETED, response="x")
    assert ledger.rows(PAUSES) == before
    assert lane_head(ledger.conn, ledger.a) is None
    ledger.write(set_lane, ledger.lane("runnable"))
    head = lane_head(ledger.conn, ledger.a)
    assert ledger.row(
        "SELECT caused_by_turn_id, status FROM turns WHERE turn_id = ?", head.turn_id
    ) == (child, "queued")


def test_a_prepared_turn_goes_back_behind_it(ledger):
    turn_id = ledger.queued()
    ledger.claim(turn_id, invoke=False)
    ledger.write(set_lane, ledger.lane("paused"))
    ledger.write(requeue, turn_id)
    assert lane_head(ledger.conn, ledger.a) is None


def test_no_agent_lifts_it(ledger, refused):
    ledger.write(set_lane, ledger.lane("paused"))
    before = ledger.rows(PAUSES)
    for actor in (ledger.a, ledger.b):
        key = ledger.key("lane.resume", binding=ledger.bindings[actor])
        refused("MCP_BINDING_MISMATCH", set_lane, ledger.lane("runnable", key=key, by=actor))
    assert ledger.rows(PAUSES) == before


def test_it_outlives_the_daemon(ledger, tmp_path):
    ledger.write(set_lane, ledger.lane("paused"))
    ledger.queued()
    before = ledger.rows(PAUSES)
    path = tmp_path / "groupx.db"
    ledger.conn.execute("VACUUM INTO ?", (str(path),))
    for _ in range(2):
        with closing(
            open_ledger(path, now_iso=NOW, database_id="database_00000000000000000000000000000002")
        ) as conn:
            assert conn.execute(PAUSES).fetchall() == before
            assert lane_head(conn, ledger.a) is None


class Machine(Lifecycle):
    """Any history in which nobody resumes."""

    pause = None

    @initialize()
    def hold(self):
        self.ledger.write(set_lane, self.ledger.lane("paused", "agent:a"))
        self.held = self.ledger.rows(PAUSES)

    @invariant()
    def nothing_of_the_lane_was_ever_sent(self):
        if not hasattr(self, "held"):
            return
        assert self.ledger.rows(PAUSES) == self.held
        assert not self.ledger.rows(
            "SELECT 1 FROM turn_attempts JOIN turns USING (turn_id)"
            " WHERE target_actor_id = 'agent:a'"
        )


@pytest.mark.slow
def test_it_holds_in_any_history(new_ledger):
    machine = type("BoundMachine", (Machine,), {"new_ledger": staticmethod(new_ledger)})
    run_state_machine_as_test(
        machine,
        settings=settings(
            max_examples=15,
            stateful_step_count=25,
            deadline=None,
            suppress_health_check=list(HealthCheck),
        ),
    )
