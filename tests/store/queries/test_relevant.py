"""Which records a turn's message calls up: those that its target may know."""

import attrs
import pytest
import trio

from groupx.actors.transcript_reading import read_inputs
from groupx.domain.config import AgentConfig
from groupx.domain.errors import ErrorCode, GroupXError
from groupx.domain.ids import USER_WEB
from groupx.domain.limits import Limits
from groupx.domain.memory_policy import SetPolicy
from groupx.domain.packet import build_packet
from groupx.domain.packet_inputs import PacketQuery
from groupx.domain.packet_relevant import RELEVANT, Relevant, RelevantQuery
from groupx.domain.rooms import NewRoom
from groupx.store.queries import relevant as looking
from groupx.store.queries.packet_memories import MOST
from groupx.store.queries.relevant import relevant
from groupx.store.transactions.memory_policy import set_policy
from groupx.store.transactions.rooms import new_room
from tests.store.queries.test_packet_memories import Reads
from tests.store.records import Notes

A, B, C = "agent:a", "agent:b", "agent:c"


@pytest.fixture
def notes(ledger):
    return Notes(ledger)


@pytest.fixture
def called_up(ledger):
    """What a message to this agent calls up, the best match first."""

    def of(actor, content="the parser"):
        inputs = trio.run(read_inputs, Reads(ledger.conn), queried(ledger, actor, content), 256_000)
        return [it.content for it in inputs.relevant.kept]

    return of


def queried(ledger, actor, content):
    turn_id = ledger.queued(actor, content=content)
    return PacketQuery(turn_id=turn_id, native_session_id=None)


def sections(inputs):
    agent = AgentConfig(id="a", driver="demo", name="It", cwd="/")
    return build_packet(inputs, agent=agent, limits=Limits(), boundary="b0" * 8)


def test_an_agents_own_come_to_nobody_else(notes, called_up):
    notes.keep(notes.memory(A, "core", content="parser of a"))
    notes.keep(notes.memory(USER_WEB, "core", owner=B, content="parser of b"))
    notes.keep(notes.memory(content="parser of all"))
    assert sorted(called_up(A)) == ["parser of a", "parser of all"]
    assert sorted(called_up(B)) == ["parser of all", "parser of b"]
    assert called_up(C) == ["parser of all"]


def test_only_what_is_active(notes, called_up):
    gone = notes.keep(notes.memory(content="parser gone")).record
    notes.retract(gone.memory_id)
    old = notes.keep(notes.memory(content="parser old")).record
    notes.replace(old.memory_id, content="parser new")
    observed = notes.keep(notes.identity(B, content="parser gone too")).record
    notes.retract(observed.identity_id, family="identity")
    assert called_up(C) == ["parser new"]


def test_each_room_has_its_own_and_an_agent_takes_its_own_along(notes, called_up, ledger):
    notes.keep(notes.memory(content="parser of the old room"))
    notes.keep(notes.memory(layer="core", owner=C, content="parser of c"))
    ledger.write(new_room, NewRoom(key=ledger.key("room.new")))
    assert called_up(C) == ["parser of c"]


def test_of_interactions_only_its_own(notes, ledger):
    notes.keep(notes.memory(A, "correlation", content="parser of this one"))
    tokens = RelevantQuery(turn_id=ledger.queued(B, content="the parser"), tokens=("parser",))
    assert relevant(ledger.conn, tokens).kept == ()
    [child] = ledger.call(notes.at_work(A), ledger.a, ledger.b).turns
    of_child = attrs.evolve(tokens, turn_id=child.turn_id)
    assert [it.content for it in relevant(ledger.conn, of_child).kept] == ["parser of this one"]


def test_what_was_observed_of_others_is_called_up_under_its_authors_name(notes, ledger):
    notes.keep(notes.identity(B, A, content="wrote the parser"))
    inputs = trio.run(read_inputs, Reads(ledger.conn), queried(ledger, C, "the parser"), 256_000)
    text = sections(inputs).text
    assert "author=agent:a subject=agent:b source=agent:a-about-agent:b" in text


def test_the_best_match_first_and_the_newer_of_equals(notes, called_up):
    notes.keep(notes.memory(content="parser one"))
    notes.keep(notes.memory(content="parser two"))
    notes.keep(notes.memory(content="parser of the grammar"))
    assert called_up(C, "parser grammar") == ["parser of the grammar", "parser two", "parser one"]
    assert called_up(C, "什么都没有") == []


def test_chinese(notes, called_up):
    notes.keep(notes.memory(content="数据库用的是 SQLite"))
    notes.keep(notes.memory(content="界面是中文的"))
    assert called_up(C, "请修改数据库") == ["数据库用的是 SQLite"]


