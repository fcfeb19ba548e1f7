"""Continue: the stopped call is made in its author's name, once, and the bound is raised once."""

import attrs
import orjson
import pytest

from groupx.domain.commands import ContinueRootCommand
from groupx.domain.errors import GroupXError
from groupx.domain.ids import OPERATOR_BINDING, USER_ASSISTANT, USER_WEB
from groupx.domain.limits import Limits
from groupx.domain.outcomes import Cause
from groupx.store.claim_rows import find_claim
from groupx.store.transactions.accept import accept
from groupx.store.transactions.continue_root import continue_root

HOP = Limits(hop_count=1)


class Stopped:
    """a called b, and b's call to c was stopped by a limit."""

    def __init__(self, ledger, *to, limits=HOP, **changes):
        self.ledger, self.limits = ledger, limits
        self.parent, self.attempt = ledger.running(ledger.a)
        self.child = ledger.call(self.parent, ledger.a, ledger.b).turns[0].turn_id
        self.child_attempt = ledger.claim(self.child).attempt_id
        [self.root] = ledger.row(
            "SELECT root_correlation_id FROM turns WHERE turn_id = ?", self.child
        )
        self.stop = self.call(*(to or (ledger.c,)), **changes)

    def call(self, *to, kind="mcp.send", limits=None, **changes):
        """The event id of the stop of one more call."""
        ledger = self.ledger
        command = ledger.message(
            *to,
            key=ledger.key(kind, binding=ledger.bindings[ledger.b], to=list(to)),
            actor_id=ledger.b,
            parent_turn_id=self.child,
            limits=limits or self.limits,
            **changes,
        )
        with pytest.raises(GroupXError) as caught:
            ledger.write(accept, command)
        return caught.value.details["stopEventId"]

    def end(self):
        self.ledger.end(self.child, self.child_attempt, Cause.COMPLETED, response="stopped")
        self.ledger.end(self.parent, self.attempt, Cause.COMPLETED, response="done")

    def command(self, **changes):
        ledger = self.ledger
        fields = {
            "key": ledger.key("root.continue"),
            "root_correlation_id": self.root,
            "stop_event_id": self.stop,
            "by": USER_WEB,
            "roster": ledger.roster,
            "limits": self.limits,
        }
        return ContinueRootCommand(**(fields | changes))

    def go_on(self, **changes):
        return self.ledger.write(continue_root, self.command(**changes))


def continued(ledger):
    return [
        (event["body"]["limit"], event["body"]["newBound"], event["causationId"])
        for frame in ledger.frames
        if frame.type == "routing.loop_continued"
        for event in [orjson.loads(frame.data)]
    ]


@pytest.mark.parametrize("ended", [False, True], ids=["caller works", "caller ended"])
def test_the_call_is_made_as_its_author_made_it(ledger, ended):
    it = Stopped(ledger, content="look at it", wake_me=True)
    if ended:
        ledger.end(it.child, it.child_attempt, Cause.COMPLETED, response="I was stopped")
    count = len(ledger.frames)
    answer = it.go_on()
    assert ledger.types(count) == ["routing.loop_continued", "message.created", "turn.queued"]
    raised, message, _ = (orjson.loads(frame.data) for frame in ledger.frames[count:])
    assert raised["actor"]["actorId"] == USER_WEB
    assert message["actor"]["actorId"] == ledger.b
    assert message["eventId"] == answer.message_event_id
    assert message["body"] == {"content": "look at it"}
    assert message["provenance"] == {
        "sourceKind": "mcp", "authorActorId": ledger.b, "sourceEventId": it.stop,
    }  # fmt: skip
    [turn] = answer.turns
    row = ledger.row(
        "SELECT target_actor_id, parent_turn_id, root_correlation_id, hop_count, trigger_kind"
        " FROM turns WHERE turn_id = ?",
        turn.turn_id,
    )
    assert row == (ledger.c, it.child, it.root, 2, "automatic")
    assert ledger.woken == [ledger.c]
    claim = find_claim(ledger.conn, turn.turn_id)
    assert claim is not None
    assert (claim.waiter_turn_id, claim.state, claim.owner) == (it.child, "open", None)


def test_who_did_not_want_to_be_woken_is_not(ledger):
    [turn] = Stopped(ledger).go_on().turns
    assert find_claim(ledger.conn, turn.turn_id) is None


