"""What a search finds of a ledger, and that the index is as exact as the rows."""

import pytest

from groupx.domain.envelope import EventDraft
from groupx.domain.errors import ErrorCode, GroupXError
from groupx.domain.ids import USER_WEB
from groupx.domain.search_page import SearchQuery
from groupx.store import search_beginnings
from groupx.store.queries import search as queries
from groupx.store.queries.search import search
from groupx.store.transactions.withdraw import withdraw
from tests.store.records import Notes
from tests.store.transactions.test_withdraw import command as withdrawal


@pytest.fixture
def found(ledger):
    def read(text, **query):
        return search(ledger.conn, SearchQuery(text=text, **query))

    return read


def test_each_kind_newest_first(ledger, found):
    notes = Notes(ledger)
    said = ledger.send(ledger.a, content="修改数据库 with c++ <now>").message_event_id
    memory = notes.keep(notes.memory(content="the 数据 is c++")).record.memory_id
    identity = notes.keep(notes.identity(ledger.a, content="knows 数据")).record.identity_id
    page = found("数据")
    assert [(hit.kind, hit.id) for hit in page.results] == [
        ("identity", identity), ("memory", memory), ("message", said),
    ]  # fmt: skip
    assert page.results[-1].excerpt_html == "修改<mark>数据</mark>库 with c++ &lt;now&gt;"
    assert (page.next_cursor, page.indexing) == (None, None)
    assert [hit.id for hit in found("c++ with").results] == [said]


def test_a_record_that_no_longer_counts_is_found_by_who_asks_for_it(ledger, found):
    notes = Notes(ledger)
    old = notes.keep(notes.memory(content="water")).record.memory_id
    new = notes.replace(old, content="deep water").record.memory_id
    gone = notes.keep(notes.identity(ledger.a, content="likes water")).record.identity_id
    notes.retract(gone, family="identity")
    assert [hit.id for hit in found("water").results] == [new]
    assert [(hit.id, hit.status) for hit in found("water has:history").results] == [
        (gone, "retracted"), (new, "active"), (old, "superseded"),
    ]  # fmt: skip
    notes.retract(new)
    assert found("water").results == ()


def test_a_record_says_whose_it_is(ledger, found):
    notes = Notes(ledger)
    notes.keep(notes.memory(content="water"))
    notes.keep(notes.memory(ledger.a, layer="core", content="water"))
    notes.keep(notes.identity(ledger.b, content="water"))
    assert [hit.owner_actor_id for hit in found("water").results] == [ledger.b, ledger.a, None]


def test_pages(ledger, found):
    sent = [ledger.send(ledger.a, content=f"word {n}").message_event_id for n in range(3)]
    first = found("word", limit=2)
    rest = found("word", limit=2, cursor=int(first.next_cursor or 0))
    assert [hit.id for hit in (*first.results, *rest.results)] == sent[::-1]
    assert rest.next_cursor is None


def test_filters(ledger, found):
    to_a = ledger.send(ledger.a, content="plan ```x```").message_event_id
    to_b = ledger.send(ledger.b, content="plan").message_event_id
    for text, wanted in {
        "plan to:a": [to_a], "to:agent:b": [to_b], "has:code": [to_a],
        "plan from:web": [to_b, to_a],
        "from:agent:a": [], "plan before:2020-01-01": [], "plan after:2020-01-01": [to_b, to_a],
    }.items():  # fmt: skip
        assert [hit.id for hit in found(text).results] == wanted, text


@pytest.mark.parametrize("typed", ["planner", "PLANNER", "agent:a", "Agent:A", "ｐｌanner", "a"])
def test_whoever_is_meant_is_named_by_id_or_by_the_name_that_is_shown(ledger, found, typed):
    rename = "UPDATE actors SET display_name = ? WHERE actor_id = ?"
    ledger.conn.execute(rename, ("Planner", ledger.a))
    ledger.conn.execute(rename, ("Big Planner", ledger.b))
    turn = ledger.completed(content="plan", response="planned it")
    other = ledger.send(ledger.b, content="plan").message_event_id
    answer = [hit.id for hit in found(f"planned from:{typed}").results]
    assert answer == [turn.response_event_id]
    asked = [hit.id for hit in found(f"plan to:{typed}").results]
    assert len(asked) == 1
    assert other not in asked
    assert [hit.id for hit in found('to:"big planner"').results] == [other]
    assert found("from:nobody").results == ()


def test_nobody_looks_through_a_room_for_who_never_was_there(ledger, found, monkeypatch):
    monkeypatch.setattr(queries, "WALKED", 1)
    for text in ("plan", "plan"):
        ledger.send(ledger.a, content=text)
    assert found("plan to:nobody").next_cursor is not None
    assert found("plan from:nobody").next_cursor is None


