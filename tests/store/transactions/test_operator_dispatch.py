import orjson
import trio

from groupx.actors.transcript_reading import read_inputs
from groupx.domain.commands import DispatchCommand, DispatchEventCommand, WithdrawCommand
from groupx.domain.config import AgentConfig
from groupx.domain.ids import OPERATOR_BINDING, USER_ASSISTANT, USER_WEB, WEB_BINDING
from groupx.domain.limits import Limits
from groupx.domain.packet import build_packet
from groupx.domain.packet_inputs import PacketQuery
from groupx.domain.rooms import NewRoom
from groupx.domain.supervision import Supervision
from groupx.store.transactions.operator_dispatch import dispatch_event, operator_dispatch
from groupx.store.transactions.rooms import new_room
from groupx.store.transactions.withdraw import withdraw


def dispatch(ledger, *to, content="look at the disk", **changes):
    fields = {
        "key": ledger.key("operator.worker_dispatch", binding=OPERATOR_BINDING, to=list(to)),
        "actor_id": USER_ASSISTANT,
        "operation": "worker_dispatch",
        "to": to or (ledger.a,),
        "content": content,
        "roster": ledger.roster,
        "limits": Limits(),
    }
    return DispatchCommand(**(fields | changes))


def of_event(ledger, event_id, *to, **changes):
    fields = {
        "key": ledger.key("operator.dispatch_event", binding=OPERATOR_BINDING, eventId=event_id),
        "actor_id": USER_ASSISTANT,
        "event_id": event_id,
        "to": to or (ledger.b,),
        "roster": ledger.roster,
        "limits": Limits(),
    }
    return DispatchEventCommand(**(fields | changes))


def events(ledger, kind):
    return [orjson.loads(frame.data) for frame in ledger.frames if frame.type == kind]


def turn(ledger, turn_id):
    return ledger.row(
        "SELECT target_actor_id, source_event_id, parent_turn_id, hop_count, trigger_kind,"
        " root_correlation_id FROM turns WHERE turn_id = ?",
        turn_id,
    )


class Reads:
    def __init__(self, conn):
        self.conn = conn

    async def ask(self, request):
        return request.run(self.conn, request.query)


def packet(ledger, turn_id, session=None):
    query = PacketQuery(turn_id=turn_id, native_session_id=session)
    inputs = trio.run(read_inputs, Reads(ledger.conn), query, 256_000)
    agent = AgentConfig(id="a", driver="demo", name="Ada", cwd="/")
    return build_packet(inputs, agent=agent, limits=Limits(), boundary="mark")


def test_a_dispatch_is_an_event_of_its_own_and_wakes_its_targets(ledger):
    command = dispatch(ledger, "agent:a", "agent:b")
    answer = ledger.write(operator_dispatch, command)
    [event] = events(ledger, "operator.dispatch")
    assert event["body"] == {
        "content": "look at the disk",
        "operation": "worker_dispatch",
        "promptLength": 16,
        "targets": ["agent:a", "agent:b"],
    }
    assert event["actor"]["actorId"] == USER_ASSISTANT
    assert event["to"] == ["agent:a", "agent:b"]
    assert event["provenance"] == {"sourceKind": "operator"}
    assert events(ledger, "message.created") == []
    assert [t.target for t in answer.turns] == ["agent:a", "agent:b"]
    assert turn(ledger, answer.turns[0].turn_id) == (
        "agent:a", event["eventId"], None, 0, "control", event["rootCorrelationId"],
    )  # fmt: skip
    assert ledger.woken == ["agent:a", "agent:b"]
    assert ledger.write(operator_dispatch, command) == answer
    assert len(events(ledger, "operator.dispatch")) == 1


def test_it_is_the_workers_current_message_and_is_counted(ledger):
    answer = ledger.write(operator_dispatch, dispatch(ledger, content="count the files"))
    turn_id = answer.turns[0].turn_id
    text = packet(ledger, turn_id).text
    current = text.partition("[current_message mark]")[2]
    assert "author=user:assistant" in current
    assert "source=operator" in current
    assert "count the files" in current
    ledger.claim(turn_id, packet_characters=len(text))
    assert ledger.rows("SELECT actor_id, source, characters FROM context_usage") == [
        (ledger.a, "turn", len(text))
    ]


def test_a_dispatch_may_be_watched(ledger):
    it = dispatch(ledger, supervision=Supervision(observers=("agent:c",)))
    answer = ledger.write(operator_dispatch, it)
    [pair] = ledger.rows("SELECT source_event_id, watch_event_id FROM supervision_pairs")
    assert pair == (answer.message_event_id, answer.watch_event_id)
    assert [t.target for t in answer.watch_turns] == ["agent:c"]
    [brief] = events(ledger, "message.created")
    assert brief["body"]["kind"] == "supervision.watch"
    assert "look at the disk" not in brief["body"]["content"]


