"""How much was said: transcript only, less what was withdrawn, the same in any slices."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from groupx.domain.commands import AgainCommand, WithdrawCommand
from groupx.domain.context_reset import ResetContext
from groupx.domain.context_view import SaidSize
from groupx.domain.ids import MAIN_ROOM, USER_WEB
from groupx.domain.limits import Limits
from groupx.domain.outcomes import Cause
from groupx.store.queries.context_size import SizeQuery, context_start, said_size
from groupx.store.transactions.again import again
from groupx.store.transactions.context_reset import reset_context
from groupx.store.transactions.withdraw import withdraw
from tests.store.pairs import Pair


def sizes(ledger, base, *ends):
    """Of the slices that end there, summed."""
    total = SaidSize()
    for after, through in zip((base, *ends), ends, strict=False):
        query = SizeQuery(room_id=MAIN_ROOM, base_seq=base, after_seq=after, through_seq=through)
        total = total.plus(said_size(ledger.conn, query))
    return total


def newest(ledger):
    return context_start(ledger.conn, None).newest_seq


def take_back(ledger, event_id):
    command = WithdrawCommand(
        key=ledger.key("message.withdraw"), message_event_id=event_id, actor_id=USER_WEB
    )
    ledger.write(withdraw, command)


@pytest.fixture
def busy(ledger):
    """A room with a bit of everything; 5 messages of 50 characters are left in it."""
    ledger.completed(content="a" * 10, response="b" * 10)
    gone = ledger.send(ledger.b, content="withdrawn").message_event_id
    turn_id, attempt_id = ledger.running(content="c\0" * 5)
    ledger.end(turn_id, attempt_id, Cause.NATIVE_FAILED)
    again_command = AgainCommand(
        key=ledger.key("turn.retry"), kind="retry", turn_id=turn_id, actor_id=USER_WEB,
        roster=ledger.roster, limits=Limits(),
    )  # fmt: skip
    ledger.cancel(ledger.write(again, again_command).turns[0].turn_id)
    take_back(ledger, gone)
    Pair(ledger)
    return ledger


def test_only_what_was_said_counts(ledger):
    ledger.completed(content="你好", response="four")
    assert sizes(ledger, 0, newest(ledger)) == SaidSize(messages=2, characters=6)
    ledger.conn.execute("UPDATE events SET event_type = 'operator.dispatch' WHERE seq = 1")
    assert sizes(ledger, 0, newest(ledger)) == SaidSize(messages=2, characters=6)
    ledger.conn.execute("UPDATE events SET event_type = 'turn.reasoning.recorded' WHERE seq = 1")
    assert sizes(ledger, 0, newest(ledger)) == SaidSize(messages=1, characters=4)


def test_briefs_copies_and_what_was_taken_back_do_not(busy):
    shown = busy.rows(
        "SELECT length(json_extract(replace(body_json, '\\u0000', '.'), '$.content'))"
        " FROM events e WHERE event_type = 'message.created'"
        " AND coalesce(json_extract(body_json, '$.kind'), '') = ''"
        " AND NOT EXISTS (SELECT 1 FROM events w WHERE w.event_type = 'message.withdrawn'"
        " AND json_extract(w.body_json, '$.messageEventId') = e.event_id)"
    )
    expected = SaidSize(messages=len(shown), characters=sum(size for (size,) in shown))
    assert expected.messages >= 4
    assert sizes(busy, 0, newest(busy)) == expected


def test_what_was_said_before_the_base_is_not_taken_off_again(ledger):
    old = ledger.send(ledger.a, content="before").message_event_id
    base = newest(ledger)
    ledger.send(ledger.b, content="after")
    take_back(ledger, old)
    assert sizes(ledger, base, newest(ledger)) == SaidSize(messages=1, characters=5)
    assert sizes(ledger, 0, newest(ledger)) == SaidSize(messages=1, characters=5)


def test_any_slices_count_the_same(busy):
    last = newest(busy)
    whole = sizes(busy, 0, last)

    @settings(max_examples=30)
    @given(st.sets(st.integers(1, last - 1)))
    def check(cuts):
        assert sizes(busy, 0, *sorted(cuts), last) == whole

    check()


def test_it_starts_above_the_reset_and_the_checkpoint(ledger):
    assert context_start(ledger.conn, None).base_seq == 0
    ledger.completed()
    ledger.conn.execute(
        "INSERT INTO summaries VALUES ('s', ?, 1, 2, 'abc', 'agent:a', 'active', 'now')",
        (MAIN_ROOM,),
    )
    start = context_start(ledger.conn, None)
    assert (start.base_seq, start.summary_characters, start.first_seq) == (2, 3, 1)
    ledger.write(reset_context, ResetContext(key=ledger.key("context.reset"), by=USER_WEB))
    start = context_start(ledger.conn, None)
    assert (start.summary_through_seq, start.summary_characters) == (None, 0)
    assert start.base_seq == start.reset_through_seq == start.newest_seq - 1
