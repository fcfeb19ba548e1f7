import pytest

from groupx.domain.commands import AgainCommand
from groupx.domain.errors import GroupXError
from groupx.domain.ids import USER_WEB
from groupx.domain.ledger import Progress
from groupx.domain.limits import Limits
from groupx.domain.outcomes import Cause
from groupx.domain.wire import to_wire
from groupx.store.queries.turn_detail import turn_detail
from groupx.store.transactions.again import again
from groupx.store.transactions.progress import progress
from groupx.store.transactions.requeue import requeue


def detail(ledger, turn_id):
    return to_wire(turn_detail(ledger.conn, turn_id))


def test_attempts_packet_and_receipt(ledger):
    turn_id = ledger.queued()
    assert detail(ledger, turn_id)["turn"]["queuePosition"] == 0
    ledger.claim(turn_id, invoke=False)
    ledger.write(requeue, turn_id)
    record = '{"characters":12,"sections":[],"omitted":[]}'
    attempt_id = ledger.claim(turn_id, packet_json=record).attempt_id
    ledger.write(progress, Progress(turn_id=turn_id, text="par"))
    it = detail(ledger, turn_id)
    assert [a["dispatchPhase"] for a in it["attempts"]] == ["terminal", "prompt_invoked"]
    assert [a["deliveryCertainty"] for a in it["attempts"]] == ["not_delivered", "unknown"]
    assert it["packet"] == {"characters": 12, "sections": [], "omitted": []}
    assert it["partialText"] == "par"
    assert set(it["receipt"]) == {"receivedAt", "recordedAt"}
    assert it["turn"]["deliveryCertainty"] == "unknown"
    assert "native" not in str(it).replace("native_started", "")
    assert "binding" not in str(it)
    ledger.end(turn_id, attempt_id, Cause.COMPLETED, response="r")
    it = detail(ledger, turn_id)
    assert set(it["receipt"]) == {"receivedAt", "recordedAt", "appliedAt", "completedAt"}
    assert not {"partialText", "message", "reason"} & set(it)


def test_the_newest_attempt_is_the_last_one_whatever_the_clock_did(ledger):
    turn_id = ledger.queued()
    ledger.claim(turn_id, invoke=False, packet_json='{"characters":1,"sections":[],"omitted":[]}')
    ledger.write(requeue, turn_id)
    ledger.clock -= 3_600_000
    ledger.claim(turn_id, packet_json='{"characters":2,"sections":[],"omitted":[]}')
    it = detail(ledger, turn_id)
    assert [a["dispatchPhase"] for a in it["attempts"]] == ["terminal", "prompt_invoked"]
    assert it["turn"]["deliveryCertainty"] == "unknown"
    assert it["packet"]["characters"] == 2


def test_why_it_ended_so_is_told(ledger):
    turn_id, attempt_id = ledger.running(ledger.a)
    ledger.end(turn_id, attempt_id, Cause.EXITED, message="Its program ended with code 7.")
    it = detail(ledger, turn_id)
    assert (it["message"], it.get("reason")) == ("Its program ended with code 7.", None)
    queued = ledger.queued(ledger.b)
    ledger.cancel(queued)
    it = detail(ledger, queued)
    assert (it.get("message"), it["reason"]) == (None, "user")


def test_the_chain_runs_from_the_first_cause(ledger):
    first, attempt_id = ledger.running(ledger.a)
    child = ledger.call(first, ledger.a, ledger.b).turns[0].turn_id
    chain = detail(ledger, child)["chain"]
    assert [(link.get("turnId"), link["actorId"], link["via"]) for link in chain] == [
        (None, "user:web", "message"), (first, ledger.a, "send"),
    ]  # fmt: skip
    (shown,) = detail(ledger, first)["children"]
    assert (shown["turnId"], shown["queuePosition"]) == (child, 0)
    ledger.end(first, attempt_id, Cause.EXITED)
    retried = ledger.write(
        again,
        AgainCommand(
            key=ledger.key("turn.retry"), kind="retry", turn_id=first, actor_id=USER_WEB,
            roster=ledger.roster, limits=Limits(),
        ),
    ).turns[0].turn_id  # fmt: skip
    chain = detail(ledger, retried)["chain"]
    assert [(link.get("turnId"), link["via"]) for link in chain] == [
        (None, "message"), (first, "retry"),
    ]  # fmt: skip


def test_each_step_of_the_chain_says_how_it_begins(ledger):
    for said, excerpt in [
        ("\n  look at this \nand that", "look at this"),
        ("a" * 200, "a" * 200),
        ("a" * 201, "a" * 200 + "…"),
    ]:
        turn_id = ledger.queued(content=said)
        assert detail(ledger, turn_id)["chain"][0]["excerpt"] == excerpt


def test_an_answer_that_was_cut_short_says_so(ledger):
    turn_id, attempt_id = ledger.running(ledger.a)
    ledger.end(turn_id, attempt_id, Cause.COMPLETED, response="half", stop_reason="max_tokens")
    assert detail(ledger, turn_id)["stopReason"] == "max_tokens"
    whole, attempt_id = ledger.running(ledger.b)
    ledger.end(whole, attempt_id, Cause.COMPLETED, response="all")
    assert "stopReason" not in detail(ledger, whole)


def test_unknown(ledger):
    with pytest.raises(GroupXError, match="NOT_FOUND"):
        turn_detail(ledger.conn, "turn_none")
