"""The chain: fresh databases, the shape of format 9, and the back-fills of each step."""

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from groupx.store.connection import open_connection
from groupx.store.formats.chain import CURRENT, STEPS, create_current, run_step
from groupx.store.markers import read_format
from groupx.store.structure import describe, differences, reference

DATA = Path(__file__).parent / "data"
VALUES = {"now": "2026-03-01T00:00:00.000Z", "database_id": "database_1"}


@pytest.fixture
def conn() -> Iterator[sqlite3.Connection]:
    connection = open_connection(":memory:")
    yield connection
    connection.close()


def at_format(conn: sqlite3.Connection, number: int) -> sqlite3.Connection:
    for step in STEPS[:number]:
        run_step(conn, step, VALUES)
    return conn


def upgrade(conn: sqlite3.Connection, number: int) -> None:
    run_step(conn, STEPS[number - 1], VALUES)


def column(conn: sqlite3.Connection, sql: str) -> list[object]:
    return [row[0] if len(row) == 1 else row for row in conn.execute(sql)]


def event(conn: sqlite3.Connection, event_id: str, room: str = "room:main", at: str = "t") -> None:
    conn.execute(
        "INSERT INTO events (event_id, schema_version, room_id, event_type, actor_id, actor_kind,"
        " actor_display_name, targets_json, correlation_id, occurred_at, body_json)"
        " VALUES (?, 's', ?, 'message.created', 'user:web', 'user', 'You', '[]', ?, ?, '{}')",
        (event_id, room, f"corr:{event_id}", at),
    )


def turn(conn: sqlite3.Connection, turn_id: str, status: str = "running") -> None:
    event(conn, f"source:{turn_id}")
    event(conn, f"queued:{turn_id}")
    conn.execute(
        "INSERT INTO turns (turn_id, source_event_id, target_actor_id, adapter_id,"
        " root_correlation_id, hop_count, queued_event_id, enqueue_seq, status, queued_at)"
        " VALUES (?, ?, 'agent:kimi', 'kimi', 'c', 0, ?, 1, ?, 'q')",
        (turn_id, f"source:{turn_id}", f"queued:{turn_id}", status),
    )


def binding(conn: sqlite3.Connection, name: str, actor: str) -> None:
    conn.execute(
        "INSERT INTO agent_instances (instance_id, actor_id, adapter_id, process_started_at,"
        " status) VALUES (?, ?, 'x', 't', 'ready')",
        (f"instance:{name}", actor),
    )
    conn.execute(
        "INSERT INTO session_bindings (binding_id, instance_id, actor_id, protocol, status,"
        " capabilities_json, created_at) VALUES (?, ?, ?, 'p', 'ready', '{}', 't')",
        (f"binding:{name}", f"instance:{name}", actor),
    )


def attempt(
    conn: sqlite3.Connection, name: str, certainty: str, *, started: bool, ended: bool
) -> None:
    turn(conn, name)
    conn.execute(
        "INSERT INTO turn_attempts (attempt_id, turn_id, binding_id, instance_id,"
        " context_through_seq, claimed_at, started_at, terminal_at, delivery_certainty)"
        " VALUES (?, ?, 'binding:kimi', 'instance:kimi', 1, 'claimed', ?, ?, ?)",
        (name, name, "started" if started else None, "ended" if ended else None, certainty),
    )


def memory(conn: sqlite3.Connection, memory_id: str, scope: str, scope_id: str) -> None:
    conn.execute(
        "INSERT INTO memory_records (memory_id, scope_type, scope_id, kind, author_actor_id,"
        " content, source_kind, status, created_at)"
        " VALUES (?, ?, ?, 'note', 'user:web', 'text', 'web', 'active', 't')",
        (memory_id, scope, scope_id),
    )


def summary(conn: sqlite3.Connection, summary_id: str, room: str, through: int, at: str) -> None:
    conn.execute(
        "INSERT INTO summaries VALUES (?, ?, 0, ?, 'text', 'system:groupx', 'active', ?)",
        (summary_id, room, through, at),
    )


