"""Swapping a checkpoint: one is active, each follows the one that was read, or nothing changes."""

import sqlite3

import pytest

from groupx.domain.commands import WithdrawCommand
from groupx.domain.compaction import SwapCheckpoint
from groupx.domain.context_reset import ResetContext
from groupx.domain.context_usage import RecordUsage
from groupx.domain.ids import MAIN_ROOM, USER_WEB
from groupx.domain.rooms import Idle, NewRoom, PruneRooms
from groupx.store.queries.compaction import standing
from groupx.store.queries.context_usage import usage_by_source
from groupx.store.transactions.checkpoint import swap_checkpoint
from groupx.store.transactions.context_reset import reset_context
from groupx.store.transactions.context_usage import record_usage
from groupx.store.transactions.prune import prune
from groupx.store.transactions.rooms import new_room
from groupx.store.transactions.withdraw import replace, withdraw


def newest(ledger):
    return ledger.row("SELECT max(seq) FROM events")[0]


def swap(ledger, through, **changes):
    """A swap that follows what is active now."""
    now = standing(ledger.conn, MAIN_ROOM)
    fields = {
        "room_id": MAIN_ROOM,
        "previous_id": now.summary and now.summary.summary_id,
        "from_seq": now.summary.from_seq if now.summary else 1,
        "through_seq": through,
        "read_seq": now.newest_seq,
        "content": f"up to {through}",
        "generator_actor_id": ledger.a,
        "prompt_characters": 1_234,
    }
    return SwapCheckpoint(**(fields | changes))


def summaries(ledger):
    return ledger.rows(
        "SELECT content, status, from_seq, through_seq FROM summaries ORDER BY rowid"
    )


def test_each_follows_the_one_before_and_one_is_active(ledger):
    ledger.completed()
    ledger.completed()
    events = ledger.counts()["events"]
    first = ledger.write(swap_checkpoint, swap(ledger, 3))
    second = ledger.write(swap_checkpoint, swap(ledger, 6))
    assert summaries(ledger) == [("up to 3", "superseded", 1, 3), ("up to 6", "active", 1, 6)]
    now = standing(ledger.conn, None)
    assert (now.summary.summary_id, now.covered_seq, now.newest_seq) == (second, 6, newest(ledger))
    assert first < second
    assert now.summary.generator_actor_id == ledger.a
    assert ledger.counts()["events"] == events


def test_one_that_comes_too_late_changes_nothing(ledger, refused):
    ledger.completed()
    late = swap(ledger, 3)
    ledger.write(swap_checkpoint, swap(ledger, 2))
    refused("STORE_CONFLICT", swap_checkpoint, late)
    refused("STORE_CONFLICT", swap_checkpoint, swap(ledger, 5, previous_id="summary_x"))
    assert [row[1] for row in summaries(ledger)] == ["active"]


@pytest.mark.parametrize("there_was_one", [False, True])
def test_a_reset_drops_one_that_is_being_written(ledger, refused, there_was_one):
    ledger.completed()
    if there_was_one:
        ledger.write(swap_checkpoint, swap(ledger, 2))
    late = swap(ledger, 4)
    ledger.write(reset_context, ResetContext(key=ledger.key("context.reset"), by=USER_WEB))
    refused("STORE_CONFLICT", swap_checkpoint, late)
    assert standing(ledger.conn, None).summary is None
    ledger.queued()
    after = swap(ledger, newest(ledger), from_seq=standing(ledger.conn, None).floor_seq + 1)
    ledger.write(swap_checkpoint, after)
    assert standing(ledger.conn, None).covered_seq == newest(ledger)


def test_what_is_taken_back_meanwhile_is_in_no_checkpoint(ledger, refused):
    ledger.completed()
    ledger.send(content="the secret")
    (secret, at) = ledger.row("SELECT event_id, seq FROM events WHERE body_json LIKE '%secret%'")
    late, harmless = swap(ledger, at), swap(ledger, at - 1)
    key = ledger.key("message.withdraw")
    taken_back = WithdrawCommand(key=key, message_event_id=secret, actor_id=USER_WEB)
    ledger.write(withdraw, taken_back)
    refused("STORE_CONFLICT", swap_checkpoint, late)
    ledger.write(swap_checkpoint, harmless)
    ledger.write(swap_checkpoint, swap(ledger, newest(ledger)))
    assert [row[1] for row in summaries(ledger)] == ["superseded", "active"]


def test_a_room_that_was_pruned_meanwhile_gets_none(ledger, refused):
    ledger.completed()
    late = swap(ledger, newest(ledger))
    ledger.write(new_room, NewRoom(key=ledger.key("room.new")))
    idle = Idle(before="9999")
    command = PruneRooms(
        key=ledger.key("rooms.delete"), action="delete", idle=idle, room_ids=(MAIN_ROOM,)
    )
    assert ledger.write(prune, command).room_ids == (MAIN_ROOM,)
    refused("STORE_CONFLICT", swap_checkpoint, late)


