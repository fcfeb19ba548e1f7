"""What the tools and the assistant ask of the ledger, once along each branch that asks."""

import itertools

import pytest

from groupx.domain.commands import ContinueRootCommand, DispatchCommand, DispatchEventCommand
from groupx.domain.errors import GroupXError
from groupx.domain.ids import OPERATOR_BINDING, USER_ASSISTANT, USER_WEB
from groupx.domain.limits import Limits
from groupx.domain.memory_commands import IdentityQuery, MemoryQuery
from groupx.domain.outcomes import Cause
from groupx.domain.side_conversation import ReplyAside, SayAsideCommand, SideQuery
from groupx.store.queries.called_turns import CalledQuery, called_turns
from groupx.store.queries.calling_turn import Calling, calling_turn
from groupx.store.queries.chain_actors import chain_actors
from groupx.store.queries.memories import identities, memories, memories_and_summary
from groupx.store.queries.public_events import (
    ContentQuery,
    PublicQuery,
    public_content,
    public_events,
)
from groupx.store.queries.room_status import room_status
from groupx.store.queries.side_conversation import side_page
from groupx.store.queries.turn_status import turn_status
from groupx.store.transactions.continue_root import continue_root
from groupx.store.transactions.operator_dispatch import dispatch_event, operator_dispatch
from groupx.store.transactions.side_conversation import reply_aside, say_aside


def exercise_tools(ledger):
    """Leaves no turn open."""
    ask_of_calls(ledger)
    ask_of_the_room(ledger)
    ask_of_records(ledger)
    continue_what_stopped(ledger)
    run_by_the_assistant(ledger)
    talk_with_the_assistant(ledger)


def ask_of_calls(ledger):
    parent, attempt = ledger.running(ledger.a)
    called = ledger.call(parent, ledger.a, ledger.b)
    [child] = (turn.turn_id for turn in called.turns)
    query = CalledQuery(
        message_event_id=called.message_event_id,
        room_id="room:main",
        author=ledger.a,
        characters=9,
    )
    assert len(called_turns(ledger.conn, query)) == 1
    (instance,) = ledger.row("SELECT instance_id FROM turn_attempts WHERE attempt_id = ?", attempt)
    calling = calling_turn(ledger.conn, Calling(actor_id=ledger.a, instance_id=instance))
    assert calling.turn_id == parent
    assert chain_actors(ledger.conn, child) == {ledger.a, ledger.b}
    assert turn_status(ledger.conn, child) == "queued"
    assert room_status(ledger.conn, None).turns
    ledger.cancel(child)
    ledger.end(parent, attempt, Cause.COMPLETED, response="done")


def ask_of_the_room(ledger):
    event_id = ledger.completed(ledger.c).response_event_id
    (correlation,) = ledger.row("SELECT correlation_id FROM events WHERE event_id = ?", event_id)
    for after, of in itertools.product((None, 1), (None, correlation)):
        query = PublicQuery(
            room_id="room:main", limit=9, characters=9, after_seq=after, correlation_id=of
        )
        assert public_events(ledger.conn, query)
    content = ContentQuery(room_id="room:main", event_id=event_id, offset=0, characters=9)
    assert public_content(ledger.conn, content).text


def ask_of_records(ledger):
    for history, subject in itertools.product((False, True), (None, ledger.a)):
        identities(ledger.conn, IdentityQuery(history=history, subject=subject, before="x"))
        memories(ledger.conn, MemoryQuery(history=history, subject=subject, reader=ledger.a))
    memories_and_summary(ledger.conn, MemoryQuery())


def continue_what_stopped(ledger):
    parent, attempt = ledger.running(ledger.a)
    kept, ledger.limits = ledger.limits, Limits(hop_count=1)
    child = ledger.call(parent, ledger.a, ledger.b).turns[0].turn_id
    child_attempt = ledger.claim(child).attempt_id
    with pytest.raises(GroupXError) as stopped:
        ledger.call(child, ledger.b, ledger.c, limits=ledger.limits)
    (root,) = ledger.row("SELECT root_correlation_id FROM turns WHERE turn_id = ?", child)
    ledger.end(child, child_attempt, Cause.COMPLETED, response="stopped")
    ledger.end(parent, attempt, Cause.COMPLETED, response="done")
    for named in (None, stopped.value.details["stopEventId"]):
        command = ContinueRootCommand(
            key=ledger.key("root.continue"),
            root_correlation_id=root,
            stop_event_id=named,
            by=USER_WEB,
            roster=ledger.roster,
            limits=ledger.limits,
        )
        if named is None:
            made = ledger.write(continue_root, command)
        else:
            with pytest.raises(GroupXError, match="STORE_CONFLICT"):
                ledger.write(continue_root, command)
    ledger.limits = kept
    for turn in made.turns:
        ledger.cancel(turn.turn_id)


def run_by_the_assistant(ledger):
    terms = {"actor_id": USER_ASSISTANT, "roster": ledger.roster, "limits": Limits()}
    work = DispatchCommand(
        key=ledger.key("operator.worker_dispatch", binding=OPERATOR_BINDING),
        operation="worker_dispatch",
        to=(ledger.a,),
        content="look at the disk",
        **terms,
    )
    made = ledger.write(operator_dispatch, work)
    message = DispatchEventCommand(
        key=ledger.key("operator.dispatch_event", binding=OPERATOR_BINDING),
        event_id=ledger.completed(ledger.c).response_event_id,
        to=(ledger.b,),
        **terms,
    )
    for turn in (*made.turns, *ledger.write(dispatch_event, message).turns):
        ledger.cancel(turn.turn_id)


def talk_with_the_assistant(ledger):
    command = SayAsideCommand(key=ledger.key("assistant.say"), content="hello", limits=Limits())
    said = ledger.write(say_aside, command).message
    ledger.write(reply_aside, ReplyAside(message_id=said.message_id, content="hi"))
    assert ledger.write(say_aside, command).reply is not None
    assert len(side_page(ledger.conn, SideQuery()).messages) == 2
    side_page(ledger.conn, SideQuery(before_id=said.message_id))