def test_refusals_of_a_dispatch(ledger, refused):
    run = operator_dispatch
    refused("UNKNOWN_TARGET", run, dispatch(ledger, "agent:zed"))
    refused("MESSAGE_TOO_LARGE", run, dispatch(ledger, content="x" * 131_073))
    full = Limits(queue_per_agent=1)
    ledger.queued(ledger.a)
    refused("QUEUE_CAPACITY_REACHED", run, dispatch(ledger, "agent:b", "agent:a", limits=full))
    both = Supervision(observers=("agent:a",))
    refused("SUPERVISION_PAIR_INVALID", run, dispatch(ledger, "agent:a", supervision=both))
    key = ledger.key("operator.worker_dispatch", binding=WEB_BINDING)
    refused("MCP_BINDING_MISMATCH", run, dispatch(ledger, key=key))


def test_an_id_cannot_be_used_for_another_operation(ledger, refused):
    key = ledger.key("operator.worker_dispatch", binding=OPERATOR_BINDING, id="1", content="x")
    ledger.write(operator_dispatch, dispatch(ledger, key=key))
    other = ledger.key("operator.worker_ask", binding=OPERATOR_BINDING, id="1", content="x")
    refused("CLIENT_COMMAND_CONFLICT", operator_dispatch, dispatch(ledger, key=other))


def test_a_message_becomes_work_and_keeps_its_author(ledger):
    sent = ledger.send(ledger.a, content="the task")
    command = of_event(ledger, sent.message_event_id, "agent:b")
    before = len(ledger.frames)
    answer = ledger.write(dispatch_event, command)
    assert ledger.types(before) == ["turn.queued"]
    assert answer.message_event_id == sent.message_event_id
    target, source, parent, hop, trigger, root = turn(ledger, answer.turns[0].turn_id)
    assert (target, source, parent, hop, trigger) == (
        ledger.b, sent.message_event_id, None, 0, "control",
    )  # fmt: skip
    assert root not in (sent.correlation_id, None)
    assert answer.correlation_id == sent.correlation_id
    current = packet(ledger, answer.turns[0].turn_id).text.partition("[current_message mark]")[2]
    assert "author=user:web" in current
    assert "the task" in current
    assert ledger.write(dispatch_event, command) == answer


def test_an_answer_can_be_given_to_another_and_watched(ledger):
    ended = ledger.completed(ledger.a, response="I would try this")
    it = of_event(
        ledger, ended.response_event_id, "agent:b", supervision=Supervision(observers=("agent:c",))
    )
    answer = ledger.write(dispatch_event, it)
    assert [t.target for t in answer.watch_turns] == ["agent:c"]
    assert events(ledger, "operator.dispatch") == []
    text = packet(ledger, answer.turns[0].turn_id).text
    assert "author=agent:a" in text.partition("[current_message mark]")[2]


def test_what_was_said_since_is_told_too_and_nothing_is_lost_after_it(ledger):
    """A message that is older than what its new reader must know."""
    old = ledger.send(ledger.a, content="the old task").message_event_id
    ledger.completed(ledger.b, content="something else", response="said meanwhile")
    answer = ledger.write(dispatch_event, of_event(ledger, old, "agent:c"))
    built = packet(ledger, answer.turns[0].turn_id)
    assert "said meanwhile" in built.text
    assert built.text.count("the old task") == 1
    assert built.text.index("said meanwhile") < built.text.index("the old task")
    [(queued,)] = ledger.rows(
        "SELECT enqueue_seq FROM turns WHERE turn_id = ?", answer.turns[0].turn_id
    )
    assert built.context_through_seq == queued


def test_refusals_of_a_message_as_work(ledger, refused):
    sent = ledger.send(ledger.a, content="the task")
    run = dispatch_event
    mine = sent.message_event_id
    refused("DUPLICATE_DISPATCH", run, of_event(ledger, mine, "agent:b", "agent:a"))
    refused("NOT_FOUND", run, of_event(ledger, "evt_0"))
    [queued] = events(ledger, "turn.queued")
    refused("NOT_FOUND", run, of_event(ledger, queued["eventId"]))
    own = ledger.write(operator_dispatch, dispatch(ledger, "agent:c"))
    refused("STORE_CONFLICT", run, of_event(ledger, own.message_event_id))
    paired = ledger.write(
        operator_dispatch,
        dispatch(ledger, supervision=Supervision(observers=("agent:c",))),
    )
    refused("STORE_CONFLICT", run, of_event(ledger, paired.watch_event_id))
    full = Limits(queue_per_agent=1)
    ledger.queued(ledger.b)
    refused("QUEUE_CAPACITY_REACHED", run, of_event(ledger, mine, "agent:b", limits=full))


def test_a_withdrawn_message_and_one_of_another_room_are_nobodys_work(ledger, refused):
    sent = ledger.send(ledger.a, content="oh no").message_event_id
    key = ledger.key("message.withdraw", messageEventId=sent)
    ledger.write(withdraw, WithdrawCommand(key=key, message_event_id=sent, actor_id=USER_WEB))
    refused("STORE_CONFLICT", dispatch_event, of_event(ledger, sent))
    ended = ledger.completed(ledger.a)
    ledger.write(new_room, NewRoom(key=ledger.key("room.new"), title=None))
    refused("NOT_FOUND", dispatch_event, of_event(ledger, ended.response_event_id))
