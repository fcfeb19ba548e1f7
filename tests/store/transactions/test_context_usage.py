"""Context usage: one latest measure per kind of request, and nothing made up."""

import orjson
import pytest

from groupx.domain.context_usage import MAX_TOKENS, RecordUsage, Usage
from groupx.domain.ids import MAIN_ROOM
from groupx.domain.ledger import InstanceOpened, StartedCommand
from groupx.domain.limits import MAX_PACKET_RECORD_BYTES
from groupx.domain.outcomes import Cause
from groupx.store.queries.context_usage import usage_by_source
from groupx.store.queries.lane import lane_views
from groupx.store.queries.turn_detail import turn_detail
from groupx.store.transactions.bindings import open_instance
from groupx.store.transactions.context_usage import record_usage
from groupx.store.transactions.started import started
from groupx.store.usage_rows import context_renewed


def known(ledger):
    return {
        (item.actor_id, item.source): (item.tracker, item.characters, item.tokens, item.epoch)
        for item in usage_by_source(ledger.conn, None)
    }


def sent(ledger, actor, characters, **changes):
    """(turn id, attempt id) of a started turn whose packet has this size."""
    turn_id = ledger.queued(actor)
    claimed = ledger.claim(turn_id, packet_characters=characters, **changes)
    ledger.write(started, StartedCommand(attempt_id=claimed.attempt_id))
    return turn_id, claimed.attempt_id


def finish(ledger, turn_id, attempt_id, **usage):
    told = Usage(**usage) if usage else None
    return ledger.end(turn_id, attempt_id, Cause.COMPLETED, response="ok", usage=told)


def renew(ledger, actor, continuity):
    number = len(ledger.rows("SELECT 1 FROM session_bindings"))
    ledger.write(
        open_instance,
        InstanceOpened(
            instance_id=f"i{number}", binding_id=f"b{number}", actor_id=actor, adapter_id="demo",
            protocol="demo", native_session_id=f"s{number}", continuity=continuity,
            capabilities={},
        ),
    )  # fmt: skip
    ledger.bindings[actor] = f"b{number}"


def test_nothing_is_known_at_first(ledger):
    assert known(ledger) == {}
    assert all(lane.packet_characters is None for lane in lane_views(ledger.conn, None))


def test_a_claim_counts_characters_and_the_end_adds_the_programs_tokens(ledger):
    turn = sent(ledger, ledger.a, 1200)
    assert known(ledger) == {(ledger.a, "turn"): ("packet", 1200, None, 0)}
    finish(ledger, *turn, context_used=700, context_size=1000, total_tokens=90)
    assert known(ledger) == {(ledger.a, "turn"): ("native", 1200, 700, 0)}
    lanes = {lane.actor_id: lane.packet_characters for lane in lane_views(ledger.conn, None)}
    assert (lanes[ledger.a], lanes[ledger.b]) == (1200, None)
    (row,) = usage_by_source(ledger.conn, MAIN_ROOM)
    assert row.revision == 2


def test_what_the_program_does_not_say_stays_unknown(ledger):
    finish(ledger, *sent(ledger, ledger.a, 10), context_used=5)
    finish(ledger, *sent(ledger, ledger.a, 20), input_tokens=9)
    assert known(ledger) == {(ledger.a, "turn"): ("packet", 20, None, 0)}
    finish(ledger, *sent(ledger, ledger.a, 30))
    assert known(ledger) == {(ledger.a, "turn"): ("packet", 30, None, 0)}


def test_a_watch_turn_is_measured_by_itself(ledger):
    finish(ledger, *sent(ledger, ledger.a, 10))
    turn_id = ledger.queued()
    event_id = ledger.row("SELECT event_id FROM events")[0]
    ledger.conn.execute(
        "INSERT INTO supervision_pairs"
        " VALUES ('p', 'room:main', 'c', ?, ?, ?, 'live_steer', 'now')",
        (event_id,) * 3,
    )
    ledger.conn.execute(
        "INSERT INTO supervision_pair_turns VALUES (?, 'p', 'observer', 'agent:a', 'now')",
        (turn_id,),
    )
    attempt_id = ledger.claim(turn_id, packet_characters=99).attempt_id
    finish(ledger, turn_id, attempt_id, context_used=3)
    assert known(ledger) == {
        (ledger.a, "turn"): ("packet", 10, None, 0),
        (ledger.a, "watch"): ("native", 99, 3, 0),
    }


