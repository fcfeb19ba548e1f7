"""Batches of dated memory: begun, finished, failed, each once; what a crash leaves, and policy."""

import attrs
import orjson
import pytest

from groupx.domain.context_reset import ResetContext
from groupx.domain.errors import ErrorCode, GroupXError
from groupx.domain.ids import MAIN_ROOM, USER_ASSISTANT, USER_WEB
from groupx.domain.memory_policy import SetPolicy
from groupx.domain.outcomes import Cause
from groupx.domain.rollup import DayKey, FailBatch, FinishBatch
from groupx.domain.rooms import NewRoom
from groupx.domain.times import ms_from_iso
from groupx.store.context_floor import reset_floor
from groupx.store.queries.context_usage import usage_by_source
from groupx.store.queries.rollups import DaysQuery, batch_pairs, dated_days, pending_days
from groupx.store.record_rows import find_record
from groupx.store.transactions.context_reset import reset_context
from groupx.store.transactions.memory_policy import set_policy
from groupx.store.transactions.retract import retract_record
from groupx.store.transactions.rollup import begin_batch, fail_batch, finish_batch
from groupx.store.transactions.rollup_recovery import recover_rollups
from groupx.store.transactions.rooms import new_room
from tests.store.records import Notes

A, B, DAY = "agent:a", "agent:b", "2026-02-02"
KEY = DayKey(room_id=MAIN_ROOM, actor_id=A, local_date=DAY)
SOURCES = """SELECT turn_id, processed_at IS NOT NULL, memory_id, skipped_reason
FROM agent_dated_memory_sources ORDER BY response_seq"""


def begin(ledger, key=KEY):
    return ledger.write(begin_batch, key)


def done(batch, content="what happened", **changes):
    fields = {"batch": batch, "content": content, "prompt_characters": 321} | changes
    return FinishBatch(**fields)


def finish(ledger, batch, *args, **changes):
    return ledger.write(finish_batch, done(batch, *args, **changes))


def forbid(ledger, generation="disabled"):
    command = SetPolicy(
        key=ledger.key("memory.policy"), by=USER_WEB, actor_id=A, expected_revision=0,
        use_memories=True, generation=generation,
    )  # fmt: skip
    ledger.write(set_policy, command)


def waiting(ledger, *owners):
    days = pending_days(ledger.conn, owners or (A, B))
    return [(day.key.actor_id, day.turns, day.characters) for day in days]


def test_the_first_is_remembered_and_later_ones_of_the_day_supersede(ledger):
    turn = ledger.completed(content="12345", response="678").turn_id
    batch = begin(ledger)
    assert (batch.previous, batch.turn_ids) == (None, (turn,))
    first = finish(ledger, batch, tokens=99)
    event = orjson.loads(ledger.frames[-1].data)
    assert (event["type"], event["actor"]["actorId"]) == ("memory.remembered", A)
    record = find_record(ledger.conn, "memory", first)
    assert event["body"]["record"]["memoryId"] == first
    assert (record.layer, record.kind, record.source_kind) == (
        "dated",
        "summary",
        "automatic_rollup",
    )
    assert record.scope_id == record.author_actor_id == record.subject_actor_id == A
    assert ledger.rows(SOURCES) == [(turn, 1, first, None)]
    assert waiting(ledger) == []

    again = ledger.completed().turn_id
    batch = begin(ledger)
    assert batch.turn_ids == (again,)
    assert (batch.previous.memory_id, batch.previous.content) == (first, "what happened")
    second = finish(ledger, batch, "what happened, and more")
    assert orjson.loads(ledger.frames[-1].data)["type"] == "memory.superseded"
    assert find_record(ledger.conn, "memory", first).status == "superseded"
    assert find_record(ledger.conn, "memory", second).supersedes_memory_id == first
    newest = ledger.row("SELECT max(response_seq) FROM agent_dated_memory_sources")
    assert ledger.row("SELECT summarized_through_seq FROM agent_dated_memory_rollups") == newest


def test_what_it_cost_is_known(ledger):
    ledger.completed()
    finish(ledger, begin(ledger), tokens=99)
    [usage] = [it for it in usage_by_source(ledger.conn, None) if it.source == "rollup"]
    assert (usage.actor_id, usage.characters, usage.tokens, usage.tracker) == (A, 321, 99, "native")