def test_the_steps_are_numbered_without_a_gap() -> None:
    assert [step.number for step in STEPS] == list(range(1, CURRENT + 1))


def test_nine_steps_make_the_structure_of_a_released_format_9(conn: sqlite3.Connection) -> None:
    released = sqlite3.connect(":memory:")
    released.executescript((DATA / "format-9.schema.sql").read_text())
    assert differences(describe(at_format(conn, 9)), describe(released)) == ()
    released.close()


def test_a_new_database_has_every_marker_and_the_first_room(conn: sqlite3.Connection) -> None:
    create_current(conn, now_iso=VALUES["now"], database_id="database_1")
    assert not conn.in_transaction
    assert read_format(conn) == CURRENT
    assert column(conn, "SELECT format FROM groupx_schema") == [CURRENT]
    assert column(conn, "SELECT database_id FROM groupx_instance") == ["database_1"]
    assert column(conn, "SELECT version FROM schema_migrations") == list(range(1, CURRENT + 1))
    assert column(conn, "SELECT room_id, active FROM rooms") == [("room:main", 1)]
    assert column(conn, "SELECT indexed_through_seq FROM search_state") == [0]
    assert set(column(conn, "SELECT actor_id FROM actors")) == {
        "user:web", "user:assistant", "agent:codex", "agent:grok", "agent:kimi", "system:groupx",
    }  # fmt: skip
    assert describe(conn) == reference(CURRENT)
    assert column(conn, "PRAGMA integrity_check") == ["ok"]


def test_creating_is_all_or_nothing(conn: sqlite3.Connection) -> None:
    conn.execute("CREATE TABLE context_usage (planted)")
    with pytest.raises(sqlite3.OperationalError, match="context_usage already exists"):
        create_current(conn, now_iso="t", database_id="d")
    assert not conn.in_transaction
    assert column(conn, "SELECT name FROM sqlite_schema") == ["context_usage"]
    assert column(conn, "PRAGMA user_version") == [0]


@pytest.mark.parametrize(
    ("certainty", "started", "ended", "becomes"),
    [
        ("delivered", True, False, ("native_started", "delivered", None)),
        ("unknown", True, False, ("native_started", "unknown", None)),
        ("not_delivered", True, False, ("native_started", "unknown", None)),
        ("delivered", False, False, ("native_started", "delivered", None)),
        ("not_delivered", False, False, ("prompt_invoked", "unknown", "claimed")),
        ("unknown", False, False, ("prompt_invoked", "unknown", "claimed")),
        ("terminal", False, False, ("prompt_invoked", "unknown", "claimed")),
        ("not_delivered", False, True, ("terminal", "not_delivered", None)),
        ("delivered", True, True, ("terminal", "delivered", None)),
        ("terminal", True, True, ("terminal", "unknown", None)),
    ],
)
def test_step_2_says_of_each_attempt_how_far_it_got(
    conn: sqlite3.Connection, certainty: str, started: bool, ended: bool, becomes: object
) -> None:
    at_format(conn, 1)
    binding(conn, "kimi", "agent:kimi")
    attempt(conn, "a", certainty, started=started, ended=ended)
    upgrade(conn, 2)
    found = "SELECT dispatch_phase, delivery_certainty, prompt_invoked_at FROM turn_attempts"
    assert column(conn, found) == [becomes]


def test_step_2_allows_one_open_attempt_a_turn(conn: sqlite3.Connection) -> None:
    at_format(conn, 2)
    binding(conn, "kimi", "agent:kimi")
    attempt(conn, "a", "unknown", started=True, ended=False)
    again = (
        "INSERT INTO turn_attempts (attempt_id, turn_id, binding_id, instance_id,"
        " context_through_seq, claimed_at, delivery_certainty)"
        " VALUES ('b', 'a', 'binding:kimi', 'instance:kimi', 1, 't', 'unknown')"
    )
    with pytest.raises(sqlite3.IntegrityError):
        conn.execute(again)
    conn.execute("UPDATE turn_attempts SET terminal_at = 't'")
    conn.execute(again)


