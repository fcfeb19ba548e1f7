from groupx.domain.outcomes import Cause
from groupx.store.queries.lane import lane_head, lane_views
from groupx.store.transactions.lane import set_lane
from groupx.store.transactions.requeue import requeue


def test_the_oldest_queued_turn_of_a_free_lane(ledger):
    assert lane_head(ledger.conn, ledger.a) is None
    first, second = ledger.queued(), ledger.queued()
    head = lane_head(ledger.conn, ledger.a)
    assert (head.turn_id, head.attempts, head.transport) == (first, 0, "structured")
    assert head.room_id == "room:main"
    attempt_id = ledger.claim(first).attempt_id
    assert lane_head(ledger.conn, ledger.a) is None
    assert lane_head(ledger.conn, ledger.b) is None
    ledger.end(first, attempt_id, Cause.EXITED)
    assert lane_head(ledger.conn, ledger.a).turn_id == second


def test_a_requeued_turn_is_the_head_again(ledger):
    first, _ = ledger.queued(), ledger.queued()
    ledger.claim(first, invoke=False)
    ledger.write(requeue, first)
    head = lane_head(ledger.conn, ledger.a)
    assert (head.turn_id, head.attempts) == (first, 1)


def test_a_paused_lane_has_no_head(ledger):
    ledger.queued()
    ledger.write(set_lane, ledger.lane("paused", reason="why"))
    assert lane_head(ledger.conn, ledger.a) is None
    ledger.queued(ledger.b)
    active = ledger.queued(ledger.b)
    del active
    by_actor = {lane.actor_id: lane for lane in lane_views(ledger.conn, None)}
    assert (by_actor[ledger.a].paused, by_actor[ledger.a].reason) == (True, "why")
    assert by_actor[ledger.a].lane.queued == 1
    assert (by_actor[ledger.b].paused, by_actor[ledger.b].lane.queued) == (False, 2)
    ledger.write(set_lane, ledger.lane("runnable"))
    assert lane_head(ledger.conn, ledger.a) is not None


def test_views_tell_who_runs(ledger):
    turn_id, _ = ledger.running(ledger.c)
    by_actor = {lane.actor_id: lane.lane for lane in lane_views(ledger.conn, None)}
    assert by_actor[ledger.c].active_turn_id == turn_id
    assert by_actor[ledger.a].active_turn_id is None
