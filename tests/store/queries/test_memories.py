"""Reading memories and identities: filters, history, words, pages, and whose they are."""

import pytest

from groupx.domain.errors import GroupXError
from groupx.domain.ids import USER_WEB
from groupx.domain.memory_commands import IdentityQuery, MemoryQuery, RecordQuery
from groupx.domain.rooms import NewRoom
from groupx.store.queries.memories import (
    identities,
    memories,
    memories_and_summary,
    placed_record,
    summary_as_memory,
)
from groupx.store.transactions.rooms import new_room
from tests.store.records import Notes

A, B = "agent:a", "agent:b"


@pytest.fixture
def notes(ledger):
    return Notes(ledger)


@pytest.fixture
def found(ledger):
    def read(**query):
        return [it.content for it in memories(ledger.conn, MemoryQuery(**query)).records]

    return read


def test_the_newest_first_and_filters(notes, found):
    notes.keep(notes.memory(content="one", kind="decision"))
    notes.keep(notes.memory(A, content="two", subject_actor_id=B))
    notes.keep(notes.memory(A, "core", content="three"))
    notes.keep(notes.memory(A, "correlation", content="four"))
    assert found() == ["four", "three", "two", "one"]
    assert found(kind="decision") == ["one"]
    assert found(author=USER_WEB) == ["one"]
    assert found(subject=B) == ["two"]
    assert found(scope_type="room") == ["two", "one"]
    assert found(scope_type="agent", scope_id=A) == ["three"]
    assert found(agent_memory_type="core") == ["three"]
    assert found(agent_memory_type="dated") == []
    assert found(scope_type="correlation") == ["four"]


def test_an_agent_never_sees_another_agents_own(notes, found):
    notes.keep(notes.memory(A, "core", content="of a"))
    notes.keep(notes.memory(B, "core", content="of b"))
    notes.keep(notes.memory(content="of all"))
    assert found(reader=A) == ["of all", "of a"]
    assert found(reader=A, scope_type="agent", scope_id=B, history=True) == []
    assert found(reader=B) == ["of all", "of b"]
    assert found() == ["of all", "of b", "of a"]


def test_history_on_demand(notes, found):
    old = notes.keep(notes.memory(content="old")).record
    new = notes.replace(old.memory_id, content="new").record
    gone = notes.keep(notes.memory(content="gone")).record
    notes.retract(gone.memory_id)
    assert found() == ["new"]
    assert found(history=True) == ["gone", "new", "old"]
    assert new.supersedes_memory_id == old.memory_id


@pytest.mark.parametrize("words", ["tabs spaces", "TABS", "ＴＡＢＳ", "制表", "100%", "it_s", "  "])
def test_words(notes, found, words):
    notes.keep(notes.memory(content="Use Tabs, not spaces. 使用制表符 100% it_s"))
    notes.keep(notes.memory(content="unrelated"))
    expected = 1 if words.strip() else 2
    assert len(found(words=words)) == expected


@pytest.mark.parametrize("words", ["tabs nowhere", "%", '"', "' OR 1=1 --", "_", "🙂"])
def test_words_that_are_not_there(notes, found, words):
    notes.keep(notes.memory(content="Use Tabs"))
    assert found(words=words) == []


def test_words_are_whole_but_the_last_and_runs_are_found_by_any_piece(notes, found):
    notes.keep(notes.memory(content="Compiles from:source with c++"))
    notes.keep(notes.memory(content="修改数据库"))
    first, run = ["Compiles from:source with c++"], ["修改数据库"]
    for words, wanted in {
        "comp": first, "comp with": [], "with comp": first, "c++": first, "from:source": first,
        '"with c"': first, '"c with"': [], "数据": run, "库": run, "数库": [],
    }.items():  # fmt: skip
        assert found(words=words) == wanted, words


def test_words_look_only_at_what_the_reader_may_see(notes, found):
    notes.keep(notes.memory(A, "core", content="wet of a"))
    old = notes.keep(notes.memory(content="wet of all")).record
    notes.replace(old.memory_id, content="wet again")
    notes.keep(notes.identity(A, content="wet"))
    assert found(words="wet", reader=B) == ["wet again"]
    assert found(words="wet", reader=A) == ["wet again", "wet of a"]
    assert found(words="wet", history=True) == ["wet again", "wet of all", "wet of a"]
    assert found(words="wet", scope_type="agent") == ["wet of a"]