def test_the_same_command_again_is_the_same_and_another_one_is_refused(ledger, refused):
    it = Stopped(ledger)
    command = it.command()
    answer = ledger.write(continue_root, command)
    before = ledger.dump()
    assert ledger.write(continue_root, command) == answer
    assert ledger.dump() == before
    refused("STORE_CONFLICT", continue_root, it.command())
    refused("STORE_CONFLICT", continue_root, it.command(stop_event_id=None))
    other = attrs.evolve(command, key=attrs.evolve(command.key, request={"other": 1}))
    refused("CLIENT_COMMAND_CONFLICT", continue_root, other)


@pytest.mark.parametrize(
    ("limits", "raised"),
    [
        (Limits(hop_count=1), [("hopCount", 2)]),
        (Limits(root_turns=2), [("rootTurns", 4)]),
        (Limits(root_turns=2, hop_count=1), [("hopCount", 2), ("rootTurns", 4)]),
        # By more, where as much again is not enough for the call:
        (Limits(root_turns=0), [("rootTurns", 3)]),
    ],
)
def test_what_is_in_the_way_is_raised_once_by_what_is_configured(ledger, limits, raised):
    it = Stopped(ledger, limits=limits)
    answer = it.go_on()
    assert continued(ledger) == [(limit, bound, it.stop) for limit, bound in raised]
    assert len(answer.turns) == 1


def test_a_raised_bound_holds_for_its_chain_alone_and_is_reached_again(ledger):
    limits = Limits(root_turns=3)
    it = Stopped(ledger, ledger.c, ledger.b, limits=limits)
    it.go_on()
    assert continued(ledger) == [("rootTurns", 6, it.stop)]

    def call(parent, count):
        return [ledger.call(parent, ledger.b, ledger.c, limits=limits) for _ in range(count)]

    assert len(call(it.child, 2)) == 2, "4 turns are there, 6 may be"
    second = it.call(ledger.c)
    body = orjson.loads(ledger.frames[-1].data)["body"]
    assert (body["limit"], body["bound"]) == ("rootTurns", 6)
    it.go_on(stop_event_id=second)
    assert continued(ledger)[-1] == ("rootTurns", 9, second)
    it.end()
    for turn_id, *_ in ledger.rows("SELECT turn_id FROM turns WHERE status = 'queued'"):
        ledger.cancel(turn_id)
    other = Stopped(ledger, ledger.c, ledger.a, limits=limits)
    assert orjson.loads(ledger.frames[-1].data)["body"]["bound"] == 3
    assert other.root != it.root


def test_calls_that_one_bound_stopped_raise_it_to_one_height(ledger):
    it = Stopped(ledger)
    second = it.call(ledger.a)
    for stop in (it.stop, second):
        it.go_on(stop_event_id=stop)
    assert continued(ledger) == [("hopCount", 2, it.stop), ("hopCount", 2, second)]


def test_without_a_name_the_oldest_that_waits_goes_on(ledger):
    it = Stopped(ledger, ledger.c)
    it.call(ledger.a)
    targets = [it.go_on(stop_event_id=None).turns[0].target for _ in range(2)]
    assert targets == [ledger.c, ledger.a]


def test_everyone_is_who_is_there_now(ledger):
    it = Stopped(ledger, "@all")
    roster = (*ledger.roster[:2], attrs.evolve(ledger.roster[2], stopped=True))
    answer = it.go_on(roster=roster)
    assert [turn.target for turn in answer.turns] == [ledger.a]
    assert [(item.target, item.reason) for item in answer.skipped] == [
        (ledger.b, "caller"), (ledger.c, "stopped"),
    ]  # fmt: skip


def test_the_operator_may_and_an_agent_may_not(ledger, refused):
    it = Stopped(ledger)
    key = ledger.key("root.continue", binding=ledger.bindings[ledger.b])
    refused("MCP_BINDING_MISMATCH", continue_root, it.command(key=key, by=ledger.b))
    key = ledger.key("root.continue", binding=OPERATOR_BINDING)
    it.go_on(key=key, by=USER_ASSISTANT)
    event = [orjson.loads(f.data) for f in ledger.frames if f.type == "routing.loop_continued"]
    assert event[0]["provenance"]["sourceKind"] == "operator"


