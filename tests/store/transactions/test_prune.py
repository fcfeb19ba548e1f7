"""Pruning: whole rooms, never the active one, and nothing else is touched."""

from hypothesis import given, settings
from hypothesis import strategies as st

from groupx.domain.context_reset import ResetContext
from groupx.domain.ids import SYSTEM, USER_WEB, RoomId
from groupx.domain.outcomes import Cause
from groupx.domain.rooms import (
    Artifacts,
    Idle,
    KeptBackup,
    NewRoom,
    PruneRooms,
    archived,
    deleted,
    preview,
)
from groupx.domain.times import iso_from_ms
from groupx.store.queries.rooms import active_room, idle_rooms, list_rooms
from groupx.store.queries.sessions import last_session
from groupx.store.search_untold import index_untold
from groupx.store.session_era import session_era
from groupx.store.transactions.context_reset import reset_context
from groupx.store.transactions.index_slice import index_slice
from groupx.store.transactions.lane import set_lane
from groupx.store.transactions.prune import prune
from groupx.store.transactions.remember import remember_record
from groupx.store.transactions.rooms import new_room
from tests.store.conftest import Ledger
from tests.store.records import Notes


def enter(ledger):
    return ledger.write(new_room, NewRoom(key=ledger.key("room.new"))).room_id


def now(ledger):
    return Idle(before=iso_from_ms(ledger.clock))


def pruned(ledger, action, idle=None, rooms=None, **key):
    idle = idle or now(ledger)
    ids = [room.room_id for room in idle_rooms(ledger.conn, idle)] if rooms is None else rooms
    command = PruneRooms(
        key=ledger.key(f"rooms.{action}", **key), action=action, idle=idle, room_ids=tuple(ids)
    )
    return ledger.write(prune, command)


def everything(ledger, *leave_out):
    """Every row of every table of the ledger."""
    tables = ledger.rows(
        "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
        " AND name NOT LIKE 'search_fts%'"
    )
    return {
        name: sorted(ledger.rows(f"SELECT * FROM {name}"), key=repr)
        for (name,) in tables
        if name not in leave_out
    }


def furnish(ledger, room_id):
    """Rows of the room in every table that can hold some."""
    parent, attempt = ledger.running(ledger.a, content="parent")
    ledger.call(parent, ledger.a, ledger.b, wake_me=True)
    ledger.end(parent, attempt, Cause.COMPLETED, response="said")
    while waiting := ledger.row("SELECT turn_id FROM turns WHERE status = 'queued'"):
        ledger.cancel(*waiting)
    event, chain, turn = ledger.row(
        "SELECT e.event_id, e.correlation_id, t.turn_id FROM events e"
        " JOIN turns t ON t.source_event_id = e.event_id WHERE e.room_id = ? ORDER BY seq LIMIT 1",
        room_id,
    )
    ledger.completed(ledger.c, reply_to_event_id=event)
    ledger.write(set_lane, ledger.lane("paused"))
    ledger.write(set_lane, ledger.lane("runnable"))
    scopes = [("agent", ledger.a, "core"), ("room", room_id, None), ("correlation", chain, None)]
    for scope, of, kind in scopes:
        insert(
            ledger, "memory_records", memory_id=f"{scope}-{room_id}", scope_type=scope,
            scope_id=of, kind="fact", author_actor_id=USER_WEB, content="x", source_event_id=event,
            source_kind="web", status="active", created_at="t", agent_memory_type=kind,
        )  # fmt: skip
    insert(
        ledger, "identity_records", identity_id=f"identity-{room_id}", subject_actor_id=ledger.a,
        author_actor_id=USER_WEB, kind="fact", content="x", source_event_id=event,
        source_kind="web", status="active", created_at="t",
    )  # fmt: skip
    insert(
        ledger, "supervision_pairs", pair_id=f"pair-{room_id}", room_id=room_id,
        correlation_id=chain, source_event_id=event, watch_event_id=event, pair_event_id=event,
        mode="live_steer", created_at="t",
    )  # fmt: skip
    insert(
        ledger, "supervision_pair_turns", turn_id=turn, pair_id=f"pair-{room_id}", role="worker",
        actor_id=ledger.a, created_at="t",
    )  # fmt: skip
    insert(
        ledger, "context_usage", room_id=room_id, actor_id=ledger.a, source="turn",
        tracker="packet", characters=1, epoch=0, revision=1, updated_at="t",
    )  # fmt: skip
    insert(ledger, "supervision_steer_counts", subject_turn_id=turn, steer_count=1)
    insert(
        ledger, "context_resets", reset_id=f"reset-{room_id}", room_id=room_id, through_seq=1,
        reset_native_sessions=0, created_at="t",
    )  # fmt: skip
    insert(
        ledger, "summaries", summary_id=f"summary-{room_id}", room_id=room_id, from_seq=1,
        through_seq=2, content="x", generator_actor_id=SYSTEM, status="active", created_at="t",
    )  # fmt: skip
    if not ledger.row("SELECT 1 FROM memory_policies WHERE room_id = ?", room_id):
        insert(
            ledger, "memory_policies", room_id=room_id, actor_id=SYSTEM, use_memories=1,
            generation="enabled", source="user", revision=1, updated_at="t",
        )  # fmt: skip


