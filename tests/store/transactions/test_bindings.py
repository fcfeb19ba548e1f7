import sqlite3

import pytest

from groupx.domain.ids import MAIN_ROOM, USER_ASSISTANT
from groupx.domain.ledger import InstanceOpened
from groupx.domain.runs import CloseInstance, OpenRun
from groupx.store.transactions.bindings import close_instance, open_instance, open_run


def test_a_run_names_its_agents_and_keeps_the_fixed_bindings(ledger):
    run = OpenRun(agents={ledger.a: "Ada L.", "agent:new": "New"}, assistant_name="Room")
    assert ledger.write(open_run, run).room_id == MAIN_ROOM
    names = dict(ledger.rows("SELECT actor_id, display_name FROM actors"))
    assert names[ledger.a] == "Ada L."
    assert names["agent:new"] == "New"
    assert names[USER_ASSISTANT] == "Room"
    assert ledger.rows(
        "SELECT binding_id, instance_id, actor_id, transport, protocol, status, closed_at FROM"
        " session_bindings WHERE binding_id LIKE 'binding:%' ORDER BY binding_id"
    ) == [
        ("binding:operator", "instance:operator", "user:assistant", None, "local-operator",
         "ready", None),
        ("binding:web", "instance:web", "user:web", None, "local-rest", "ready", None),
    ]  # fmt: skip
    before = ledger.dump()
    ledger.write(open_run, run)
    assert ledger.dump() == before


def test_an_instance_and_its_sessions_open_and_close_together(ledger):
    (instance,) = ledger.row(
        "SELECT instance_id FROM session_bindings WHERE binding_id = ?", ledger.bindings[ledger.a]
    )
    opened = InstanceOpened(
        instance_id=instance,
        binding_id="binding_second",
        actor_id=ledger.a,
        adapter_id="demo",
        protocol="acp",
        protocol_version="1",
        continuity="rebuilt",
        capabilities={"cancel": "verified"},
    )
    ledger.write(open_instance, opened)
    assert ledger.row(
        "SELECT transport, status, capabilities_json FROM session_bindings WHERE binding_id = ?",
        "binding_second",
    ) == ("structured", "ready", '{"continuity":"rebuilt","measured":{"cancel":"verified"}}')
    assert ledger.write(close_instance, CloseInstance(instance_id=instance)) is True
    assert ledger.rows(
        "SELECT status, closed_at IS NOT NULL FROM session_bindings WHERE instance_id = ?", instance
    ) == [("closed", 1), ("closed", 1)]
    before = ledger.dump()
    again = CloseInstance(instance_id=instance, status="failed")
    assert ledger.write(close_instance, again) is False
    assert ledger.dump() == before


def test_an_interrupted_program_interrupts_its_session(ledger):
    (instance,) = ledger.row(
        "SELECT instance_id FROM session_bindings WHERE binding_id = ?", ledger.bindings[ledger.a]
    )
    ledger.write(close_instance, CloseInstance(instance_id=instance, status="interrupted"))
    assert ledger.row(
        "SELECT b.status, i.status FROM session_bindings b JOIN agent_instances i"
        " USING (instance_id) WHERE instance_id = ?",
        instance,
    ) == ("interrupted", "interrupted")


def test_an_agent_always_has_a_transport(ledger):
    opened = InstanceOpened(
        instance_id="i", binding_id="b", actor_id=ledger.a, adapter_id="demo", protocol="p",
        continuity="new", capabilities={}, transport=None,
    )  # fmt: skip
    before = ledger.counts()
    with pytest.raises(sqlite3.IntegrityError):
        ledger.write(open_instance, opened)
    assert ledger.counts() == before