def test_refusals_raise_nothing_and_it_can_go_on_later(ledger, refused):
    it = Stopped(ledger, content="four")
    refused("NOT_FOUND", continue_root, it.command(root_correlation_id="corr_none"))
    refused("NOT_FOUND", continue_root, it.command(stop_event_id="evt_none"))
    it.end()
    other = Stopped(ledger)
    refused("NOT_FOUND", continue_root, it.command(stop_event_id=other.stop))
    refused("UNKNOWN_TARGET", continue_root, it.command(roster=ledger.roster[:2]))
    stopped = (*ledger.roster[:2], attrs.evolve(ledger.roster[2], stopped=True))
    refused("TARGET_NOT_RUNNING", continue_root, it.command(roster=stopped))
    small = attrs.evolve(HOP, message_characters=3)
    refused("MESSAGE_TOO_LARGE", continue_root, it.command(limits=small))
    full = attrs.evolve(HOP, queue_per_agent=1)
    ledger.queued(ledger.c)
    refused("QUEUE_CAPACITY_REACHED", continue_root, it.command(limits=full))
    assert continued(ledger) == []
    assert it.go_on().turns


def test_a_room_that_is_not_active_is_read_only(ledger, refused):
    it = Stopped(ledger)
    ledger.conn.execute("UPDATE rooms SET active = 0")
    ledger.conn.execute("INSERT INTO rooms VALUES ('room:2', 'two', 1, 'now', NULL)")
    refused("STORE_CONFLICT", continue_root, it.command())
    refused("NOT_FOUND", continue_root, it.command(stop_event_id=None))


@pytest.mark.parametrize(
    "change",
    [
        "parent_turn_id = NULL",
        "body_json = json_remove(body_json, '$.refused')",
        "body_json = json_set(body_json, '$.refused.to', 7)",
        "body_json = json_set(body_json, '$.refused.content', 7)",
        "body_json = json_set(body_json, '$.bound', 'x')",
    ],
)
def test_a_stop_of_an_older_program_that_is_not_whole_says_so(ledger, refused, change):
    it = Stopped(ledger)
    ledger.conn.execute(f"UPDATE events SET {change} WHERE event_id = ?", (it.stop,))
    refused("STORE_CONFLICT", continue_root, it.command())


@pytest.mark.parametrize(
    ("limit", "limits"),
    [
        ("hopCount", Limits(hop_count=0)),
        ("rootTurns", Limits(root_turns=2)),
        ("queuePerAgent", Limits(queue_per_agent=1)),
    ],
)
def test_a_callback_goes_on_and_the_caller_is_woken_once(ledger, refused, limit, limits):
    parent, _ = ledger.running(ledger.a)
    sent = ledger.call(parent, ledger.a, ledger.b, wake_me=True)
    child = sent.turns[0].turn_id
    attempt = ledger.claim(child).attempt_id
    waiting = ledger.queued(ledger.a)
    ledger.limits = limits
    end = ledger.end(child, attempt, Cause.COMPLETED, response="found")
    stop = orjson.loads(ledger.frames[-1].data)
    assert stop["body"]["limit"] == limit
    command = ContinueRootCommand(
        key=ledger.key("root.continue"),
        root_correlation_id=sent.correlation_id,
        by=USER_WEB,
        roster=ledger.roster,
        limits=limits,
    )
    if limit == "queuePerAgent":
        refused("QUEUE_CAPACITY_REACHED", continue_root, command)
        ledger.cancel(waiting)
    answer = ledger.write(continue_root, command)
    [turn] = answer.turns
    assert turn.target == ledger.a
    message = [orjson.loads(f.data) for f in ledger.frames if f.type == "message.created"][-1]
    assert message["actor"]["actorId"] == "system:groupx"
    assert message["replyToEventId"] == end.response_event_id
    assert (message["body"]["kind"], message["body"]["childTurnId"]) == ("callback", child)
    assert message["body"]["content"] == stop["body"]["refused"]["content"]
    claim = find_claim(ledger.conn, child)
    assert claim is not None
    assert (claim.state, claim.callback_turn_id) == ("queued", turn.turn_id)
    again = attrs.evolve(command, key=ledger.key("root.continue"))
    refused("STORE_CONFLICT", continue_root, again)