def test_pages_of_words(notes, ledger):
    for number in range(5):
        notes.keep(notes.memory(content=f"wet {number}"))
        notes.keep(notes.memory(content="dry"))
    seen, before = [], None
    for _ in range(3):
        page = memories(ledger.conn, MemoryQuery(words="wet", limit=2, before=before))
        seen += [it.content[-1] for it in page.records]
        before = page.next_before
    assert (seen, before) == (["4", "3", "2", "1", "0"], None)
    assert memories(ledger.conn, MemoryQuery(words="wet", before="mem_none")).records == ()


def test_what_the_index_does_not_know_yet_is_found(notes, found, ledger):
    notes.keep(notes.memory(content="Wet, 湿"))
    ledger.conn.execute("UPDATE search_state SET indexed_through_seq = 0")
    ledger.conn.execute("DELETE FROM search_docs")
    assert found(words="wet") == found(words="湿") == ["Wet, 湿"]
    assert found(words="dry") == []


def test_pages(notes, ledger):
    for number in range(5):
        notes.keep(notes.memory(content=str(number)))
    seen, before = [], None
    for _ in range(3):
        page = memories(ledger.conn, MemoryQuery(limit=2, before=before))
        seen += [it.content for it in page.records]
        before = page.next_before
    assert seen == ["4", "3", "2", "1", "0"]
    assert before is None
    assert memories(ledger.conn, MemoryQuery(before="mem_none")).records == ()


def test_each_room_has_its_own_and_an_agent_takes_its_own_along(notes, found, ledger):
    notes.keep(notes.memory(content="of the old room"))
    notes.keep(notes.memory(layer="core", owner=A, content="of a"))
    ledger.write(new_room, NewRoom(key=ledger.key("room.new")))
    assert found() == ["of a"]
    assert found(room_id="room:main") == ["of a", "of the old room"]


def test_identities(notes, ledger):
    first = notes.keep(notes.identity(A, content="by the user")).record
    notes.keep(notes.identity(A, B, content="by b", kind="fact"))
    notes.keep(notes.identity(B, B, content="of b"))
    notes.retract(first.identity_id, family="identity")

    def read(**query):
        return [it.content for it in identities(ledger.conn, IdentityQuery(**query)).records]

    assert read() == ["of b", "by b"]
    assert read(subject=A) == ["by b"]
    assert read(subject=A, history=True) == ["by b", "by the user"]
    assert read(author=B, kind="note") == ["of b"]
    page = identities(ledger.conn, IdentityQuery(limit=1))
    assert read(before=page.next_before) == ["by b"]


def test_one_record_is_read_with_its_room_whatever_became_of_it(notes, ledger):
    kept = {
        layer: notes.keep(notes.memory(A, layer, content=layer)).record.memory_id
        for layer in ("room", "correlation", "core")
    }
    identity = notes.keep(notes.identity(A)).record.identity_id
    notes.retract(kept["room"])

    def read(record_id, family="memory"):
        return placed_record(ledger.conn, RecordQuery(family=family, record_id=record_id))

    assert {layer: read(it).room_id for layer, it in kept.items()} == {
        "room": "room:main",
        "correlation": "room:main",
        "core": None,
    }
    assert read(kept["room"]).record.status == "retracted"
    assert read(identity, "identity").room_id is None
    with pytest.raises(GroupXError, match="There is no identity"):
        read(kept["core"], "identity")


def test_the_checkpoint_is_read_as_a_memory_and_is_none(notes, found, ledger):
    assert summary_as_memory(ledger.conn, None) is None
    ledger.conn.execute(
        "INSERT INTO summaries VALUES ('summary_1', 'room:main', 1, 2, 'before', ?, 'active', 't')",
        (A,),
    )
    record = summary_as_memory(ledger.conn, None)
    assert (record.memory_id, record.kind, record.content) == ("summary_1", "summary", "before")
    assert (record.author_actor_id, record.source_kind) == (A, "generated_summary")
    assert found() == []
    with pytest.raises(GroupXError, match="NOT_FOUND"):
        summary_as_memory(ledger.conn, "room:other")
    notes.keep(notes.memory(A, content="kept"))

    def page(**query):
        found = memories_and_summary(ledger.conn, MemoryQuery(**query))
        return [it.content for it in found.records]

    assert page() == page(scope_type="room") == ["before", "kept"]
    assert page(kind="summary") == ["before"]
    for other in ({"kind": "fact"}, {"author": A}, {"words": "kept"}, {"scope_id": "room:main"}):
        assert page(**other) == ["kept"]
    assert page(scope_type="agent") == page(before="mem_none") == []


def test_in_no_room_nothing_is_remembered(ledger):
    for read in (memories, memories_and_summary):
        with pytest.raises(GroupXError, match="NOT_FOUND"):
            read(ledger.conn, MemoryQuery(room_id="room:none"))
