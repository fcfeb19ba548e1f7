"""A reset: one floor that later packets, measures and checkpoints stay above; no event goes."""

import orjson
import pytest

from groupx.domain.context_reset import ContextReset, ResetContext
from groupx.domain.context_usage import RecordUsage
from groupx.domain.ids import MAIN_ROOM, OPERATOR_BINDING, USER_ASSISTANT, USER_WEB
from groupx.domain.ledger import StartedCommand
from groupx.domain.outcomes import Cause
from groupx.domain.packet_inputs import PacketQuery, SaidQuery
from groupx.domain.rooms import NewRoom
from groupx.store.queries.context_usage import usage_by_source
from groupx.store.queries.lane import lane_head
from groupx.store.queries.packet_inputs import packet_head
from groupx.store.queries.sessions import last_session, was_prompted
from groupx.store.queries.transcript_pages import said_page
from groupx.store.session_era import session_era
from groupx.store.transactions.claim import claim
from groupx.store.transactions.context_reset import reset_context
from groupx.store.transactions.context_usage import record_usage
from groupx.store.transactions.rooms import new_room
from groupx.store.transactions.started import started


@pytest.fixture
def reset(ledger):
    """Reset the context; a repeated `id` is the same command."""

    def done(*, sessions=False, by=USER_WEB, **key):
        command = ResetContext(
            key=ledger.key("context.reset", resetNativeSessions=sessions, **key),
            by=by,
            reset_native_sessions=sessions,
        )
        return ledger.write(reset_context, command)

    return done


def newest(ledger):
    return ledger.row("SELECT max(seq) FROM events")[0]


def summarise(ledger, through_seq, status="active"):
    ledger.conn.execute(
        "INSERT INTO summaries VALUES (?, ?, 1, ?, 'what was said', 'agent:a', ?, 'now')",
        (f"summary_{through_seq}_{status}", MAIN_ROOM, through_seq, status),
    )


def head_of(ledger, turn_id, session="native-agent:a-1"):
    return packet_head(ledger.conn, PacketQuery(turn_id=turn_id, native_session_id=session))


def test_it_moves_the_floor_to_the_newest_event_and_says_so(ledger, reset):
    ledger.completed()
    through = newest(ledger)
    before = ledger.counts()
    assert reset() == ContextReset(through_seq=through, changed=True)
    event = orjson.loads(ledger.frames[-1].data)
    assert (event["type"], event["seq"]) == ("context.reset", through + 1)
    assert event["actor"]["actorId"] == USER_WEB
    assert event["provenance"]["sourceKind"] == "web"
    assert event["body"] == {"throughSeq": through, "resetNativeSessions": False}
    after = ledger.counts()
    written = {name: after[name] - before[name] for name in after if after[name] != before[name]}
    assert written == {"context_resets": 1, "events": 1, "client_commands": 1}


def test_the_assistant_resets_as_the_operator(ledger, reset):
    ledger.completed()
    assert reset(by=USER_ASSISTANT, binding=OPERATOR_BINDING).changed
    event = orjson.loads(ledger.frames[-1].data)
    assert event["actor"]["actorId"] == USER_ASSISTANT
    assert event["provenance"] == {
        "sourceKind": "operator", "authorActorId": USER_ASSISTANT,
    }  # fmt: skip


def test_whoever_the_binding_is_not_of_resets_nothing(ledger, refused):
    ledger.completed()
    command = ResetContext(key=ledger.key("context.reset"), by=USER_ASSISTANT)
    refused("MCP_BINDING_MISMATCH", reset_context, command)


def test_again_with_nothing_said_is_nothing(ledger, reset):
    assert reset() == ContextReset(through_seq=0, changed=False)
    turn_id, attempt_id = ledger.running()
    first = reset()
    ledger.open_session(ledger.b)
    ledger.end(turn_id, attempt_id, Cause.CANCELLED)
    before = ledger.counts()
    again = reset()
    assert again == ContextReset(through_seq=first.through_seq, changed=False)
    before["client_commands"] += 1
    assert ledger.counts() == before
    ledger.send()
    assert reset().through_seq > first.through_seq


def test_sessions_that_the_last_one_left_are_renewed_with_nothing_said(ledger, reset):
    """Once: from then on there is nothing that they know."""
    ledger.completed()
    first = reset()
    era = session_era(ledger.conn, None)
    second = reset(sessions=True)
    assert second.changed
    assert second.through_seq == first.through_seq + 1, "that of the first one's own event"
    assert session_era(ledger.conn, None) != era
    assert last_session(ledger.conn, ledger.a) is None, "nothing resumes what went before"
    before = ledger.counts()
    for sessions in (True, False):
        again = reset(sessions=sessions)
        assert again == ContextReset(through_seq=second.through_seq, changed=False)
    before["client_commands"] += 2
    assert ledger.counts() == before


@pytest.mark.parametrize("what", ["message.created", "operator.dispatch"])
def test_what_was_said_makes_the_next_one_count(ledger, reset, what):
    ledger.send()
    reset()
    event_id = ledger.send().message_event_id
    ledger.conn.execute("UPDATE events SET event_type = ? WHERE event_id = ?", (what, event_id))
    assert reset().changed


def test_the_same_command_is_answered_the_same(ledger, reset):
    ledger.completed()
    first = reset(id="once")
    ledger.send()
    before = ledger.dump()
    assert reset(id="once") == first
    assert ledger.dump() == before