def test_step_3_drops_an_approval_table_of_any_shape(conn: sqlite3.Connection) -> None:
    at_format(conn, 2)
    conn.execute("CREATE TABLE approval_requests (anything)")
    upgrade(conn, 3)
    assert describe(conn) == reference(3)


def test_step_4_gives_agents_a_transport_and_people_none(conn: sqlite3.Connection) -> None:
    at_format(conn, 3)
    binding(conn, "kimi", "agent:kimi")
    binding(conn, "web", "user:web")
    turn(conn, "a")
    upgrade(conn, 4)
    for table in ("agent_instances", "session_bindings"):
        found = column(conn, f"SELECT actor_id, transport FROM {table} ORDER BY actor_id")
        assert found == [("agent:kimi", "structured"), ("user:web", None)]
    assert column(conn, "SELECT transport FROM turns") == ["structured"]


def test_step_5_keeps_one_active_summary_a_room(conn: sqlite3.Connection) -> None:
    at_format(conn, 4)
    for summary_id, room, through, at in (
        ("short", "room:main", 5, "t9"),
        ("early", "room:main", 9, "t1"),
        ("late", "room:main", 9, "t2"),
        ("x1", "room:side", 4, "t"),
        ("x2", "room:side", 4, "t"),
    ):
        summary(conn, summary_id, room, through, at)
    upgrade(conn, 5)
    kept = "SELECT summary_id FROM summaries WHERE status = 'active' ORDER BY 1"
    assert column(conn, kept) == ["late", "x2"]
    assert column(conn, "SELECT DISTINCT status FROM summaries ORDER BY 1") == [
        "active",
        "superseded",
    ]


def test_step_6_makes_memories_of_agents_core(conn: sqlite3.Connection) -> None:
    at_format(conn, 5)
    memory(conn, "m1", "agent", "agent:kimi")
    memory(conn, "m2", "room", "room:main")
    upgrade(conn, 6)
    found = "SELECT memory_id, agent_memory_type FROM memory_records ORDER BY 1"
    assert column(conn, found) == [("m1", "core"), ("m2", None)]
    with pytest.raises(sqlite3.IntegrityError, match="must match agent scope"):
        memory(conn, "m3", "agent", "agent:kimi")
    with pytest.raises(sqlite3.IntegrityError, match="must match agent scope"):
        conn.execute("UPDATE memory_records SET agent_memory_type = 'core'")


def test_step_9_leaves_an_assistant_that_is_there(conn: sqlite3.Connection) -> None:
    at_format(conn, 8)
    conn.execute("INSERT INTO actors VALUES ('user:assistant', 'user', '助理', 1, 't', 't')")
    upgrade(conn, 9)
    named = "SELECT display_name FROM actors WHERE actor_id = 'user:assistant'"
    assert column(conn, named) == ["助理"]


def test_step_10_finds_the_rooms_and_the_roots(conn: sqlite3.Connection) -> None:
    at_format(conn, 9)
    event(conn, "e1", "room:old", at="2025-01-01")
    event(conn, "e2", "room:old", at="2025-01-02")
    memory(conn, "m1", "room", "room:quiet")
    turn(conn, "a")
    upgrade(conn, 10)
    rooms = "SELECT room_id, title, active, created_at, archived_at FROM rooms ORDER BY room_id"
    assert column(conn, rooms) == [
        ("room:main", "room:main", 1, "t", None),
        ("room:old", "room:old", 0, "2025-01-01", None),
        ("room:quiet", "room:quiet", 0, VALUES["now"], None),
    ]
    roots = "SELECT count(*) FROM events WHERE root_correlation_id IS NOT correlation_id"
    assert column(conn, roots) == [0]
    assert column(conn, "SELECT trigger_kind FROM turns") == ["legacy"]
    assert describe(conn) == reference(10)


