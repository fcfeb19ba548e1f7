import attrs
import orjson
import pytest

from groupx.domain.commands import CommandKey
from groupx.domain.completion import ClaimInline
from groupx.domain.envelope import Provenance
from groupx.domain.ids import OPERATOR_BINDING, USER_ASSISTANT, WEB_BINDING
from groupx.domain.limits import Limits
from groupx.domain.outcomes import Cause
from groupx.domain.roster import RosterEntry, Skipped
from groupx.store.transactions.accept import accept
from groupx.store.transactions.completion import claim_inline
from groupx.store.transactions.requeue import requeue


def event(ledger, index=-1):
    return orjson.loads(ledger.frames[index].data)


def test_a_message_and_its_turns_are_one_commit(ledger):
    answer = ledger.send(ledger.a, ledger.b, content="look")
    message, *queued = [orjson.loads(frame.data) for frame in ledger.frames]
    assert message["eventId"] == answer.message_event_id
    assert message["to"] == [ledger.a, ledger.b]
    assert message["body"] == {"content": "look"}
    assert message["actor"] == {
        "actorId": "user:web", "kind": "user", "instanceId": "instance:web", "displayName": "You",
    }  # fmt: skip
    assert message["rootCorrelationId"] == message["correlationId"] == answer.correlation_id
    assert message["hopCount"] == 0
    assert [turn.target for turn in answer.turns] == [ledger.a, ledger.b]
    for turn, note in zip(answer.turns, queued, strict=True):
        assert note["type"] == "turn.queued"
        assert note["idempotencyKey"] == f"turn:{turn.turn_id}:queued"
        assert note["causationId"] == answer.message_event_id
        assert note["body"] == {
            "turnId": turn.turn_id, "sourceEventId": answer.message_event_id,
            "targetActorId": turn.target, "adapterId": "demo", "transport": "structured",
            "hopCount": 0, "triggerKind": "user",
        }  # fmt: skip
        row = ledger.row(
            "SELECT enqueue_seq, queued_event_id, status, trigger_kind, transport, hop_count"
            " FROM turns WHERE turn_id = ?",
            turn.turn_id,
        )
        assert row == (note["seq"], note["eventId"], "queued", "user", "structured", 0)
    assert ledger.woken == [ledger.a, ledger.b]


def test_positions_count_who_is_ahead(ledger):
    active, _ = ledger.running()
    first, second = ledger.send().turns[0], ledger.send().turns[0]
    assert (first.queue_position, first.active_turn_id) == (0, active)
    assert (second.queue_position, second.active_turn_id) == (1, active)
    assert ledger.send(ledger.b).turns[0].active_turn_id is None


@pytest.mark.parametrize("to", [("agent:a",), ("@all",)])
def test_the_same_command_again_happens_once(ledger, to):
    ledger.running(ledger.b)
    roster = (*ledger.roster, RosterEntry(actor_id="agent:d", adapter_id="demo", stopped=True))
    command = ledger.message(*to, roster=roster)
    first = ledger.write(accept, command)
    before, frames = ledger.counts(), len(ledger.frames)
    ledger.end(*ledger_attempt(ledger), Cause.EXITED)
    after_end = ledger.counts()
    again = ledger.write(accept, attrs.evolve(command, content="ignored", roster=()))
    assert again == first
    assert ledger.counts() == after_end != before
    assert ledger.types(frames) == ["turn.interrupted"]


def ledger_attempt(ledger):
    return ledger.row("SELECT turn_id, attempt_id FROM turn_attempts WHERE terminal_at IS NULL")


def test_the_same_id_for_another_request_is_a_conflict(ledger, refused):
    key = CommandKey(
        binding_id=WEB_BINDING, client_command_id="x", command_type="message.send", request={"a": 1}
    )
    ledger.send(key=key)
    changed = attrs.evolve(key, request={"a": 2})
    refused("CLIENT_COMMAND_CONFLICT", accept, ledger.message(key=changed))
    other_type = attrs.evolve(key, command_type="message.replace")
    refused("CLIENT_COMMAND_CONFLICT", accept, ledger.message(key=other_type))


def test_null_is_absence_and_another_binding_is_another_command(ledger):
    key = CommandKey(
        binding_id=WEB_BINDING, client_command_id="x", command_type="message.send", request={"a": 1}
    )
    first = ledger.send(key=key)
    assert ledger.send(key=attrs.evolve(key, request={"a": 1, "reply": None})) == first
    other = ledger.send(
        key=attrs.evolve(key, binding_id=OPERATOR_BINDING),
        actor_id=USER_ASSISTANT,
        provenance=Provenance(source_kind="operator"),
    )
    assert other != first


def test_without_a_command_id_every_call_counts(ledger):
    key = CommandKey(
        binding_id=WEB_BINDING, client_command_id=None, command_type="message.send", request={}
    )
    assert ledger.send(key=key) != ledger.send(key=key)
    assert ledger.row("SELECT count(*) FROM client_commands") == (0,)


def test_everyone_leaves_out_who_is_stopped_and_says_so(ledger):
    roster = (*ledger.roster[:2], attrs.evolve(ledger.roster[2], stopped=True))
    answer = ledger.send("@all", roster=roster)
    assert [turn.target for turn in answer.turns] == [ledger.a, ledger.b]
    assert answer.skipped == (Skipped(target=ledger.c, reason="stopped"),)


