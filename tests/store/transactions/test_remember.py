"""Remember: each layer by those who may, with its event, once; a refusal keeps nothing."""

import attrs
import pytest

from groupx.domain.ids import USER_ASSISTANT, USER_WEB
from groupx.domain.memory_policy import SetPolicy
from groupx.domain.rooms import NewRoom
from groupx.domain.wire import to_wire
from groupx.store.record_rows import find_record
from groupx.store.transactions.memory_policy import set_policy
from groupx.store.transactions.remember import remember_record
from groupx.store.transactions.rooms import new_room
from tests.store.records import Notes

A, B = "agent:a", "agent:b"


@pytest.fixture
def notes(ledger):
    return Notes(ledger)


def test_the_users_pin_is_a_record_and_an_event(notes, ledger):
    source = ledger.send(A).message_event_id
    made = notes.keep(notes.memory(kind="decision", source_event_id=source, subject_actor_id=B))
    record = made.record
    assert to_wire(record) == {
        "memoryId": record.memory_id, "scopeType": "room", "scopeId": "room:main",
        "kind": "decision", "authorActorId": USER_WEB, "subjectActorId": B,
        "content": "water is wet", "sourceEventId": source, "sourceKind": "web",
        "status": "active", "createdAt": record.created_at,
    }  # fmt: skip
    assert find_record(ledger.conn, "memory", record.memory_id) == record
    event = notes.event()
    assert (event["eventId"], event["type"]) == (made.event_id, "memory.remembered")
    assert event["body"] == {"record": to_wire(record)}
    assert event["actor"]["actorId"] == USER_WEB
    assert event["provenance"] == {
        "sourceKind": "web", "authorActorId": USER_WEB, "subjectActorId": B,
        "sourceEventId": source,
    }  # fmt: skip


def test_what_an_agent_keeps_comes_out_of_its_turn(notes, ledger):
    turn_id = notes.at_work(A)
    source, root = ledger.row(
        "SELECT source_event_id, root_correlation_id FROM turns WHERE turn_id = ?", turn_id
    )
    record = notes.keep(notes.memory(A)).record
    assert (record.author_actor_id, record.source_kind) == (A, "mcp")
    assert record.source_event_id == source
    event = notes.event()
    assert (event["parentTurnId"], event["causationId"]) == (turn_id, turn_id)
    assert (event["rootCorrelationId"], event["hopCount"]) == (root, 0)
    assert "to" not in event or event["to"] == []
    assert ledger.woken == []


def test_core_is_an_agents_own_or_the_users_word(notes):
    own = notes.keep(notes.memory(A, "core")).record
    assert (own.scope_type, own.scope_id, own.agent_memory_type) == ("agent", A, "core")
    assert own.subject_actor_id == A
    users = notes.keep(notes.memory(USER_WEB, "core", owner=B)).record
    assert (users.scope_id, users.author_actor_id, users.subject_actor_id) == (B, USER_WEB, B)


def test_an_interaction_has_memories_of_its_own(notes, ledger):
    record = notes.keep(notes.memory(A, "correlation")).record
    said = ledger.row(
        "SELECT correlation_id FROM events WHERE event_id = ?", record.source_event_id
    )
    assert (record.scope_type, record.scope_id) == ("correlation", said[0])
    users = notes.keep(notes.memory(USER_WEB, "correlation", owner=said[0])).record
    assert users.scope_id == record.scope_id


@pytest.mark.parametrize(("by", "source"), [(USER_WEB, "web"), (USER_ASSISTANT, "operator"),
                                            (A, "mcp"), (B, "mcp")])  # fmt: skip
def test_an_identity_says_who_said_it(notes, by, source):
    made = notes.keep(notes.identity(A, by))
    record = made.record
    assert (record.subject_actor_id, record.author_actor_id) == (A, by)
    assert record.source_kind == source
    event = notes.event()
    assert (event["type"], event["body"]) == ("identity.remembered", {"record": to_wire(record)})
    assert event["provenance"]["subjectActorId"] == A


