import orjson
import pytest

from groupx.domain.commands import PublishCommand
from groupx.domain.envelope import Provenance
from groupx.domain.ids import USER_WEB
from groupx.domain.limits import Limits
from groupx.store.transactions.publish import publish


def command(ledger, **changes):
    fields = {
        "key": ledger.key("mcp.publish"),
        "actor_id": USER_WEB,
        "content": "note",
        "provenance": Provenance(source_kind="mcp"),
        "limits": Limits(),
    }
    return PublishCommand(**(fields | changes))


def test_it_wakes_nobody(ledger):
    it = command(ledger)
    answer = ledger.write(publish, it)
    assert answer.turns == ()
    assert ledger.types() == ["message.created"]
    assert orjson.loads(ledger.frames[0].data)["to"] == []
    assert ledger.woken == []
    assert ledger.write(publish, it) == answer
    assert len(ledger.frames) == 1


def test_out_of_a_running_turn_it_belongs_to_that_chain(ledger):
    turn_id, _ = ledger.running()
    ledger.write(
        publish,
        command(
            ledger,
            key=ledger.key("mcp.publish", binding=ledger.bindings[ledger.a]),
            actor_id=ledger.a,
            parent_turn_id=turn_id,
        ),
    )
    event = orjson.loads(ledger.frames[-1].data)
    assert event["parentTurnId"] == event["causationId"] == turn_id


@pytest.mark.parametrize(
    ("code", "changes"),
    [
        ("NOT_FOUND", {"reply_to_event_id": "evt_x"}),
        ("MESSAGE_TOO_LARGE", {"limits": Limits(message_characters=3)}),
        ("SESSION_NOT_AVAILABLE", {"parent_turn_id": "turn_x"}),
        ("MCP_BINDING_MISMATCH", {"actor_id": "agent:b"}),
    ],
)
def test_refusals(ledger, refused, code, changes):
    refused(code, publish, command(ledger, **changes))