@pytest.fixture
def ledger(conn: sqlite3.Connection) -> sqlite3.Connection:
    create_current(conn, now_iso=VALUES["now"], database_id="database_1")
    return conn


def test_one_room_is_active(ledger: sqlite3.Connection) -> None:
    with pytest.raises(sqlite3.IntegrityError):
        ledger.execute("INSERT INTO rooms VALUES ('room:2', 't', 1, 't', NULL)")


def test_an_idempotency_key_is_taken_across_event_types(ledger: sqlite3.Connection) -> None:
    event(ledger, "e1")
    event(ledger, "e2")
    ledger.execute("UPDATE events SET idempotency_key = 'k', event_type = event_id WHERE seq = 1")
    with pytest.raises(sqlite3.IntegrityError, match=r"events\.idempotency_key"):
        ledger.execute("UPDATE events SET idempotency_key = 'k' WHERE event_id = 'e2'")


@pytest.mark.parametrize("table", ["agent_instances", "session_bindings"])
def test_an_agent_always_has_a_transport(ledger: sqlite3.Connection, table: str) -> None:
    binding(ledger, "web", "user:web")
    with pytest.raises(sqlite3.IntegrityError, match="always has a transport"):
        binding(ledger, "kimi", "agent:kimi")
    with pytest.raises(sqlite3.IntegrityError, match="always has a transport"):
        ledger.execute(f"UPDATE {table} SET actor_id = 'agent:kimi'")


@pytest.mark.parametrize(
    ("status", "certainty", "started", "state"),
    [
        ("queued", None, None, "recorded"),
        ("dispatching", "unknown", None, "recorded"),
        ("running", "unknown", "t", "recorded"),
        ("running", "delivered", "t", "applied"),
        ("completed", "delivered", "t", "completed"),
        ("failed", "delivered", "t", "failed"),
        ("interrupted", "unknown", None, "failed"),
        ("cancelled", "not_delivered", None, "cancelled"),
    ],
)
def test_a_receipt_is_applied_only_with_proof(
    conn: sqlite3.Connection, status: str, certainty: str | None, started: str | None, state: str
) -> None:
    at_format(conn, 3)
    binding(conn, "kimi", "agent:kimi")
    if certainty is None:
        turn(conn, "a")
    else:
        attempt(conn, "a", certainty, started=started is not None, ended=False)
    conn.execute("UPDATE turns SET status = ?, terminal_at = 'end'", (status,))
    for number in range(4, CURRENT + 1):
        upgrade(conn, number)
    found = "SELECT state, applied_at IS NOT NULL, completed_at FROM input_receipts"
    applied = certainty == "delivered" and started is not None
    assert column(conn, found) == [(state, applied, "end" if status == "completed" else None)]


@pytest.mark.parametrize(
    ("sql", "index"),
    [
        (
            "SELECT * FROM turns WHERE target_actor_id = ? AND status IN"
            " ('queued', 'dispatching', 'running', 'cancelling') ORDER BY enqueue_seq",
            "turns_open_target_idx",
        ),
        (
            "SELECT count(*) FROM turns WHERE root_correlation_id = ? AND target_actor_id = 'a'",
            "turns_root_target_idx",
        ),
        (
            "SELECT 1 FROM events WHERE room_id = ? AND idempotency_key = 'k'",
            "events_room_idempotency_unique",
        ),
    ],
)
def test_the_hot_questions_are_answered_by_an_index(
    ledger: sqlite3.Connection, sql: str, index: str
) -> None:
    (plan,) = [row[3] for row in ledger.execute(f"EXPLAIN QUERY PLAN {sql}", ("x",))]
    assert index in plan
    assert plan.startswith("SEARCH")
