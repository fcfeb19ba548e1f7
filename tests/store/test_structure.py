"""The comparer notices what matters and ignores how it is written."""

import sqlite3
from collections.abc import Iterator

import pytest

from groupx.store.formats.chain import CURRENT, create_current
from groupx.store.structure import describe, differences, reference


@pytest.fixture
def conn() -> Iterator[sqlite3.Connection]:
    connection = sqlite3.connect(":memory:", isolation_level=None)
    create_current(connection, now_iso="t", database_id="d")
    yield connection
    connection.close()


def rewrite(conn: sqlite3.Connection, name: str, old: str, new: str) -> None:
    """Edit a stored definition, as somebody with an editor and too much courage would."""
    (sql,) = conn.execute("SELECT sql FROM sqlite_schema WHERE name = ?", (name,)).fetchone()
    assert old in sql
    conn.execute("PRAGMA writable_schema = ON")
    conn.execute(
        "UPDATE sqlite_schema SET sql = ? WHERE name = ?", (sql.replace(old, new, 1), name)
    )
    conn.execute("PRAGMA writable_schema = RESET")


def found(conn: sqlite3.Connection) -> tuple[str, ...]:
    return differences(describe(conn), reference(CURRENT))


def test_a_whole_database_has_no_differences(conn: sqlite3.Connection) -> None:
    conn.execute("ANALYZE")
    assert found(conn) == ()


@pytest.mark.parametrize(
    ("damage", "noticed"),
    [
        ("DROP INDEX turns_root_target_idx", "missing index turns_root_target_idx"),
        ("DROP TRIGGER memory_records_agent_type_bi", "missing trigger memory_records_agent_type"),
        ("DROP VIEW input_receipts", "missing view input_receipts"),
        ("DROP TABLE search_fts", "missing table search_fts"),
        ("ALTER TABLE turns DROP COLUMN partial_text", "missing column turns: partial_text TEXT"),
        ("CREATE TABLE notes (a)", "unexpected table notes"),
        ("CREATE INDEX mine ON turns(status)", "unexpected index mine: on turns (status)"),
        ("CREATE VIEW mine AS SELECT 1", "unexpected view mine: create view mine as select 1"),
        ("ALTER TABLE turns ADD COLUMN mine", "unexpected column turns: mine"),
    ],
)
def test_damage_is_noticed(conn: sqlite3.Connection, damage: str, noticed: str) -> None:
    conn.execute(damage)
    assert any(line.startswith(noticed) for line in found(conn)), found(conn)


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("turns", "hop_count >= 0", "hop_count >= -1"),
        ("turns", "'cancelling',", "'cancelling', 'lost',"),
        ("turns", "adapter_id TEXT NOT NULL", "adapter_id TEXT"),
        ("turns", "DEFAULT 'legacy'", "DEFAULT 'user'"),
        ("turns", "target_actor_id TEXT NOT NULL REFERENCES actors(actor_id)",
         "target_actor_id TEXT NOT NULL"),
        ("events", "AUTOINCREMENT", ""),
        ("rooms", "title TEXT", "title TEXT COLLATE NOCASE"),
        ("turns_open_target_idx", "'running'", "'completed'"),
        ("rooms_one_active_idx", "UNIQUE", ""),
        ("identity_author_idx", "(author_actor_id)", "(author_actor_id DESC)"),
        ("agent_instances_transport_bi", "IS NULL", "IS NOT NULL"),
        ("input_receipts", "'applied'", "'done'"),
    ],
)  # fmt: skip
def test_a_weakened_definition_is_noticed(
    conn: sqlite3.Connection, name: str, old: str, new: str
) -> None:
    rewrite(conn, name, old, new)
    assert found(conn) != ()


def test_spelling_and_column_order_are_ignored(conn: sqlite3.Connection) -> None:
    conn.execute("DROP TABLE lane_states")
    conn.execute(
        'create table if not exists "lane_states" (updated_at text not null, /* moved */'
        " [actor_id] text NOT NULL references actors (actor_id), revision integer not null"
        " check(`revision`>=1), reason TEXT, state TEXT NOT NULL CHECK (state IN"
        " ('runnable','paused')), room_id TEXT NOT NULL REFERENCES rooms(room_id),"
        " primary key(room_id,actor_id))"
    )
    conn.execute("DROP INDEX rooms_one_active_idx")
    conn.execute('create unique index rooms_one_active_idx on "rooms" ("active") where active=1')
    assert found(conn) == ()
