import json

import pytest

from groupx.domain.errors import GroupXError
from groupx.domain.limits import MAX_PAGE_BYTES
from groupx.domain.pages import HistoryQuery
from groupx.store.queries.history import history


def fill(ledger, count, **fields):
    for _ in range(count):
        ledger.send(**fields)
        ledger.conn.execute("UPDATE turns SET status = 'cancelled'")


def test_page_by_page_to_the_first_event(ledger):
    fill(ledger, 30)
    seen, before = [], None
    while True:
        page = history(ledger.conn, HistoryQuery(before_seq=before, limit=25))
        assert page.through_seq == 60
        assert list(page.events) == sorted(page.events, key=lambda frame: frame.seq)
        seen = [*page.events, *seen]
        before = page.previous_before_seq
        if before is None:
            break
    assert seen == ledger.frames


def test_page_by_page_to_the_newest(ledger):
    fill(ledger, 30)
    seen, after = [], 0
    while after is not None:
        page = history(ledger.conn, HistoryQuery(after_seq=after, limit=25))
        seen += page.events
        after = page.next_after_seq
    assert seen == ledger.frames


def test_a_page_around_an_event_leads_on_both_ways(ledger):
    fill(ledger, 30)
    for place in (0, 29, 59):
        wanted = json.loads(ledger.frames[place].data)["eventId"]
        page = history(ledger.conn, HistoryQuery(around=wanted, limit=10))
        first, last = max(0, place - 5), min(60, place + 5)
        assert list(page.events) == ledger.frames[first:last]
        assert page.previous_before_seq == (ledger.frames[first].seq if first else None)
        assert page.next_after_seq == (ledger.frames[last - 1].seq if last < 60 else None)
    ledger.conn.execute("UPDATE rooms SET active = 0")
    ledger.conn.execute("INSERT INTO rooms VALUES ('room:2', 'two', 1, 'now', NULL)")
    for query in (HistoryQuery(around=wanted), HistoryQuery(room_id="room:main", around="evt_0")):
        with pytest.raises(GroupXError, match="NOT_FOUND"):
            history(ledger.conn, query)


def test_a_page_tells_how_its_turns_ended_below_it(ledger):
    done = ledger.completed()
    sent = ledger.send()
    newest = history(ledger.conn, HistoryQuery())
    assert newest.endings == ()
    page = history(ledger.conn, HistoryQuery(before_seq=3))
    assert [it.type for it in page.events] == ["message.created", "turn.queued"]
    assert [it.type for it in page.endings] == ["turn.completed"]
    assert json.loads(page.endings[0].data)["body"]["turnId"] == done.turn_id
    page = history(ledger.conn, HistoryQuery(before_seq=4, limit=1))
    assert [it.type for it in page.events] == ["turn.dispatched"]
    assert [it.type for it in page.endings] == ["turn.completed"]
    open_page = history(ledger.conn, HistoryQuery(around=sent.message_event_id, limit=4))
    assert open_page.endings == ()


def test_an_empty_room(ledger):
    page = history(ledger.conn, HistoryQuery())
    assert (page.events, page.previous_before_seq, page.through_seq) == ((), None, 0)


@pytest.mark.slow
def test_bounds(ledger):
    fill(ledger, 110)
    assert len(history(ledger.conn, HistoryQuery(limit=9999)).events) == 200
    assert len(history(ledger.conn, HistoryQuery(limit=0)).events) == 1
    assert history(ledger.conn, HistoryQuery(before_seq=1)).events == ()


@pytest.mark.slow
def test_a_page_is_bounded_in_bytes(ledger):
    fill(ledger, 40, content="x" * 131_072)
    page = history(ledger.conn, HistoryQuery(limit=200))
    assert sum(len(frame.data) for frame in page.events) <= MAX_PAGE_BYTES
    assert page.previous_before_seq == page.events[0].seq
    older = history(ledger.conn, HistoryQuery(before_seq=page.previous_before_seq, limit=200))
    assert [*older.events, *page.events] == ledger.frames


def test_other_rooms_can_be_read_but_not_unknown_ones(ledger):
    fill(ledger, 1)
    ledger.conn.execute("UPDATE rooms SET active = 0")
    ledger.conn.execute("INSERT INTO rooms VALUES ('room:2', 'two', 1, 'now', NULL)")
    assert history(ledger.conn, HistoryQuery()).events == ()
    assert history(ledger.conn, HistoryQuery(room_id="room:main")).events == tuple(ledger.frames)
    with pytest.raises(GroupXError, match="NOT_FOUND"):
        history(ledger.conn, HistoryQuery(room_id="room:none"))