def test_what_is_beyond_the_newest_is_called_up_and_nothing_else_twice(notes, ledger):
    notes.keep(notes.memory(content="the parser is by hand"))
    for number in range(MOST):
        notes.keep(notes.memory(content=f"later {number}"))
    inputs = trio.run(
        read_inputs, Reads(ledger.conn), queried(ledger, A, "later, the parser"), 256_000
    )
    packet = sections(inputs)
    assert packet.text.count("the parser is by hand") == 1
    entries = {it["name"]: it["entries"] for it in packet.record["sections"]}
    assert (entries["pinned_group_memory"], entries[RELEVANT]) == (MOST, 1)
    [kept] = [it for it in inputs.relevant.kept if "by hand" in it.content]
    assert packet.record["relevant"] == {"ids": [kept.record_id], "candidates": 1}


def test_who_uses_no_memories_is_told_none(notes, called_up, ledger):
    notes.keep(notes.memory(content="the parser"))
    notes.keep(notes.identity(B, content="knows the parser"))
    command = SetPolicy(
        key=ledger.key("memory.policy"), by=USER_WEB, actor_id=A, expected_revision=0,
        use_memories=False, generation="enabled",
    )  # fmt: skip
    ledger.write(set_policy, command)
    assert called_up(A) == []
    assert len(called_up(B)) == 2


@pytest.mark.parametrize(("content", "found"), [("the parser", 1), ("something else", 0)])
def test_while_the_index_is_being_filled_there_may_be_more(notes, ledger, content, found):
    notes.keep(notes.memory(content="the parser"))
    turn = queried(ledger, A, content)
    for failed in (False, True):
        inputs = trio.run(read_inputs, Reads(ledger.conn), turn, 256_000)
        assert (len(inputs.relevant.kept), inputs.relevant.failed) == (found, failed)
        ledger.conn.execute("UPDATE search_state SET indexed_through_seq = 0")
    assert sections(inputs).record["relevant"] == {"ids": [], "candidates": 0, "failed": True}


def test_a_word_of_too_many_records_says_nothing(notes, called_up, monkeypatch):
    monkeypatch.setattr(looking, "COMMON", 3)
    for number in range(4):
        notes.keep(notes.memory(content=f"parser {'grammar' if number == 1 else ''} {number}"))
    assert called_up(C, "parser") == []
    assert called_up(C, "parser grammar") == ["parser grammar 1"]


def test_the_rarest_words_are_looked_for_first(notes, called_up, monkeypatch):
    monkeypatch.setattr(looking, "RANKED", 3)
    for content in ("parser", "parser", "parser", "grammar"):
        notes.keep(notes.memory(content=content))
    assert called_up(C, "parser grammar") == ["grammar"]
    assert called_up(C, "parser") == ["parser"] * 3


def test_the_rooms_messages_are_not_looked_at(notes, ledger):
    """However many have the word: it is found among the records' own, marked, tokens."""
    notes.keep(notes.memory(content="the parser"))
    quiet = steps(ledger, ("parser",))
    for _ in range(300):
        ledger.send(ledger.b, content="parser " * 20, limits=Limits(queue_per_agent=500))
    assert steps(ledger, ("parser",)) <= quiet + 5


def steps(ledger, tokens):
    """Hundreds of instructions that the look-up takes."""
    query = RelevantQuery(turn_id=ledger.queued(C), tokens=tokens)
    count = 0

    def one():
        nonlocal count
        count += 1

    ledger.conn.set_progress_handler(one, 100)
    assert relevant(ledger.conn, query).kept
    ledger.conn.set_progress_handler(None, 0)
    return count


class Slow(Reads):
    """Answers all but one look-up."""

    def __init__(self, conn, code):
        super().__init__(conn)
        self.code = code

    async def ask(self, request):
        if request.run is relevant:
            raise GroupXError(self.code, "no")
        return await super().ask(request)


def test_a_look_up_that_takes_too_long_is_left_out(notes, ledger):
    notes.keep(notes.memory(content="the parser"))
    query = queried(ledger, A, "the parser")
    inputs = trio.run(read_inputs, Slow(ledger.conn, ErrorCode.STORE_BUSY), query, 256_000)
    assert inputs.relevant == Relevant(failed=True)
    assert sections(inputs).record["relevant"]["failed"] is True
    with pytest.raises(GroupXError):
        trio.run(read_inputs, Slow(ledger.conn, ErrorCode.STORE_UNAVAILABLE), query, 256_000)
