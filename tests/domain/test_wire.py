"""Records on the wire: camelCase, nulls where the contract has them, absence where it has `?`."""

from groupx.domain.commands import CancelAnswer
from groupx.domain.envelope import Envelope, EventActor, Provenance
from groupx.domain.ids import MAIN_ROOM, USER_WEB, ActorId
from groupx.domain.turns import TurnStatus
from groupx.domain.wire import to_wire


def test_an_envelope() -> None:
    envelope = Envelope(
        event_id="evt_1",
        seq=None,
        room_id=MAIN_ROOM,
        type="message.created",
        actor=EventActor(actor_id=USER_WEB, kind="user", display_name="You"),
        to=("agent:a",),
        correlation_id="corr_1",
        root_correlation_id="corr_1",
        occurred_at="2026-01-01T00:00:00.000Z",
        durability="transient",
        body={"content": "hi", "turn_id_like_key": None},
        provenance=Provenance(source_kind="web"),
    )
    assert to_wire(envelope) == {
        "schema": "groupx.event/0.1",
        "eventId": "evt_1",
        "seq": None,
        "roomId": "room:main",
        "type": "message.created",
        "actor": {"actorId": "user:web", "kind": "user", "displayName": "You"},
        "to": ["agent:a"],
        "correlationId": "corr_1",
        "rootCorrelationId": "corr_1",
        "occurredAt": "2026-01-01T00:00:00.000Z",
        "durability": "transient",
        "body": {"content": "hi", "turn_id_like_key": None},
        "provenance": {"sourceKind": "web"},
    }


def test_internal_fields_stay_inside() -> None:
    answer = CancelAnswer(
        turn_id="turn_1", status=TurnStatus.CANCELLED, target_actor_id=ActorId("agent:a")
    )
    assert to_wire(answer) == {"turnId": "turn_1", "status": "cancelled"}
