"""Indexing what is there already: each text once, whatever happens meanwhile."""

import shutil
from pathlib import Path

import attrs
import pytest

from groupx.domain.search_page import Indexing, SearchQuery
from groupx.store import search_index, search_rows
from groupx.store.opening import open_ledger
from groupx.store.queries.search import search
from groupx.store.transaction import Transaction
from groupx.store.transactions import index_slice as slices
from groupx.store.transactions.index_slice import index_slice, reindex
from groupx.store.transactions.withdraw import withdraw
from tests.store.records import Notes
from tests.store.transactions.test_prune import enter, pruned
from tests.store.transactions.test_withdraw import command as withdrawal

FIXTURES = Path(__file__).parents[1] / "fixtures"


@pytest.fixture(autouse=True)
def _small(monkeypatch):
    monkeypatch.setattr(slices, "SLICE_SEQS", 3)
    monkeypatch.setattr(slices, "SLICE_RECORDS", 2)


def docs(conn):
    every = "SELECT kind, ref_id, seq IS NULL FROM search_docs ORDER BY 1, 2"
    return conn.execute(every).fetchall()


def hits(ledger, text, **query):
    return [hit.id for hit in search(ledger.conn, SearchQuery(text=text, **query)).results]


def to_the_end(ledger):
    count = 1
    while ledger.write(index_slice, None):
        count += 1
    return count


def said(ledger, count):
    return [ledger.send(ledger.a, content=f"word {n}").message_event_id for n in range(count)]


def test_a_new_ledger_has_nothing_to_index(ledger):
    said(ledger, 2)
    assert ledger.write(index_slice, None) is False


def test_a_reindex_finds_all_that_was_found_before(ledger):
    notes = Notes(ledger)
    said(ledger, 4)
    notes.replace(notes.keep(notes.memory(content="word")).record.memory_id, content="new word")
    notes.keep(notes.identity(ledger.a, content="word"))
    found, before = hits(ledger, "word"), docs(ledger.conn)
    key = ledger.key("search.reindex")
    (newest,) = ledger.row("SELECT max(seq) FROM events")
    assert ledger.write(reindex, key) == Indexing(done=0, total=newest)
    assert (hits(ledger, "word"), docs(ledger.conn)) == ([], [])
    assert to_the_end(ledger) > 3
    assert (hits(ledger, "word"), docs(ledger.conn)) == (found, before)
    assert search(ledger.conn, SearchQuery(text="word")).indexing is None
    assert ledger.write(reindex, key) == Indexing(done=0, total=newest)
    assert hits(ledger, "word") == found


def test_what_is_said_and_withdrawn_meanwhile(ledger):
    first, second, *_ = said(ledger, 4)
    ledger.write(withdraw, withdrawal(ledger, second))
    ledger.write(reindex, ledger.key("search.reindex"))
    assert ledger.write(index_slice, None) is True
    (third,) = said(ledger, 1)
    assert hits(ledger, "word")[0] == third
    ledger.write(withdraw, withdrawal(ledger, first))
    to_the_end(ledger)
    found = hits(ledger, "word")
    assert found.count(third) == 1
    assert not {first, second} & set(found)
    assert len(found) == 3
    check = "INSERT INTO search_fts (search_fts) VALUES ('integrity-check')"
    ledger.conn.execute(check)


def test_a_long_text_is_a_slice_of_its_own(ledger, monkeypatch):
    monkeypatch.setattr(slices, "SLICE_SEQS", 1_000)
    monkeypatch.setattr(slices, "SLICE_CHARACTERS", 500)
    for _ in range(3):
        ledger.send(ledger.a, content="word " * 100)
    ledger.write(reindex, ledger.key("search.reindex"))
    assert to_the_end(ledger) >= 3
    assert len(hits(ledger, "word")) == 3


def test_what_a_pruned_room_leaves_to_its_agents_is_still_found(ledger):
    notes = Notes(ledger)
    kept = notes.keep(notes.memory(layer="core", owner=ledger.a, content="core word")).record
    enter(ledger)
    pruned(ledger, "delete")
    assert hits(ledger, "core") == [kept.memory_id]
    assert docs(ledger.conn) == [("memory", kept.memory_id, 1)]


def cut_by_other_rules(ledger, monkeypatch, tokens="word"):
    """As by a program that made something else of each text."""
    with monkeypatch.context() as other:
        other.setattr(search_index, "CUT", "\U000ffff11x0")
        other.setattr(search_rows, "index_tokens", lambda text: tokens)
        ledger.write(reindex, ledger.key("search.reindex"))
        to_the_end(ledger)