def test_rooms(ledger, found):
    ledger.send(ledger.a, content="here")
    with pytest.raises(GroupXError, match="no room"):
        found("here", room_id="room:none")
    assert len(found("here", all_rooms=True).results) == 1


def test_what_is_withdrawn_is_forgotten(ledger, found):
    sent = ledger.send(ledger.a, content="secret 数据").message_event_id
    assert len(found("secret").results) == 1
    ledger.write(withdraw, withdrawal(ledger, sent))
    assert found("secret").results == ()
    query = "SELECT rowid FROM search_fts WHERE search_fts MATCH 'secret'"
    assert ledger.rows(query) == []


def test_what_was_rolled_back_was_never_indexed(ledger, found):
    def refused(tx, content):
        tx.emit(
            EventDraft(
                type="message.created", room_id="room:main", actor_id=USER_WEB,
                correlation_id="c", body={"content": content},
            )
        )  # fmt: skip
        raise GroupXError(ErrorCode.STORE_CONFLICT, "no")

    before = ledger.dump()
    with pytest.raises(GroupXError, match="no"):
        ledger.write(refused, "undone")
    assert found("undone").results == ()
    assert ledger.dump() == before
    assert ledger.rows("SELECT rowid FROM search_fts WHERE search_fts MATCH 'undone'") == []


def test_a_history_that_is_not_indexed_yet_is_told_of(ledger, found):
    ledger.send(ledger.a, content="word")
    assert found("word").indexing is None
    ledger.conn.execute("UPDATE search_state SET indexed_through_seq = 0")
    ledger.send(ledger.a, content="word")
    told = found("word").indexing
    assert told is not None
    assert (told.done, told.total) == (0, ledger.row("SELECT max(seq) FROM events")[0])


def test_nothing_is_no_search(ledger, found):
    ledger.send(ledger.a, content="word")
    assert found(' "" ').results == ()


def every_slice(found, text, **query):
    slices = [found(text, **query)]
    while (cursor := slices[-1].next_cursor) is not None:
        known = {"common": slices[-1].common}
        slices.append(found(text, cursor=int(cursor), **known, **query))
    return [[hit.id for hit in it.results] for it in slices]


def test_a_slice_looks_at_so_many_documents_and_the_next_goes_on(ledger, found, monkeypatch):
    first = ledger.send(ledger.b, content="word").message_event_id
    for number in range(5):
        ledger.send(ledger.a, content=f"word {number}")
    monkeypatch.setattr(queries, "WALKED", 3)
    assert every_slice(found, "word to:b") == [[], [first], []]
    monkeypatch.setattr(queries, "WALKED_FOR_CODE", 1)
    assert found("word has:code").next_cursor is not None


def test_a_slice_reads_so_much(ledger, found, monkeypatch):
    """Each of a page's hits may be very long, and in a script that takes its time."""
    long = "只修改数据库，" * 30
    sent = [ledger.send(ledger.a, content=long).message_event_id for _ in range(4)][::-1]
    monkeypatch.setattr(queries, "READ_CHARACTERS", len(long))
    assert every_slice(found, "数据") == [sent[:2], sent[2:]]
    monkeypatch.setattr(queries, "READ_TEXTS", 1)
    assert every_slice(found, "数据") == [[it] for it in sent]


@pytest.fixture
def _much_is_common(monkeypatch):
    monkeypatch.setattr(search_beginnings, "MANY", 2)


SAID = ["compile it", "complete", "a compass", "compose, or decompile", "not com.pared, in a COMBO"]


FOUND = {
    "com": [4, 3, 2, 1, 0], "a com": [4, 2], "compo": [3], "compi": [0], "COMB": [4], "decom": [3],
    "com from:web": [4, 3, 2, 1, 0], "com from:a": [], ".com": [], "x com": [], ".pa": [4],
    "not com": [4], "com.p": [4], "not.com": [4], "it.com": [],
}  # fmt: skip


@pytest.mark.usefixtures("_much_is_common")
def test_what_too_many_words_begin_with_is_found_all_the_same(ledger, found, monkeypatch):
    sent = [ledger.send(ledger.a, content=content).message_event_id for content in SAID]
    notes = Notes(ledger)
    notes.keep(notes.memory(content="nothing of it"))
    for reads in (150, 1):
        monkeypatch.setattr(queries, "READ_TEXTS", reads)
        for text, numbers in FOUND.items():
            hits = [hit for slice_ in every_slice(found, text) for hit in slice_]
            assert hits == [sent[number] for number in numbers], (text, reads)
    assert found("com").common == {"com"}
    assert found("compi").common == frozenset()


@pytest.mark.usefixtures("_much_is_common")
def test_what_is_common_is_marked_where_it_was_found(ledger, found):
    for content in SAID:
        ledger.send(ledger.a, content=content)
    assert found("a com").results[1].excerpt_html == "<mark>a</mark> <mark>com</mark>pass"
