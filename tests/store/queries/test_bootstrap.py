import os

import pytest

from groupx.domain.limits import Limits
from groupx.domain.outcomes import Cause
from groupx.domain.pages import BootstrapQuery, EventsAfter, HistoryQuery
from groupx.store.queries.bootstrap import bootstrap
from groupx.store.queries.events_after import events_after
from groupx.store.queries.history import history
from groupx.store.queries.lane import lane_head
from groupx.store.turn_views import open_turns


def test_one_snapshot(ledger):
    ledger.completed()
    active, _ = ledger.running()
    waiting = [ledger.queued(), ledger.queued()]
    other = ledger.queued(ledger.b)
    it = bootstrap(ledger.conn, BootstrapQuery())
    assert list(it.page.events) == ledger.frames
    assert it.page.through_seq == ledger.frames[-1].seq
    assert it.page.previous_before_seq is None
    assert [turn.turn_id for turn in it.turns] == [active, *waiting, other]
    assert [turn.queue_position for turn in it.turns] == [None, 0, 1, 0]
    assert [room.room_id for room in it.rooms] == ["room:main"]
    lanes = {lane.actor_id: lane.lane for lane in it.lanes}
    assert (lanes[ledger.a].active_turn_id, lanes[ledger.a].queued) == (active, 2)


def test_events_are_bounded_but_the_newest_is_there(ledger):
    ledger.send(content="x" * 1000)
    ledger.send(content="y" * 1000)
    page = bootstrap(ledger.conn, BootstrapQuery(max_bytes=1)).page
    assert list(page.events) == ledger.frames[-1:]
    assert page.previous_before_seq == 4
    assert len(bootstrap(ledger.conn, BootstrapQuery(max_bytes=3000)).page.events) == 3


def test_a_room_that_is_not_active_has_no_open_turns(ledger):
    ledger.queued()
    ledger.conn.execute("INSERT INTO rooms VALUES ('room:2', 'two', 0, 'now', NULL)")
    it = bootstrap(ledger.conn, BootstrapQuery(room_id="room:2"))
    assert (it.turns, it.page.events) == ((), ())
    assert [room.active for room in it.rooms] == [True, False]


@pytest.mark.slow
def test_a_long_queue_is_shown_from_its_front(ledger):
    limits = Limits(queue_per_agent=10_000)
    first = ledger.queued(limits=limits)
    for _ in range(550):
        ledger.queued(limits=limits)
    turns = bootstrap(ledger.conn, BootstrapQuery()).turns
    assert len(turns) == 500
    assert turns[0].turn_id == first


def test_however_many_wait_every_active_turn_is_shown(ledger):
    active, _ = ledger.running()
    other, _ = ledger.running(ledger.b)
    first, _ = ledger.queued(), ledger.queued()
    shown = [
        [turn.turn_id for turn in open_turns(ledger.conn, (ledger.a, ledger.b), limit)]
        for limit in (0, 1, 3)
    ]
    assert shown == [[active, other], [active, other], [active, other, first]]


MORE_EVENTS = """
WITH RECURSIVE n(i) AS (SELECT :seq + 1 UNION ALL SELECT i + 1 FROM n WHERE i < :until)
INSERT INTO events (event_id, schema_version, room_id, event_type, actor_id, actor_kind,
  actor_display_name, targets_json, correlation_id, occurred_at, body_json)
SELECT 'e' || i, 'groupx.event/0.1', 'room:main', 'tool.progress.recorded', 'agent:a', 'agent',
  'Ada', '[]', 'corr', 'now', '{}' FROM n
"""
MANY = int(os.environ.get("GROUPX_TEST_EVENTS", "100000"))
"""By hand: a million takes half a minute."""


def grow(ledger, until):
    (seq,) = ledger.row("SELECT max(seq) FROM events")
    ledger.conn.execute("BEGIN")
    ledger.conn.execute(MORE_EVENTS, {"seq": seq, "until": until})
    ledger.conn.execute("COMMIT")


def work(ledger):
    """SQLite's instructions, in tens, for each look-up and each write of a message's way."""
    turns = []

    def claimed():
        turns.append(ledger.claim(turns[0]))

    calls = {
        "bootstrap": lambda: bootstrap(ledger.conn, BootstrapQuery()),
        "history": lambda: history(ledger.conn, HistoryQuery(before_seq=900)),
        "events": lambda: events_after(ledger.conn, EventsAfter(after_seq=500)),
        "accept": lambda: turns.append(ledger.queued()),
        "head": lambda: lane_head(ledger.conn, ledger.a),
        "claim": claimed,
        "end": lambda: ledger.end(turns[0], turns[1].attempt_id, Cause.COMPLETED, response="x"),
    }
    steps = dict.fromkeys(calls, 0)
    for name, call in calls.items():

        def step(name=name):
            steps[name] += 1

        ledger.conn.set_progress_handler(step, 10)
        call()
    ledger.conn.set_progress_handler(None, 0)
    return steps


@pytest.mark.slow
def test_a_long_history_costs_no_more(ledger):
    ledger.completed()
    grow(ledger, 1_000)
    few = work(ledger)
    grow(ledger, MANY)
    many = work(ledger)
    assert few["bootstrap"] > 100
    assert {name: many[name] for name in few if many[name] > few[name] * 1.2 + 10} == {}