@pytest.mark.parametrize(
    ("code", "changes"),
    [
        ("UNKNOWN_TARGET", {"to": ("agent:nobody",)}),
        ("TARGET_NOT_RUNNING", {"to": ("@all",), "roster": ()}),
        ("INVALID_ENVELOPE", {"to": ("agent:a", "agent:a")}),
        ("NOT_FOUND", {"reply_to_event_id": "evt_none"}),
        ("NOT_FOUND", {"forwarded_event_id": "evt_none"}),
        ("MESSAGE_TOO_LARGE", {"content": "😀" * 6, "limits": Limits(message_characters=5)}),
        ("SESSION_NOT_AVAILABLE", {"parent_turn_id": "turn_none"}),
        ("MCP_BINDING_MISMATCH", {"actor_id": "agent:a"}),
    ],
)
def test_refusals_store_nothing(ledger, refused, code, changes):
    ledger.send()
    refused(code, accept, ledger.message(**changes))


def test_content_is_counted_in_code_points(ledger):
    assert ledger.send(content="😀" * 5, limits=Limits(message_characters=5))


def test_one_full_lane_refuses_the_whole_command(ledger, refused):
    limits = Limits(queue_per_agent=2)
    ledger.running(ledger.b)  # the one that runs does not wait
    ledger.queued(ledger.b, limits=limits)
    ledger.queued(ledger.b, limits=limits)
    for to in (("agent:a", "agent:b"), ("@all",)):
        error = refused("QUEUE_CAPACITY_REACHED", accept, ledger.message(*to, limits=limits))
        assert error.details["target"] == ledger.b
    assert ledger.send(ledger.a, limits=limits)


def test_reply_and_forward_point_into_the_room(ledger):
    first = ledger.send().message_event_id
    ledger.send(reply_to_event_id=first, forwarded_event_id=first)
    message = event(ledger, -2)
    assert (message["replyToEventId"], message["forwardedEventId"]) == (first, first)


# --- calls out of running turns ---------------------------------------------------------------


def test_a_call_stands_one_hop_below_its_caller(ledger):
    parent, _ = ledger.running()
    answer = ledger.call(parent, ledger.a, ledger.b)
    turn = ledger.row(
        "SELECT parent_turn_id, hop_count, root_correlation_id, trigger_kind FROM turns"
        " WHERE turn_id = ?",
        answer.turns[0].turn_id,
    )
    root = ledger.row("SELECT root_correlation_id FROM turns WHERE turn_id = ?", parent)[0]
    assert turn == (parent, 1, root, "automatic")
    message = event(ledger, -2)
    assert (message["parentTurnId"], message["causationId"], message["hopCount"]) == (
        parent, parent, 1,
    )  # fmt: skip
    assert answer.correlation_id == root


def call(ledger, parent, caller, *to, kind="mcp.send", **changes):
    return ledger.message(
        *to,
        key=ledger.key(kind, binding=ledger.bindings[caller]),
        actor_id=caller,
        parent_turn_id=parent,
        waits=kind == "mcp.ask",
        **changes,
    )


def test_an_ended_caller_can_send_nothing(ledger, refused):
    done = ledger.completed()
    refused("SESSION_NOT_AVAILABLE", accept, call(ledger, done.turn_id, ledger.a, ledger.b))


def test_a_turn_that_waits_calls_nobody(ledger, refused):
    """Also one that came back to its queue: whoever had it has it no more."""
    waiting = ledger.queued(ledger.a)
    refused("SESSION_NOT_AVAILABLE", accept, call(ledger, waiting, ledger.a, ledger.b))
    ledger.claim(waiting, invoke=False)
    assert call(ledger, waiting, ledger.a, ledger.b)
    ledger.write(requeue, waiting)
    refused("SESSION_NOT_AVAILABLE", accept, call(ledger, waiting, ledger.a, ledger.b))
    collect = ClaimInline(child_turn_ids=(), by_turn_id=waiting)
    refused("SESSION_NOT_AVAILABLE", claim_inline, collect)


def test_nobody_calls_out_of_anothers_turn(ledger, refused):
    parent, _ = ledger.running(ledger.a)
    refused("MCP_BINDING_MISMATCH", accept, call(ledger, parent, ledger.b, ledger.c))


def test_an_ask_to_an_ancestor_or_oneself_is_a_cycle_but_a_send_is_not(ledger, refused):
    parent, _ = ledger.running(ledger.a)
    child = ledger.call(parent, ledger.a, ledger.b).turns[0].turn_id
    ledger.claim(child)
    for target in (ledger.a, ledger.b):
        refused("CAUSAL_CYCLE", accept, call(ledger, child, ledger.b, target, kind="mcp.ask"))
        assert ledger.write(accept, call(ledger, child, ledger.b, target))
    assert ledger.write(accept, call(ledger, child, ledger.b, ledger.c, kind="mcp.ask"))


def test_a_broken_or_circular_chain_is_refused(ledger, refused):
    parent, _ = ledger.running(ledger.a)
    child = ledger.call(parent, ledger.a, ledger.b).turns[0].turn_id
    ledger.claim(child)
    command = call(ledger, child, ledger.b, ledger.c)
    ledger.conn.execute("UPDATE turns SET hop_count = 5 WHERE turn_id = ?", (child,))
    refused("STORE_CONFLICT", accept, command)
    ledger.conn.execute("UPDATE turns SET hop_count = 1 WHERE turn_id = ?", (child,))
    ledger.conn.execute("UPDATE turns SET hop_count = 2, parent_turn_id = ?"
                        " WHERE turn_id = ?", (child, parent))  # fmt: skip
    ledger.conn.execute("UPDATE turns SET hop_count = 3 WHERE turn_id = ?", (child,))
    refused("CAUSAL_CYCLE", accept, command)