def test_what_was_measured_before_holds_no_longer_but_what_it_took_itself_does(ledger):
    ledger.completed()
    usage = RecordUsage(actor_id=ledger.b, source="turn", tracker="packet", characters=99)
    ledger.write(record_usage, usage)
    ledger.write(swap_checkpoint, swap(ledger, 3))
    by_kind = {(it.actor_id, it.source): it for it in usage_by_source(ledger.conn, MAIN_ROOM)}
    assert by_kind[ledger.b, "turn"].characters is None
    assert by_kind[ledger.b, "turn"].epoch == 1
    own = by_kind[ledger.a, "compaction"]
    assert (own.tracker, own.characters, own.tokens) == ("packet", 1_234, None)
    ledger.write(swap_checkpoint, swap(ledger, 4, tokens=50, generator_actor_id=ledger.b))
    by_kind = {(it.actor_id, it.source): it for it in usage_by_source(ledger.conn, MAIN_ROOM)}
    told = by_kind[ledger.b, "compaction"]
    assert (told.tracker, told.characters, told.tokens) == ("native", 1_234, 50)


def test_nobody_unknown_writes_one(ledger):
    ledger.completed()
    before = ledger.dump()
    with pytest.raises(sqlite3.IntegrityError):
        ledger.write(swap_checkpoint, swap(ledger, 3, generator_actor_id="agent:nobody"))
    assert ledger.dump() == before


# --- what is taken back ---------------------------------------------------------------------------


def say(ledger, count):
    """So many messages that wait; seq and id of each."""
    sent = [ledger.send(ledger.b).message_event_id for _ in range(count)]
    at = "SELECT seq FROM events WHERE event_id = ?"
    return [(ledger.row(at, event_id)[0], event_id) for event_id in sent]


def take_back(ledger, event_id, run=withdraw):
    key = ledger.key("message.withdraw")
    command = WithdrawCommand(
        key=key, message_event_id=event_id, actor_id=USER_WEB, replacement="better",
        roster=ledger.roster,
    )  # fmt: skip
    ledger.write(run, command)


@pytest.mark.parametrize(
    ("ends", "gone", "statuses"),
    [
        ([2, 4, 6], 6, ["superseded", "active", "retracted"]),
        ([2, 4, 6], 5, ["superseded", "active", "retracted"]),
        ([2, 4, 6], 4, ["active", "retracted", "retracted"]),
        ([2, 4, 6], 2, ["retracted", "retracted", "retracted"]),
        ([2, 4, 6], 7, ["superseded", "superseded", "active"]),
        ([6], 3, ["retracted"]),
        ([], 3, []),
    ],
)
@pytest.mark.parametrize("run", [withdraw, replace])
def test_the_newest_checkpoint_that_tells_nothing_of_it_takes_over(
    ledger, run, ends, gone, statuses
):
    said = say(ledger, 8)
    first = said[0][0]
    for end in ends:
        ledger.write(swap_checkpoint, swap(ledger, said[end - 1][0], from_seq=first))
    take_back(ledger, said[gone - 1][1], run)
    assert [row[1] for row in summaries(ledger)] == statuses
    kept = [end for end, status in zip(ends, statuses, strict=True) if status == "active"]
    covered = said[kept[0] - 1][0] if kept else 0
    assert standing(ledger.conn, None).covered_seq == covered


def test_what_took_over_is_gone_on_with_and_what_was_retracted_never_comes_back(ledger):
    said = say(ledger, 8)
    first = said[0][0]
    for end in (2, 4, 6):
        ledger.write(swap_checkpoint, swap(ledger, said[end - 1][0], from_seq=first))
    take_back(ledger, said[5 - 1][1])
    ledger.write(swap_checkpoint, swap(ledger, said[7 - 1][0]))
    assert standing(ledger.conn, None).summary.from_seq == first
    take_back(ledger, said[7 - 1][1])
    take_back(ledger, said[3 - 1][1])
    of = {4: "retracted", 6: "retracted", 7: "retracted", 2: "active"}
    assert {row[3]: row[1] for row in summaries(ledger)} == {
        said[end - 1][0]: status for end, status in of.items()
    }


def test_one_from_under_a_reset_does_not_take_over(ledger):
    said = say(ledger, 4)
    for end in (1, 3):
        ledger.write(swap_checkpoint, swap(ledger, said[end - 1][0], from_seq=said[0][0]))
    ledger.write(reset_context, ResetContext(key=ledger.key("context.reset"), by=USER_WEB))
    later = say(ledger, 3)
    ledger.write(swap_checkpoint, swap(ledger, later[1][0], from_seq=later[0][0]))
    take_back(ledger, said[1][1])
    assert standing(ledger.conn, None).covered_seq == later[1][0], "it tells only of what is above"
    take_back(ledger, later[1][1])
    now = standing(ledger.conn, None)
    assert (now.summary, now.covered_seq) == (None, now.floor_seq)


def test_one_that_was_read_for_before_another_took_over_comes_too_late(ledger, refused):
    said = say(ledger, 6)
    for end in (1, 3):
        ledger.write(swap_checkpoint, swap(ledger, said[end - 1][0], from_seq=said[0][0]))
    late = swap(ledger, said[4][0])
    take_back(ledger, said[1][1])
    refused("STORE_CONFLICT", swap_checkpoint, late)


def test_each_room_has_its_own(ledger):
    said = say(ledger, 2)
    ledger.write(swap_checkpoint, swap(ledger, said[0][0], from_seq=said[0][0]))
    for turn in ledger.rows("SELECT turn_id FROM turns"):
        ledger.cancel(*turn)
    ledger.write(new_room, NewRoom(key=ledger.key("room.new")))
    other = say(ledger, 2)
    take_back(ledger, other[0][1])
    assert standing(ledger.conn, MAIN_ROOM).covered_seq == said[0][0]
    assert standing(ledger.conn, None).summary is None
