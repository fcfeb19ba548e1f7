"""Which memories reach whose packet: the room's everybody's, an agent's own only its own."""

import pytest
import trio

from groupx.actors.transcript_reading import read_inputs
from groupx.domain.config import AgentConfig
from groupx.domain.ids import USER_WEB
from groupx.domain.limits import Limits
from groupx.domain.memory_policy import SetPolicy
from groupx.domain.packet import build_packet
from groupx.domain.packet_inputs import PacketQuery
from groupx.store.queries.packet_inputs import packet_head
from groupx.store.queries.packet_memories import MOST
from groupx.store.transactions.memory_policy import set_policy
from tests.store.records import Notes

A, B, C = "agent:a", "agent:b", "agent:c"


@pytest.fixture
def notes(ledger):
    return Notes(ledger)


@pytest.fixture
def memories(ledger):
    """What the packet of a new turn of this agent may hold."""

    def of(actor):
        turn_id = ledger.queued(actor)
        query = PacketQuery(turn_id=turn_id, native_session_id=None)
        return trio.run(read_inputs, Reads(ledger.conn), query, 256_000)

    return of


class Reads:
    """Answers reads at once."""

    def __init__(self, conn):
        self.conn = conn

    async def ask(self, request):
        return request.run(self.conn, request.query)


def contents(kept):
    return [it.content for it in kept]


def test_each_gets_its_own_core_and_all_get_the_rooms(notes, memories):
    for actor in (A, B):
        notes.keep(notes.memory(actor, "core", content=f"core of {actor}"))
        notes.keep(notes.memory(actor, content=f"for all by {actor}"))
        notes.keep(notes.identity(actor, content=f"identity of {actor}"))
    for actor in (A, B):
        found = memories(actor).memories
        assert contents(found.core) == [f"core of {actor}"]
        assert contents(found.room) == [f"for all by {B}", f"for all by {A}"]
        assert contents(found.identity) == [f"identity of {actor}"]
    assert memories(C).memories.core == ()


def test_another_agents_own_memories_are_nowhere_in_a_packet(notes, memories, ledger):
    """By its text: whoever wrote them, active or not, core or dated."""
    for by in (A, USER_WEB):
        notes.keep(notes.memory(by, "core", owner=A, content="secret of a"))
    dated = notes.keep(notes.memory(A, "core", content="secret day of a")).record
    ledger.conn.execute(
        "UPDATE memory_records SET agent_memory_type = 'dated' WHERE memory_id = ?",
        (dated.memory_id,),
    )
    for actor, sees in ((A, True), (B, False)):
        inputs = memories(actor)
        agent = AgentConfig(id=actor[-1], driver="demo", name="It", cwd="/")
        text = build_packet(inputs, agent=agent, limits=Limits(), boundary="b0" * 8).text
        assert ("secret of a" in text) is sees
        assert ("secret day of a" in text) is sees


def test_only_what_is_active_and_where_it_comes_from(notes, memories, ledger):
    source = ledger.send(C).message_event_id
    (seq,) = ledger.row("SELECT seq FROM events WHERE event_id = ?", source)
    gone = notes.keep(notes.memory(content="gone")).record
    notes.retract(gone.memory_id)
    old = notes.keep(notes.memory(content="old", source_event_id=source, kind="decision")).record
    new = notes.replace(old.memory_id, content="new", source_event_id=source).record
    [kept] = memories(A).memories.room
    assert (kept.record_id, kept.content, kept.seq) == (new.memory_id, "new", seq)
    assert (kept.kind, kept.author, kept.source_kind) == ("decision", USER_WEB, "web")


def test_an_interactions_memories_reach_its_turns_only(notes, memories, ledger):
    (root,) = ledger.row(
        "SELECT root_correlation_id FROM turns WHERE turn_id = ?", notes.at_work(A)
    )
    notes.keep(notes.memory(A, "correlation", content="for this one"))
    assert memories(B).memories.room == ()
    [child] = ledger.call(notes.at_work(A), ledger.a, ledger.b).turns
    query = PacketQuery(turn_id=child.turn_id, native_session_id=None)
    found = packet_head(ledger.conn, query)
    assert found.root_correlation_id == root
    assert contents(found.memories.room) == ["for this one"]


def test_of_very_many_the_newest_are_looked_at_and_the_rest_is_counted(notes, memories):
    for number in range(MOST + 3):
        notes.keep(notes.memory(content=str(number)))
    inputs = memories(A)
    assert contents(inputs.memories.room)[0] == str(MOST + 2)
    assert len(inputs.memories.room) == MOST
    assert inputs.memories.older == {"room": 3}
    agent = AgentConfig(id="a", driver="demo", name="It", cwd="/")
    packet = build_packet(inputs, agent=agent, limits=Limits(), boundary="b0" * 8)
    assert packet.record["omitted"] == [{"section": "pinned_group_memory", "count": 3}]


def test_without_memories_identity_stays(notes, memories, ledger):
    for layer in ("room", "core"):
        notes.keep(notes.memory(A, layer))
    notes.keep(notes.identity(A))
    command = SetPolicy(
        key=ledger.key("memory.policy"), by=USER_WEB, actor_id=A, expected_revision=0,
        use_memories=False, generation="enabled",
    )  # fmt: skip
    ledger.write(set_policy, command)
    found = memories(A).memories
    assert (found.core, found.dated, found.room) == ((), (), ())
    assert contents(found.identity) == ["is careful"]
    assert len(memories(B).memories.room) == 1


def test_what_was_made_of_turns_is_as_old_as_the_newest_of_them(notes, memories, ledger):
    """Else what was said while it was made would look older than it."""
    source = ledger.completed(A).response_event_id
    (said_at,) = ledger.row("SELECT occurred_at FROM events WHERE event_id = ?", source)
    ledger.clock += 3_600_000
    for content in ("made of turns", "kept by hand"):
        record = notes.keep(notes.memory(A, "core", content=content)).record
        ledger.conn.execute(
            "UPDATE memory_records SET source_event_id = ? WHERE memory_id = ?",
            (source, record.memory_id),
        )
    ledger.conn.execute(
        "UPDATE memory_records SET agent_memory_type = 'dated', source_kind = 'automatic_rollup'"
        " WHERE content = 'made of turns'"
    )
    found = memories(A).memories
    assert [it.at for it in found.dated] == [said_at]
    assert [it.at for it in found.core] == [record.created_at]
    assert record.created_at > said_at
