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