def test_a_checkpoint_at_or_under_the_floor_ends(ledger, reset):
    ledger.completed()
    summarise(ledger, 1, "superseded")
    summarise(ledger, newest(ledger))
    reset()
    assert {row[0] for row in ledger.rows("SELECT status FROM summaries")} == {"superseded"}
    turn_id = ledger.queued()
    assert head_of(ledger, turn_id).summary is None


def test_later_packets_start_above_it(ledger, reset):
    ledger.completed(content="the old secret", response="an old answer")
    floor = reset().through_seq
    ledger.send(ledger.b, content="new for another")
    turn_id = ledger.queued(content="new")
    for session in ("native-agent:a-1", None):
        head = head_of(ledger, turn_id, session)
        assert (head.reset_through_seq, head.lower_seq) == (floor, floor)
        page = said_page(
            ledger.conn,
            SaidQuery(
                room_id=MAIN_ROOM, target_actor_id=ledger.a, lower_seq=head.lower_seq,
                upper_seq=head.source.seq,
            ),
        )  # fmt: skip
        assert [it.content for it in page.entries] == ["new for another"]


def test_a_packet_that_was_built_before_it_is_not_sent(ledger, reset, refused):
    turn_id = ledger.queued()
    floor = head_of(ledger, turn_id).reset_through_seq
    reset()
    stale = refused("STORE_CONFLICT", claim, ledger.claim_command(turn_id, reset_through_seq=floor))
    assert stale.details["stale"] is True
    floor = head_of(ledger, turn_id).reset_through_seq
    assert ledger.claim(turn_id, reset_through_seq=floor).invoked


def test_every_measure_of_the_room_ends_with_it(ledger, reset):
    ledger.completed()
    for source in ("turn", "watch", "rollup", "compaction", "assistant"):
        usage = RecordUsage(actor_id=ledger.a, source=source, tracker="packet", characters=7)
        ledger.write(record_usage, usage)
    reset()
    measures = usage_by_source(ledger.conn, None)
    assert len(measures) == 5
    assert {(it.characters, it.tokens, it.epoch) for it in measures} == {(None, None, 1)}
    reset()
    assert {it.epoch for it in usage_by_source(ledger.conn, None)} == {1}


def test_sessions_are_renewed_only_when_it_is_asked_for(ledger, reset):
    ledger.completed()
    before = session_era(ledger.conn, None)
    reset()
    assert ledger.woken == []
    assert session_era(ledger.conn, None) == before
    assert last_session(ledger.conn, ledger.a) is not None
    ledger.send(ledger.b)
    reset(sessions=True)
    assert {ledger.a, ledger.b, ledger.c} <= set(ledger.woken)
    after = session_era(ledger.conn, None)
    assert (after.room_id, after.reset_id is None) == (MAIN_ROOM, False)
    assert last_session(ledger.conn, ledger.a) is None
    assert not was_prompted(ledger.conn, ledger.a)
    assert lane_head(ledger.conn, ledger.b).era == after


def test_a_session_of_before_it_gets_no_prompt_of_after_it(ledger, reset, refused):
    """The floor alone is no proof: a packet may be built above it for a session from below."""
    ledger.completed()
    turn_id = ledger.queued()
    old = session_era(ledger.conn, None)
    floor = reset(sessions=True).through_seq
    command = ledger.claim_command(turn_id, era=old, reset_through_seq=floor)
    stale = refused("STORE_CONFLICT", claim, command)
    assert stale.details["stale"] is True
    assert ledger.claim(turn_id, reset_through_seq=floor).invoked


def test_nor_does_one_of_another_room(ledger, refused):
    old = session_era(ledger.conn, None)
    ledger.write(new_room, NewRoom(key=ledger.key("room.new")))
    turn_id = ledger.queued()
    refused("STORE_CONFLICT", claim, ledger.claim_command(turn_id, era=old))
    assert ledger.claim(turn_id).invoked


@pytest.mark.parametrize("step_ms", [60_000, -3_600_000], ids=["forth", "back"])
def test_what_came_after_what_is_not_asked_of_the_clock(ledger, reset, step_ms):
    """The newest reset is the era, and what was told since is known, whatever the clock did."""
    floor = 0
    for name in ("first", "second", "third"):
        ledger.bindings[ledger.a] = ledger.open_session(ledger.a, name)
        turn_id = ledger.queued()
        attempt_id = ledger.claim(turn_id, reset_through_seq=floor).attempt_id
        ledger.write(started, StartedCommand(attempt_id=attempt_id))
        ledger.end(turn_id, attempt_id, Cause.COMPLETED, response="done", local_date="2026-02-02")
        assert was_prompted(ledger.conn, ledger.a)
        assert last_session(ledger.conn, ledger.a).native_session_id == name
        before = session_era(ledger.conn, None)
        ledger.clock += step_ms
        floor = reset(sessions=True).through_seq
        assert session_era(ledger.conn, None) != before
        assert not was_prompted(ledger.conn, ledger.a)
        assert last_session(ledger.conn, ledger.a) is None


def test_a_new_room_begins_without_a_floor(ledger, reset):
    ledger.completed()
    reset()
    ledger.write(new_room, NewRoom(key=ledger.key("room.new")))
    assert reset() == ContextReset(through_seq=0, changed=False)
    turn_id = ledger.queued()
    assert head_of(ledger, turn_id).reset_through_seq == 0