def insert(ledger, table, **values):
    names, marks = ", ".join(values), ", ".join("?" * len(values))
    ledger.conn.execute(f"INSERT INTO {table} ({names}) VALUES ({marks})", tuple(values.values()))


def ids_of(ledger, room_id):
    """What belongs to the room, by id."""
    events = {row[0] for row in ledger.rows("SELECT event_id FROM events WHERE room_id=?", room_id)}
    turns = {
        row[0]
        for row in ledger.rows(
            "SELECT turn_id FROM turns JOIN events ON event_id = source_event_id WHERE room_id = ?",
            room_id,
        )
    }
    return events | turns | {room_id}


def test_deleting_takes_a_whole_room_and_nothing_else(ledger):
    rooms = []
    for _ in range(3):
        rooms.append(active_room(ledger.conn))
        furnish(ledger, rooms[-1])
        enter(ledger)
    index_untold(ledger.conn, 99)
    doomed = ids_of(ledger, rooms[1])
    furnished = {
        table for table, rows in everything(ledger).items()
        if any(doomed & set(row) for row in rows)
    }  # fmt: skip
    assert furnished >= {
        "events", "turns", "turn_attempts", "delivery_cursors", "memory_records",
        "identity_records", "summaries", "supervision_pairs", "supervision_pair_turns",
        "supervision_steer_counts", "context_resets", "rooms", "lane_states", "completion_claims",
        "memory_policies", "context_usage", "agent_dated_memory_sources",
        "agent_dated_memory_rollups",
    }  # fmt: skip
    before = everything(ledger, "client_commands")
    schema = ledger.rows("SELECT * FROM sqlite_master ORDER BY name")
    done = pruned(ledger, "delete", rooms=[rooms[1]])
    after = everything(ledger, "client_commands")
    assert done.room_ids == (rooms[1],)
    assert not any(doomed & set(row) for rows in after.values() for row in rows)
    for table, rows in before.items():
        kept = [row for row in rows if not doomed & set(row)]
        if table == "memory_records":
            assert set(kept) < set(after[table])
            assert len(after[table]) == len(rows) - 2
        elif table == "identity_records":
            assert len(after[table]) == len(rows)
        elif table == "sqlite_sequence":
            assert after[table] == rows
        elif table == "search_docs":
            kinds = ("memory_records", "identity_records")
            records = {record[0] for kind in kinds for record in after[kind]}
            assert set(kept) < set(after[table])
            assert {row[2] for row in after[table] if row[1] in ("memory", "identity")} == records
        else:
            assert after[table] == kept, table
    assert ledger.row(
        "SELECT source_event_id FROM memory_records WHERE memory_id = ?", f"agent-{rooms[1]}"
    ) == (None,)
    assert ledger.rows("PRAGMA foreign_key_check") == []
    assert ledger.rows("PRAGMA integrity_check") == [("ok",)]
    master = [row[:3] + row[4:] for row in schema]
    assert [
        row[:3] + row[4:] for row in ledger.rows("SELECT * FROM sqlite_master ORDER BY name")
    ] == master


def test_the_counts_are_those_of_the_preview(ledger):
    furnish(ledger, active_room(ledger.conn))
    enter(ledger)
    ledger.completed()
    enter(ledger)
    found = idle_rooms(ledger.conn, now(ledger))
    told = preview(found, Artifacts())
    total = ledger.row("SELECT count(*) FROM events")[0]
    done = deleted(pruned(ledger, "delete"), Artifacts(), KeptBackup(path="b", bytes=1))
    assert (done.deleted, done.events, done.turns) == (told.deleted, told.events, told.turns)
    assert done.room_ids == told.room_ids
    assert total - ledger.row("SELECT count(*) FROM events")[0] == told.events
    assert len(list_rooms(ledger.conn, "all")) == 1


