import orjson
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from groupx.domain.ledger import ToolRecord
from groupx.domain.limits import MAX_PAGE_BYTES
from groupx.domain.outcomes import Cause
from groupx.domain.pages import EventsAfter
from groupx.store.queries.events_after import events_after
from groupx.store.transactions.lane import set_lane


def read_all(ledger, **fields):
    found, cursor = [], 0
    while page := events_after(ledger.conn, EventsAfter(after_seq=cursor, **fields)):
        found += page
        cursor = page[-1].seq
    return found


def test_stored_events_are_the_bytes_that_were_sent_live(ledger):
    first = ledger.completed(content='tab\t "quote" \\ \u2028 \x00 😀', response="é\ud7ff")
    turn_id, attempt_id = ledger.running(ledger.b)
    ledger.call(turn_id, ledger.b, ledger.c)
    ledger.end(
        turn_id,
        attempt_id,
        Cause.NATIVE_FAILED,
        message="no",
        reasoning="hm",
        tools=(
            ToolRecord(
                native_type="tool.started", tool_call_id="1",
                details={"n": 1.5, "big": 2**53, "nested": [{"a": None}, True]},
            ),
        ),
    )  # fmt: skip
    ids = dict.fromkeys(("reply_to_event_id", "forwarded_event_id"), first.response_event_id)
    ledger.send("@all", **ids)
    ledger.write(set_lane, ledger.lane("paused"))
    for fields in ({}, {"room_id": "room:main"}):
        assert read_all(ledger, **fields) == ledger.frames


def test_pages_are_bounded_and_have_no_gap(ledger):
    for _ in range(101):
        ledger.send()
        ledger.conn.execute("UPDATE turns SET status = 'cancelled'")
    page = events_after(ledger.conn, EventsAfter(after_seq=0, limit=5000))
    assert len(page) == 200
    assert [frame.seq for frame in read_all(ledger)] == list(range(1, 203))
    assert events_after(ledger.conn, EventsAfter(after_seq=202)) == []


@pytest.mark.slow
def test_a_page_ends_before_four_mebibytes_but_holds_at_least_one(ledger):
    big = "x" * 131_072
    for _ in range(40):
        ledger.send(content=big)
        ledger.conn.execute("UPDATE turns SET status = 'cancelled'")
    page = events_after(ledger.conn, EventsAfter(after_seq=0))
    assert sum(len(frame.data) for frame in page) <= MAX_PAGE_BYTES
    assert 50 < len(page) < 80
    assert len(read_all(ledger)) == 80


def test_one_room_is_not_another(ledger):
    ledger.send()
    assert events_after(ledger.conn, EventsAfter(after_seq=0, room_id="room:other")) == []


def test_lone_surrogates_of_older_ledgers_become_the_replacement_character(ledger):
    ledger.send()
    for stored, shown in (
        ('{"content":"a\\ud83d!"}', "a\ufffd!"),
        ('{"content":"\\uD83D\\uDE00"}', "😀"),
        ('{"content":"\\\\ud83d"}', "\\ud83d"),
    ):
        ledger.conn.execute("UPDATE events SET body_json = ? WHERE seq = 1", (stored,))
        (frame, _) = events_after(ledger.conn, EventsAfter(after_seq=0))
        assert orjson.loads(frame.data)["body"] == {"content": shown}


@settings(
    max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(content=st.text(), cursor=st.integers(0, 3))
def test_any_text_reads_back_as_it_was_sent(ledger, content, cursor):
    seq = ledger.frames[-1].seq if ledger.frames else 0
    ledger.send(content=content)
    ledger.conn.execute("UPDATE turns SET status = 'cancelled'")
    page = events_after(ledger.conn, EventsAfter(after_seq=seq))
    assert page == ledger.frames[-2:]
    assert orjson.loads(page[0].data)["body"]["content"] == content
