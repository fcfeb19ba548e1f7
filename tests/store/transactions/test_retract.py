"""Retract: an active record becomes a tombstone, once, by those who may."""

import pytest

from groupx.domain.ids import USER_ASSISTANT, USER_WEB
from groupx.domain.memory_policy import SetPolicy
from groupx.domain.rooms import NewRoom
from groupx.domain.wire import to_wire
from groupx.store.record_rows import find_record
from groupx.store.transactions.memory_policy import set_policy
from groupx.store.transactions.retract import retract_record
from groupx.store.transactions.rooms import new_room
from tests.store.records import Notes

A, B = "agent:a", "agent:b"


@pytest.fixture
def notes(ledger):
    return Notes(ledger)


@pytest.mark.parametrize("by", [USER_WEB, USER_ASSISTANT, A])
def test_it_stays_as_a_tombstone(notes, ledger, by):
    record = notes.keep(notes.memory(A)).record
    made = notes.retract(record.memory_id, by)
    assert (made.record.status, made.record.content) == ("retracted", record.content)
    assert made.record.author_actor_id == A
    assert made.record.retracted_at is not None
    assert find_record(ledger.conn, "memory", record.memory_id) == made.record
    event = notes.event()
    assert (event["type"], event["body"]) == ("memory.retracted", {"record": to_wire(made.record)})
    assert event["actor"]["actorId"] == by


def test_an_identity_too(notes):
    record = notes.keep(notes.identity(A, A)).record
    assert notes.retract(record.identity_id, family="identity").record.status == "retracted"
    assert notes.event()["type"] == "identity.retracted"


def test_once(notes, ledger, refused):
    record = notes.keep(notes.memory()).record
    command = notes.back(record.memory_id)
    first = ledger.write(retract_record, command)
    before = ledger.dump()
    assert ledger.write(retract_record, command) == first
    assert ledger.dump() == before
    refused("STORE_CONFLICT", retract_record, notes.back(record.memory_id))


def test_refusals(notes, ledger, refused):
    users = notes.keep(notes.memory()).record
    theirs = notes.keep(notes.memory(B, "core")).record
    refused("MCP_BINDING_MISMATCH", retract_record, notes.back(users.memory_id, A))
    refused("MCP_BINDING_MISMATCH", retract_record, notes.back(theirs.memory_id, USER_ASSISTANT))
    refused("NOT_FOUND", retract_record, notes.back(theirs.memory_id, A))
    refused("NOT_FOUND", retract_record, notes.back(users.memory_id, family="identity"))


def test_another_rooms_memories_are_only_read(notes, ledger, refused):
    old = notes.keep(notes.memory()).record
    ledger.write(new_room, NewRoom(key=ledger.key("room.new")))
    refused("STORE_CONFLICT", retract_record, notes.back(old.memory_id))


def test_who_is_excluded_may_still_take_back_its_own(notes, ledger):
    record = notes.keep(notes.memory(A)).record
    command = SetPolicy(
        key=ledger.key("memory.policy"), by=USER_WEB, actor_id=A, expected_revision=0,
        use_memories=True, generation="excluded",
    )  # fmt: skip
    ledger.write(set_policy, command)
    assert notes.retract(record.memory_id, A).record.status == "retracted"