def test_nothing_worth_keeping_moves_only_the_checkpoint(ledger):
    turn = ledger.completed().turn_id
    events = ledger.counts()["events"]
    assert finish(ledger, begin(ledger), None) is None
    assert ledger.rows(SOURCES) == [(turn, 1, None, None)]
    assert (ledger.counts()["events"], ledger.counts()["memory_records"]) == (events, 0)
    assert waiting(ledger) == []
    assert begin(ledger) is None


def test_only_the_message_and_the_response_are_read(ledger):
    ledger.completed(content="do it", response="did it")
    [pair] = batch_pairs(ledger.conn, begin(ledger))
    assert (pair.source.content, pair.response.content) == ("do it", "did it")
    assert (pair.source.actor_id, pair.response.actor_id) == (USER_WEB, A)


def test_a_turn_that_ends_meanwhile_waits_for_the_next_batch(ledger):
    ledger.completed()
    batch = begin(ledger)
    later = ledger.completed(content="ab", response="c").turn_id
    finish(ledger, batch)
    assert waiting(ledger) == [(A, 1, 3)]
    assert begin(ledger).turn_ids == (later,)


def test_a_day_with_more_than_fits_goes_in_several_batches(ledger):
    turns = [ledger.completed(content="x" * 30_000).turn_id for _ in range(3)]
    batch = begin(ledger)
    assert batch.turn_ids == tuple(turns[:2])
    finish(ledger, batch)
    assert begin(ledger).turn_ids == (turns[2],)


def test_one_batch_of_a_day_at_a_time(ledger):
    ledger.completed()
    assert begin(ledger) is not None
    before = ledger.dump()
    assert begin(ledger) is None
    assert ledger.dump() == before


def test_an_end_that_comes_too_late_changes_nothing(ledger, refused):
    ledger.completed()
    batch = begin(ledger)
    finish(ledger, batch)
    before = ledger.dump()
    refused("STORE_CONFLICT", finish_batch, done(batch))
    ledger.write(fail_batch, FailBatch(batch=batch, code="ADAPTER_EXITED"))
    assert ledger.dump() == before
    ledger.completed()
    mine = begin(ledger)
    refused("STORE_CONFLICT", finish_batch, done(attrs.evolve(mine, begun_at="earlier")))
    refused("STORE_CONFLICT", finish_batch, done(attrs.evolve(mine, previous=None)))


def test_a_failure_waits_longer_each_time_and_success_forgets_it(ledger):
    ledger.completed()
    waits = []
    for _ in range(3):
        batch = begin(ledger)
        ledger.write(fail_batch, FailBatch(batch=batch, code="ADAPTER_EXITED"))
        [day] = dated_days(ledger.conn, DaysQuery(actor_id=A)).days
        assert (day.waiting_turns, day.last_error_code) == (1, "ADAPTER_EXITED")
        waits.append(day.next_attempt_at)
    assert waits == sorted(set(waits))
    finish(ledger, begin(ledger))
    [day] = dated_days(ledger.conn, DaysQuery(actor_id=A)).days
    assert (day.waiting_turns, day.last_error_code, day.next_attempt_at) == (0, None, None)
    assert day.record is not None