def test_archiving_counts_those_that_are_not_archived_yet(ledger):
    for _ in range(3):
        enter(ledger)
    ledger.conn.execute("UPDATE rooms SET archived_at = NULL WHERE room_id = 'room:main'")
    told = preview(idle_rooms(ledger.conn, now(ledger)), Artifacts())
    done = archived(pruned(ledger, "archive"))
    assert (told.archived, told.deleted) == (1, 3)
    assert (done.archived, done.room_ids) == (1, ("room:main",))
    assert pruned(ledger, "archive").room_ids == ()


def test_the_same_command_prunes_once(ledger):
    ledger.completed()
    enter(ledger)
    idle = now(ledger)
    first = pruned(ledger, "delete", idle, id="once")
    assert first.events > 0
    enter(ledger)
    assert pruned(ledger, "delete", idle, rooms=["room:other"], id="once") == first
    assert len(list_rooms(ledger.conn, "all")) == 2


def test_who_is_never_pruned(ledger):
    enter(ledger)
    enter(ledger)
    active = active_room(ledger.conn)
    newest = list_rooms(ledger.conn, "all")[1]
    idle = Idle(before=newest.last_activity_at)
    assert [room.room_id for room in idle_rooms(ledger.conn, idle)] == ["room:main"]
    assert pruned(ledger, "delete", idle, rooms=[active, newest.room_id]).room_ids == ()
    ledger.queued()
    ledger.conn.execute("UPDATE events SET room_id = 'room:main' WHERE room_id = ?", (active,))
    assert "room:main" not in {room.room_id for room in idle_rooms(ledger.conn, now(ledger))}
    assert pruned(ledger, "delete", rooms=["room:main", active]).room_ids == ()
    assert active_room(ledger.conn) == active


def test_agents_keep_their_sessions_when_the_room_that_reset_them_last_is_deleted(ledger):
    ledger.completed()
    key = ledger.key("context.reset")
    reset = ResetContext(key=key, by=USER_WEB, reset_native_sessions=True)
    ledger.write(reset_context, reset)
    enter(ledger)
    ledger.bindings[ledger.a] = ledger.open_session(ledger.a)
    ledger.completed()
    era, session = session_era(ledger.conn, None), last_session(ledger.conn, ledger.a)
    assert session is not None
    assert pruned(ledger, "delete").room_ids == ("room:main",)
    assert (session_era(ledger.conn, None), last_session(ledger.conn, ledger.a)) == (era, session)


def test_a_search_index_forgets_what_was_deleted(ledger):
    ledger.completed(response="secret plan")
    enter(ledger)
    kept = ledger.send(ledger.a, content="open plan").message_event_id
    pruned(ledger, "delete")
    found = "SELECT rowid FROM search_fts WHERE search_fts MATCH ?"
    assert ledger.rows(found, "secret") == []
    (doc,) = ledger.rows(found, "plan")
    assert ledger.row("SELECT ref_id FROM search_docs WHERE doc_id = ?", *doc) == (kept,)


def test_records_that_events_tell_of_wait_for_them_while_older_text_is_indexed(ledger):
    """A record's document has its event's place, whenever a room is deleted."""
    ledger.completed()
    enter(ledger)
    kept = ledger.write(remember_record, Notes(ledger).memory())
    ledger.conn.execute("INSERT INTO search_fts (search_fts) VALUES ('delete-all')")
    ledger.conn.execute("DELETE FROM search_docs")
    ledger.conn.execute("UPDATE search_state SET indexed_through_seq = 0")
    pruned(ledger, "delete")
    assert ledger.rows("SELECT doc_id FROM search_docs") == []
    while ledger.write(index_slice, None):
        pass
    ref = kept.record.memory_id
    told = "SELECT seq FROM events WHERE event_type = 'memory.remembered'"
    (seq,) = ledger.row(told)
    assert ledger.rows("SELECT doc_id, seq FROM search_docs WHERE ref_id = ?", ref) == [(seq, seq)]


@settings(max_examples=20, deadline=None)
@given(rooms=st.lists(st.integers(0, 2), min_size=1, max_size=4), chosen=st.sets(st.integers(0, 4)))
def test_any_choice_of_rooms_leaves_a_sound_ledger(rooms, chosen):
    ledger = Ledger()
    for messages in rooms:
        for _ in range(messages):
            ledger.completed()
        enter(ledger)
    before = list_rooms(ledger.conn, "all")
    wanted = [RoomId(room.room_id) for at, room in enumerate(before) if at in chosen]
    done = pruned(ledger, "delete", rooms=wanted)
    assert set(done.room_ids) == {room_id for room_id in wanted if room_id != before[0].room_id}
    left = list_rooms(ledger.conn, "all")
    assert left == tuple(room for room in before if room.room_id not in done.room_ids)
    assert ledger.rows("PRAGMA foreign_key_check") == []