def test_an_index_by_other_rules_begins_anew_and_once(ledger, monkeypatch):
    first, second = said(ledger, 2)
    cut_by_other_rules(ledger, monkeypatch, tokens="other")
    assert (hits(ledger, "word"), hits(ledger, "other")) == ([], [second, first])
    assert ledger.write(index_slice, None) is True
    assert hits(ledger, "other") == []
    to_the_end(ledger)
    assert hits(ledger, "word") == [second, first]
    assert ledger.write(index_slice, None) is False


@pytest.mark.parametrize("rules", ["of now", "others"])
def test_what_is_withdrawn_leaves_no_token_behind(ledger, monkeypatch, rules):
    """An index that is told to forget other tokens than it has would keep them, or be damaged."""
    first, second = said(ledger, 2)
    if rules == "others":
        cut_by_other_rules(ledger, monkeypatch, tokens="word other")
    ledger.write(withdraw, withdrawal(ledger, second))
    to_the_end(ledger)
    assert hits(ledger, "word") == [first]
    found = "SELECT rowid FROM search_fts WHERE search_fts MATCH 'word OR other'"
    assert len(ledger.rows(found)) == 1
    ledger.conn.execute("INSERT INTO search_fts (search_fts) VALUES ('integrity-check')")


def test_a_file_from_before_the_rules_were_told_is_indexed_anew(tmp_path):
    conn = frozen(tmp_path, "format-10.db")()
    told = "SELECT rowid FROM search_fts WHERE search_fts MATCH ?"
    asked = (f'"{search_index.CUT}"',)
    assert conn.execute(told, asked).fetchall() == []
    while write(conn, index_slice, None):
        pass
    assert conn.execute(told, asked).fetchall() == [(0,)]
    assert search(conn, SearchQuery(text="after:2000-01-01", all_rooms=True)).indexing is None
    conn.close()


def frozen(tmp_path, name):
    path = tmp_path / "room.db"
    shutil.copyfile(FIXTURES / name, path)
    return lambda: open_ledger(path, now_iso="2026-12-01T00:00:00.000Z", database_id="database_1")


def write(conn, run, command):
    conn.execute("BEGIN IMMEDIATE")
    result = run(Transaction(conn, None, lambda: 0), command)  # type: ignore[arg-type]
    conn.execute("COMMIT")
    return result


@pytest.mark.parametrize("name", ["format-1.db", "format-4.db", "format-9.db", "format-10.db"])
def test_an_older_file_is_found_whole_also_when_it_was_killed_in_the_middle(
    tmp_path, monkeypatch, name
):
    monkeypatch.setattr(slices, "SLICE_SEQS", 60)
    opened = frozen(tmp_path, name)
    more = True
    while more:
        conn = opened()
        more = write(conn, index_slice, None)
        if more:
            conn.execute("BEGIN IMMEDIATE")
            index_slice(Transaction(conn, None, lambda: 0), None)  # type: ignore[arg-type]
        conn.close()  # in the middle of a transaction
    conn = opened()
    both = "SELECT memory_id FROM memory_records UNION SELECT identity_id FROM identity_records"
    records = {row[0] for row in conn.execute(both)}
    assert {ref_id for kind, ref_id, _ in docs(conn) if kind in ("memory", "identity")} == records
    wanted = """SELECT count(*) FROM events e WHERE event_type IN
      ('message.created', 'operator.dispatch')
      AND coalesce(json_extract(body_json, '$.kind'), '') <> 'supervision.watch'
      AND NOT EXISTS (SELECT 1 FROM events w WHERE w.event_type = 'message.withdrawn'
        AND json_extract(w.body_json, '$.messageEventId') = e.event_id)"""
    messages = sum(kind in ("message", "dispatch") for kind, _, _ in docs(conn))
    assert (messages,) == conn.execute(wanted).fetchone()
    texts = "SELECT count(*) FROM search_fts WHERE rowid <> 0"
    assert conn.execute(texts).fetchone() == (len(docs(conn)),)
    conn.close()


def test_records_that_no_event_tells_of_come_last_page_by_page(tmp_path):
    conn = frozen(tmp_path, "format-1.db")()
    while write(conn, index_slice, None):
        pass
    query = SearchQuery(text="after:2000-01-01 has:history", all_rooms=True, limit=4)
    pages = [search(conn, query)]
    while (cursor := pages[-1].next_cursor) is not None:
        pages.append(search(conn, attrs.evolve(query, cursor=int(cursor))))
    results = [hit for page in pages for hit in page.results]
    assert [hit.id for hit in results] == [
        row[0] for row in conn.execute("SELECT ref_id FROM search_docs ORDER BY doc_id DESC")
    ]
    old = [hit for hit in results if hit.kind in ("memory", "identity")]
    assert len(old) == 10
    assert {hit.seq for hit in old} == {None}
    assert {hit.status for hit in old} == {"active", "superseded", "retracted"}
    assert all(hit.excerpt_html for hit in old)
    conn.close()