def test_a_failure_of_one_day_counts_for_all_days_of_its_owner_and_of_nobody_else(ledger):
    """Days of an owner are let alone for 1, 2, 4 … minutes, whichever of them failed."""
    for actor, date in ((A, DAY), (A, "2026-02-03"), (B, DAY)):
        turn_id, attempt_id = ledger.running(actor)
        ledger.end(turn_id, attempt_id, Cause.COMPLETED, response="x", local_date=date)
    waits = []
    for actor, date in ((A, DAY), (A, "2026-02-03"), (A, DAY), (B, DAY)):
        key = DayKey(room_id=MAIN_ROOM, actor_id=actor, local_date=date)
        at = ledger.clock + 10
        batch = begin(ledger, key)
        ledger.write(fail_batch, FailBatch(batch=batch, code="ADAPTER_EXITED"))
        [day] = dated_days(ledger.conn, DaysQuery(actor_id=actor, local_date=date)).days
        waits.append((ms_from_iso(day.next_attempt_at) - at) // 60_000)
    assert waits == [1, 2, 4, 1]
    failures = {it.key.actor_id: [] for it in pending_days(ledger.conn, (A, B))}
    for it in pending_days(ledger.conn, (A, B)):
        failures[it.key.actor_id].append(it.failures)
    assert failures == {A: [2, 1], B: [1]}


def test_a_batch_whose_room_was_pruned_cannot_be_read(ledger):
    ledger.completed()
    batch = begin(ledger)
    ledger.conn.execute("DELETE FROM agent_dated_memory_sources")
    with pytest.raises(GroupXError) as refused:
        batch_pairs(ledger.conn, batch)
    assert refused.value.code is ErrorCode.STORE_CONFLICT


def test_each_room_has_a_memory_of_the_day_and_tells_of_it_itself(ledger):
    ledger.completed()
    room = ledger.write(new_room, NewRoom(key=ledger.key("room.new"))).room_id
    ledger.bindings[A] = ledger.open_session(A)
    ledger.completed()
    made = {}
    for day in pending_days(ledger.conn, (A,)):
        made[day.key.room_id] = finish(ledger, begin(ledger, day.key))
        assert orjson.loads(ledger.frames[-1].data)["roomId"] == day.key.room_id
    assert set(made) == {MAIN_ROOM, room}
    assert [find_record(ledger.conn, "memory", it).status for it in made.values()] == ["active"] * 2
    for room_id, memory_id in made.items():
        [day] = dated_days(ledger.conn, DaysQuery(actor_id=A, room_id=room_id)).days
        assert day.record.memory_id == memory_id


def test_days_of_nobody_and_in_no_room_are_not_none_but_an_error(ledger):
    for query, code in ((DaysQuery(actor_id="agent:zz"), "UNKNOWN_ACTOR"),
                        (DaysQuery(actor_id=A, room_id="room:none"), "NOT_FOUND")):  # fmt: skip
        with pytest.raises(GroupXError, match=code):
            dated_days(ledger.conn, query)


def test_what_is_asked_of_nobody_else_waits(ledger):
    ledger.completed()
    ledger.completed(ledger.b)
    assert [actor for actor, *_ in waiting(ledger, B)] == [B]
    assert pending_days(ledger.conn, ()) == ()


# --- crashes --------------------------------------------------------------------------------------


def test_what_a_crash_left_begun_is_taken_up_again(ledger):
    turn = ledger.completed().turn_id
    lost = begin(ledger)
    ledger.write(recover_rollups, None)
    batch = begin(ledger)
    assert batch.turn_ids == lost.turn_ids == (turn,)
    assert finish(ledger, batch) is not None


@pytest.mark.parametrize(
    "harm",
    [
        "UPDATE agent_dated_memory_rollups SET pending_turns = 7, pending_chars = 7",
        "UPDATE agent_dated_memory_rollups SET pending_turns = 0, pending_chars = 0,"
        " pending_through_seq = NULL, first_pending_at = NULL, last_pending_at = NULL",
        "DELETE FROM agent_dated_memory_rollups",
    ],
    ids=["miscounted", "emptied", "missing"],
)
def test_a_days_row_is_made_again_from_its_sources(ledger, harm):
    ledger.completed()
    first = finish(ledger, begin(ledger))
    ledger.completed(content="ab", response="c")
    columns = (
        "SELECT memory_id, summarized_through_seq, pending_turns, pending_chars, first_pending_at"
    )
    before = ledger.rows(columns + " FROM agent_dated_memory_rollups")
    ledger.conn.execute("PRAGMA foreign_keys = OFF")
    ledger.conn.execute(harm)
    ledger.conn.execute("PRAGMA foreign_keys = ON")
    ledger.write(recover_rollups, None)
    assert ledger.rows(columns + " FROM agent_dated_memory_rollups") == before
    assert begin(ledger).previous.memory_id == first


# --- policy ---------------------------------------------------------------------------------------


def test_a_running_batch_is_untouched_and_what_waits_is_skipped(ledger):
    first = ledger.completed().turn_id
    batch = begin(ledger)
    second = ledger.completed().turn_id
    forbid(ledger, "disabled")
    memory_id = finish(ledger, batch)
    assert ledger.rows(SOURCES) == [
        (first, 1, memory_id, None), (second, 0, None, "policy_disabled"),
    ]  # fmt: skip
    assert waiting(ledger) == []


def test_a_running_batch_is_untouched_also_where_the_clock_went_back_before_it(ledger):
    first = ledger.completed().turn_id
    ledger.clock -= 3_600_000
    batch = begin(ledger)
    forbid(ledger, "disabled")
    memory_id = finish(ledger, batch)
    assert ledger.rows(SOURCES) == [(first, 1, memory_id, None)]


def test_of_an_agent_that_is_excluded_no_running_batch_makes_a_memory_either(ledger, refused):
    """Nor does it end anybody else's, nor take back what was made before."""
    first = ledger.completed().turn_id
    kept = finish(ledger, begin(ledger))
    mine, other = ledger.completed(A).turn_id, ledger.completed(B).turn_id
    batch, theirs = begin(ledger), begin(ledger, attrs.evolve(KEY, actor_id=B))
    forbid(ledger, "excluded")
    refused("STORE_CONFLICT", finish_batch, done(batch))
    ledger.write(fail_batch, FailBatch(batch=batch, code="STORE_CONFLICT"))
    assert begin(ledger) is None
    made = finish(ledger, theirs)
    assert ledger.rows(SOURCES) == [
        (first, 1, kept, None), (mine, 0, None, "policy_excluded"), (other, 1, made, None),
    ]  # fmt: skip
    assert find_record(ledger.conn, "memory", kept).status == "active"


def test_what_a_running_batch_had_no_room_for_is_skipped_with_its_end(ledger):
    turns = [ledger.completed(content="x" * 30_000).turn_id for _ in range(3)]
    batch = begin(ledger)
    forbid(ledger)
    finish(ledger, batch, None)
    assert [row[3] for row in ledger.rows(SOURCES)] == [None, None, "policy_disabled"]
    assert len(turns) == 3


def test_a_batch_that_failed_or_was_lost_under_such_a_policy_is_not_tried_again(ledger):
    ledger.completed()
    batch = begin(ledger)
    forbid(ledger)
    ledger.write(fail_batch, FailBatch(batch=batch, code="ADAPTER_EXITED"))
    assert [row[3] for row in ledger.rows(SOURCES)] == ["policy_disabled"]
    assert waiting(ledger) == []


def test_a_batch_that_a_crash_left_is_not_begun_again_under_such_a_policy(ledger):
    ledger.completed()
    begin(ledger)
    forbid(ledger)
    ledger.write(recover_rollups, None)
    assert begin(ledger) is None
    assert [row[3] for row in ledger.rows(SOURCES)] == ["policy_disabled"]


# --- a reset --------------------------------------------------------------------------------------


def reset(ledger):
    ledger.write(reset_context, ResetContext(key=ledger.key("context.reset"), by=USER_WEB))


def after_reset(ledger):
    """A turn at work, and its attempt."""
    turn_id = ledger.queued()
    floor = reset_floor(ledger.conn, MAIN_ROOM)
    return turn_id, ledger.claim(turn_id, reset_through_seq=floor).attempt_id


def ended(ledger, turn_id, attempt_id):
    return ledger.end(turn_id, attempt_id, Cause.COMPLETED, response="done").turn_id


def test_what_waited_when_the_room_was_reset_is_in_no_memory(ledger):
    """Of nobody's day, whether it was never tried, had failed, or is being written."""
    remembered = ledger.completed().turn_id
    first = finish(ledger, begin(ledger))
    waited = [ledger.completed(actor).turn_id for actor in (A, B)]
    ledger.write(fail_batch, FailBatch(batch=begin(ledger), code="ADAPTER_EXITED"))
    reset(ledger)
    assert ledger.rows(SOURCES) == [
        (remembered, 1, first, None), *((turn, 0, None, "reset") for turn in waited),
    ]  # fmt: skip
    assert waiting(ledger) == []
    assert find_record(ledger.conn, "memory", first).status == "active"
    assert begin(ledger) is None
    later = ended(ledger, *after_reset(ledger))
    batch = begin(ledger)
    assert (batch.turn_ids, batch.previous.memory_id) == ((later,), first)


def test_a_memory_that_was_being_written_when_the_room_was_reset_is_dropped(ledger, refused):
    before = ledger.completed().turn_id
    batch = begin(ledger)
    reset(ledger)
    after = ended(ledger, *after_reset(ledger))
    refused("STORE_CONFLICT", finish_batch, done(batch))
    ledger.write(fail_batch, FailBatch(batch=batch, code="STORE_CONFLICT"))
    assert [(row[0], row[3]) for row in ledger.rows(SOURCES)] == [(before, "reset"), (after, None)]
    again = begin(ledger)
    assert (again.turn_ids, again.previous) == ((after,), None)
    assert ledger.counts()["memory_records"] == 0
    assert finish(ledger, again) is not None


def test_a_turn_that_ran_through_a_reset_is_remembered(ledger):
    turn_id, attempt_id = ledger.running()
    reset(ledger)
    ended(ledger, turn_id, attempt_id)
    assert begin(ledger).turn_ids == (turn_id,)


def test_a_reset_is_of_its_room_alone(ledger):
    ledger.completed()
    ledger.write(new_room, NewRoom(key=ledger.key("room.new")))
    ledger.bindings[A] = ledger.open_session(A)
    ledger.completed()
    reset(ledger)
    [day] = pending_days(ledger.conn, (A,))
    assert day.key.room_id == MAIN_ROOM


# --- taking it back -------------------------------------------------------------------------------


@pytest.fixture
def notes(ledger):
    return Notes(ledger)


def test_the_user_takes_it_back_and_the_day_begins_anew(ledger, notes):
    ledger.completed()
    first = finish(ledger, begin(ledger))
    notes.retract(first)
    assert find_record(ledger.conn, "memory", first).status == "retracted"
    later = ledger.completed().turn_id
    batch = begin(ledger)
    assert (batch.previous, batch.turn_ids) == (None, (later,))
    second = finish(ledger, batch, "anew")
    assert find_record(ledger.conn, "memory", second).supersedes_memory_id is None
    [day] = dated_days(ledger.conn, DaysQuery(actor_id=A)).days
    assert day.record.memory_id == second


@pytest.mark.parametrize("content", ["late", None])
def test_one_that_is_taken_back_meanwhile_is_in_no_later_memory(ledger, notes, refused, content):
    ledger.completed()
    first = finish(ledger, begin(ledger))
    ledger.completed()
    batch = begin(ledger)
    notes.retract(first)
    refused("STORE_CONFLICT", finish_batch, done(batch, content))


@pytest.mark.parametrize(
    ("by", "code"),
    [(USER_ASSISTANT, "MCP_BINDING_MISMATCH"), (A, "MCP_BINDING_MISMATCH"), (B, "NOT_FOUND")],
)
def test_nobody_else_does(ledger, notes, refused, by, code):
    ledger.completed()
    first = finish(ledger, begin(ledger))
    command = notes.back(first, by)
    refused(code, retract_record, command)


# --- reading --------------------------------------------------------------------------------------


def test_days_are_read_newest_first_page_by_page(ledger):
    days = ["2026-02-01", "2026-02-02", "2026-02-03"]
    for day in days:
        turn, attempt = ledger.running()
        ledger.end(turn, attempt, Cause.COMPLETED, response="done", local_date=day)
    page = dated_days(ledger.conn, DaysQuery(actor_id=A, limit=2))
    assert [day.local_date for day in page.days] == days[:0:-1]
    rest = dated_days(ledger.conn, DaysQuery(actor_id=A, limit=2, before=page.next_before))
    assert ([day.local_date for day in rest.days], rest.next_before) == (days[:1], None)
    only = dated_days(ledger.conn, DaysQuery(actor_id=A, local_date=days[1]))
    assert [(day.local_date, day.waiting_turns) for day in only.days] == [(days[1], 1)]
    assert dated_days(ledger.conn, DaysQuery(actor_id=B)).days == ()