@pytest.mark.parametrize(("continuity", "epoch"), [("new", 1), ("rebuilt", 1), ("resumed", 0)])
def test_a_new_native_session_begins_an_epoch(ledger, continuity, epoch):
    finish(ledger, *sent(ledger, ledger.a, 10), context_used=5)
    finish(ledger, *sent(ledger, ledger.b, 10), context_used=5)
    side = RecordUsage(actor_id=ledger.a, source="rollup", tracker="packet", characters=7)
    ledger.write(record_usage, side)
    renew(ledger, ledger.a, continuity)
    after = known(ledger)
    fresh = ("native", None, None, 1)
    assert after[ledger.a, "turn"] == (fresh if epoch else ("native", 10, 5, 0))
    assert after[ledger.b, "turn"] == ("native", 10, 5, 0)
    assert after[ledger.a, "rollup"] == ("packet", 7, None, 0)
    finish(ledger, *sent(ledger, ledger.a, 40))
    assert known(ledger)[ledger.a, "turn"] == ("packet", 40, None, epoch)


def test_a_renewed_context_forgets_every_measure_of_the_room(ledger):
    finish(ledger, *sent(ledger, ledger.a, 10), context_used=5)
    side = RecordUsage(actor_id=ledger.a, source="compaction", tracker="native", tokens=7)
    ledger.write(record_usage, side)
    ledger.write(context_renewed, MAIN_ROOM)
    assert set(known(ledger).values()) == {("native", None, None, 1)}


def test_a_report_about_an_earlier_epoch_is_too_late(ledger):
    turn = sent(ledger, ledger.a, 10)
    ledger.write(context_renewed, MAIN_ROOM)
    finish(ledger, *turn, context_used=5, total_tokens=6)
    assert known(ledger) == {(ledger.a, "turn"): ("packet", None, None, 1)}
    assert turn_detail(ledger.conn, turn[0]).usage == Usage(context_used=5, total_tokens=6)


def test_a_report_in_the_same_millisecond_as_the_reset_is_too_late_too(ledger):
    turn = sent(ledger, ledger.a, 10)
    ledger.conn.execute("UPDATE turn_attempts SET claimed_at = ?", ("x",))
    ledger.write(context_renewed, MAIN_ROOM)
    ledger.conn.execute("UPDATE context_usage SET updated_at = ?", ("x",))
    finish(ledger, *turn, context_used=5)
    assert known(ledger)[ledger.a, "turn"] == ("packet", None, None, 1)


def test_kinds_never_overwrite_one_another(ledger):
    for number, source in enumerate(("turn", "watch", "rollup", "compaction", "assistant")):
        usage = RecordUsage(
            actor_id=ledger.a, source=source, tracker="packet", characters=number, new_epoch=True
        )
        ledger.write(record_usage, usage)
        ledger.write(record_usage, usage)
    assert sorted(known(ledger).values()) == [("packet", n, None, 1) for n in range(5)]


def test_the_turn_says_what_its_program_reported(ledger):
    record = orjson.dumps({"characters": 10, "sections": [], "omitted": []}).decode()
    turn = sent(ledger, ledger.a, 10, packet_json=record)
    assert turn_detail(ledger.conn, turn[0]).usage is None
    finish(ledger, *turn, input_tokens=1, output_tokens=2)
    detail = turn_detail(ledger.conn, turn[0])
    assert detail.usage == Usage(input_tokens=1, output_tokens=2)
    assert detail.packet == {"characters": 10, "sections": [], "omitted": []}


def test_a_turn_without_a_packet_record_has_its_usage_all_the_same(ledger):
    turn_id, attempt_id = ledger.running()
    finish(ledger, turn_id, attempt_id, total_tokens=4)
    detail = turn_detail(ledger.conn, turn_id)
    assert (detail.packet, detail.usage) == (None, Usage(total_tokens=4))


def test_usage_never_takes_the_packets_record_over_its_bound(ledger):
    padding = "x" * (MAX_PACKET_RECORD_BYTES - 100)
    turn = sent(ledger, ledger.a, 10, packet_json=orjson.dumps({"p": padding}).decode())
    finish(ledger, *turn, context_used=5)
    (stored,) = ledger.row("SELECT packet_json FROM turn_attempts WHERE attempt_id = ?", turn[1])
    assert len(stored.encode()) <= MAX_PACKET_RECORD_BYTES
    assert known(ledger)[ledger.a, "turn"] == ("native", 10, 5, 0)


def test_numbers_that_are_no_counts_are_unknown(ledger):
    turn = sent(ledger, ledger.a, 10)
    finish(ledger, *turn, input_tokens=MAX_TOKENS, output_tokens=-1, context_used=2**70)
    assert known(ledger) == {(ledger.a, "turn"): ("packet", 10, None, 0)}
    assert turn_detail(ledger.conn, turn[0]).usage == Usage(input_tokens=MAX_TOKENS)


def test_of_a_room_that_was_pruned_meanwhile_nothing_is_kept(ledger):
    usage = RecordUsage(
        actor_id=ledger.a, source="rollup", tracker="packet", characters=7, room_id="room:gone"
    )
    before = ledger.dump()
    ledger.write(record_usage, usage)
    assert ledger.dump() == before