def test_the_same_command_again_is_answered_the_same(notes, ledger):
    for command in (notes.memory(A, "core"), notes.identity(B)):
        first = notes.keep(command)
        before = ledger.dump()
        assert notes.keep(command) == first
        assert ledger.dump() == before


def test_the_same_id_for_something_else(notes, ledger, refused):
    command = notes.memory(A)
    notes.keep(command)
    other = attrs.evolve(command.key, command_type="mcp.publish")
    refused("CLIENT_COMMAND_CONFLICT", remember_record, attrs.evolve(command, key=other))


def test_who_may_not(notes, refused):
    for command in (
        notes.memory(A, "core", owner=B),
        notes.memory(USER_ASSISTANT, "core", owner=B),
        attrs.evolve(notes.memory(A), by=B),
        attrs.evolve(notes.memory(A), parent_turn_id=notes.at_work(B)),
    ):
        refused("MCP_BINDING_MISMATCH", remember_record, command)


def test_what_does_not_exist(notes, refused):
    refused("UNKNOWN_ACTOR", remember_record, notes.memory(layer="core", owner="agent:none"))
    refused("UNKNOWN_ACTOR", remember_record, notes.memory(layer="core", owner="user:web"))
    refused("UNKNOWN_ACTOR", remember_record, notes.memory(subject_actor_id="agent:none"))
    refused("UNKNOWN_ACTOR", remember_record, notes.identity("user:web"))
    refused("NOT_FOUND", remember_record, notes.memory(source_event_id="evt_none"))
    refused("NOT_FOUND", remember_record, notes.memory(layer="correlation"))
    refused("NOT_FOUND", remember_record, notes.memory(layer="correlation", owner="corr_none"))


def test_only_the_active_room_is_written(notes, refused):
    assert notes.keep(notes.memory(owner="room:main")).record.scope_id == "room:main"
    refused("STORE_CONFLICT", remember_record, notes.memory(owner="room:other"))


def test_an_event_of_another_room_is_no_source(notes, ledger, refused):
    old = ledger.completed().response_event_id
    (correlation,) = ledger.row("SELECT correlation_id FROM events WHERE event_id = ?", old)
    ledger.write(new_room, NewRoom(key=ledger.key("room.new")))
    for command in (
        notes.memory(source_event_id=old),
        notes.identity(A, source_event_id=old),
        notes.memory(layer="correlation", owner=correlation),
    ):
        refused("NOT_FOUND", remember_record, command)


def test_only_out_of_a_running_turn(notes, ledger, refused):
    done = ledger.completed().turn_id
    command = notes.memory(A)
    for turn in (None, done, "turn_none"):
        late = attrs.evolve(command, parent_turn_id=turn)
        refused("SESSION_NOT_AVAILABLE", remember_record, late)


@pytest.mark.parametrize("make", [Notes.memory, lambda notes, **it: notes.identity(A, **it)])
def test_a_record_is_short(notes, refused, make):
    assert len(notes.keep(make(notes, content="x" * 8_000)).record.content) == 8_000
    error = refused("MESSAGE_TOO_LARGE", remember_record, make(notes, content="x" * 8_001))
    assert error.details == {"limit": 8_000}


def test_who_is_excluded_makes_none_and_who_is_disabled_does(notes, ledger, refused):
    for actor, generation in ((A, "excluded"), (B, "disabled")):
        command = SetPolicy(
            key=ledger.key("memory.policy"), by=USER_WEB, actor_id=actor, expected_revision=0,
            use_memories=True, generation=generation,
        )  # fmt: skip
        ledger.write(set_policy, command)
    for command in (notes.memory(A), notes.memory(A, "core"), notes.identity(A, A)):
        refused("POLICY_EXCLUDED", remember_record, command)
    assert notes.keep(notes.memory(B, "core")).record.author_actor_id == B
    assert notes.keep(notes.memory(layer="core", owner=A)).record.scope_id == A
