import orjson

from groupx.domain.runs import SessionEvent
from groupx.store.transactions.session_event import record_session


def test_it_says_what_is_known(ledger):
    (instance,) = ledger.row(
        "SELECT instance_id FROM session_bindings WHERE binding_id = ?", ledger.bindings[ledger.a]
    )
    ledger.write(
        record_session,
        SessionEvent(
            type="session.ready", actor_id=ledger.a, driver="demo", instance_id=instance,
            continuity="new",
        ),
    )  # fmt: skip
    event = orjson.loads(ledger.frames[-1].data)
    assert event["actor"]["instanceId"] == instance
    assert event["body"] == {"instanceId": instance, "driver": "demo", "continuity": "new"}


def test_a_start_that_failed_has_no_instance_yet(ledger):
    ledger.write(
        record_session,
        SessionEvent(
            type="session.failed", actor_id=ledger.a, driver="demo", instance_id="instance_early",
            error_code="ADAPTER_START_FAILED", attempt=2,
        ),
    )  # fmt: skip
    event = orjson.loads(ledger.frames[-1].data)
    assert "instanceId" not in event["actor"]
    assert event["body"] == {
        "instanceId": "instance_early", "driver": "demo", "errorCode": "ADAPTER_START_FAILED",
        "attempt": 2,
    }  # fmt: skip


def test_nobody_unknown(ledger, refused):
    refused(
        "UNKNOWN_ACTOR",
        record_session,
        SessionEvent(type="session.ready", actor_id="agent:none", driver="demo"),
    )
