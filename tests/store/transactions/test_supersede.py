"""Supersede: a new record of the same layer in the place of one that was active, once."""

import pytest

from groupx.domain.ids import USER_ASSISTANT, USER_WEB
from groupx.domain.memory_policy import SetPolicy
from groupx.domain.rooms import NewRoom
from groupx.domain.wire import to_wire
from groupx.store.record_rows import find_record
from groupx.store.transactions.memory_policy import set_policy
from groupx.store.transactions.rooms import new_room
from groupx.store.transactions.supersede import supersede_record
from tests.store.records import Notes

A, B = "agent:a", "agent:b"


@pytest.fixture
def notes(ledger):
    return Notes(ledger)


def test_the_new_one_takes_the_place_of_the_old(notes, ledger):
    old = notes.keep(notes.memory(A, kind="decision", subject_actor_id=B)).record
    made = notes.replace(old.memory_id)
    new = made.record
    assert (new.supersedes_memory_id, new.status) == (old.memory_id, "active")
    assert (new.kind, new.scope_id, new.subject_actor_id) == ("decision", old.scope_id, B)
    assert (new.author_actor_id, new.source_kind, new.source_event_id) == (USER_WEB, "web", None)
    kept = find_record(ledger.conn, "memory", old.memory_id)
    assert (kept.status, kept.content, kept.retracted_at) == ("superseded", old.content, None)
    event = notes.event()
    assert (event["type"], event["body"]) == ("memory.superseded", {"record": to_wire(new)})


def test_an_identity_too(notes, ledger):
    old = notes.keep(notes.identity(A, B)).record
    new = notes.replace(
        old.identity_id, B, family="identity", kind="fact", content="is quick"
    ).record
    assert (new.supersedes_identity_id, new.subject_actor_id) == (old.identity_id, A)
    assert (new.kind, new.content) == ("fact", "is quick")
    assert find_record(ledger.conn, "identity", old.identity_id).status == "superseded"
    assert notes.event()["type"] == "identity.superseded"


def test_the_same_command_again_is_answered_the_same(notes, ledger):
    old = notes.keep(notes.memory()).record
    command = notes.anew(old.memory_id)
    first = ledger.write(supersede_record, command)
    before = ledger.dump()
    assert ledger.write(supersede_record, command) == first
    assert ledger.dump() == before


def test_only_one_takes_its_place(notes, refused):
    old = notes.keep(notes.memory()).record
    notes.replace(old.memory_id)
    error = refused("STORE_CONFLICT", supersede_record, notes.anew(old.memory_id))
    assert error.details == {"status": "superseded"}
    gone = notes.keep(notes.memory()).record
    notes.retract(gone.memory_id)
    refused("STORE_CONFLICT", supersede_record, notes.anew(gone.memory_id))


def test_an_agent_changes_only_what_it_wrote(notes, refused):
    users = notes.keep(notes.memory(USER_WEB, "core", owner=A)).record
    others = notes.keep(notes.memory(B)).record
    about = notes.keep(notes.identity(A, B)).record
    refused("MCP_BINDING_MISMATCH", supersede_record, notes.anew(users.memory_id, A))
    refused("MCP_BINDING_MISMATCH", supersede_record, notes.anew(others.memory_id, A))
    command = notes.anew(about.identity_id, A, family="identity")
    refused("MCP_BINDING_MISMATCH", supersede_record, command)
    own = notes.keep(notes.memory(A, "core")).record
    new = notes.replace(own.memory_id, A, layer="core").record
    assert (new.agent_memory_type, new.scope_id) == ("core", A)


def test_another_agents_core_does_not_even_exist_for_it(notes, refused):
    theirs = notes.keep(notes.memory(B, "core")).record
    there = refused("NOT_FOUND", supersede_record, notes.anew(theirs.memory_id, A))
    nothing = refused("NOT_FOUND", supersede_record, notes.anew("mem_none", A))
    assert there.message.replace(theirs.memory_id, "mem_none") == nothing.message


def test_the_layer_that_was_meant(notes, refused):
    own = notes.keep(notes.memory(A)).record
    refused("NOT_FOUND", supersede_record, notes.anew(own.memory_id, A, layer="core"))
    refused("NOT_FOUND", supersede_record, notes.anew(own.memory_id, A, family="identity"))


def test_the_operator_changes_what_is_the_rooms_not_an_agents_core(notes, refused):
    shared = notes.keep(notes.memory(A)).record
    assert notes.replace(shared.memory_id, USER_ASSISTANT).record.source_kind == "operator"
    core = notes.keep(notes.memory(A, "core")).record
    refused("MCP_BINDING_MISMATCH", supersede_record, notes.anew(core.memory_id, USER_ASSISTANT))


def test_dated_memories_are_the_engines(notes, ledger, refused):
    core = notes.keep(notes.memory(A, "core")).record
    ledger.conn.execute("UPDATE memory_records SET agent_memory_type = 'dated'")
    for by in (USER_WEB, A):
        refused("MCP_BINDING_MISMATCH", supersede_record, notes.anew(core.memory_id, by))


def test_another_rooms_memories_are_only_read_and_an_agents_own_go_with_it(notes, ledger, refused):
    old = notes.keep(notes.memory(USER_WEB)).record
    core = notes.keep(notes.memory(USER_WEB, "core", owner=A)).record
    ledger.write(new_room, NewRoom(key=ledger.key("room.new")))
    refused("STORE_CONFLICT", supersede_record, notes.anew(old.memory_id))
    assert notes.replace(core.memory_id).record.scope_id == A


def test_bounds_and_policy(notes, ledger, refused):
    own = notes.keep(notes.memory(A)).record
    refused("MESSAGE_TOO_LARGE", supersede_record, notes.anew(own.memory_id, content="x" * 8_001))
    refused("NOT_FOUND", supersede_record, notes.anew(own.memory_id, source_event_id="evt_no"))
    command = SetPolicy(
        key=ledger.key("memory.policy"), by=USER_WEB, actor_id=A, expected_revision=0,
        use_memories=True, generation="excluded",
    )  # fmt: skip
    ledger.write(set_policy, command)
    refused("POLICY_EXCLUDED", supersede_record, notes.anew(own.memory_id, A))
