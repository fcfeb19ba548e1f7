"""Ledgers that hold something of everything, and short ways to export and import them."""

import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from groupx.domain.envelope import EventDraft
from groupx.domain.ids import USER_WEB, RoomId
from groupx.domain.ledger import ToolRecord
from groupx.domain.outcomes import Cause
from groupx.store.exchange.importing import Imported, import_file
from groupx.store.exchange.jsonl import jsonl_export
from groupx.store.exchange.reading import run

NOW = "2026-03-01T00:00:00.000Z"
HARD = 'NUL \0, quotes "\\", tab\t, line\nfeed, 周三 🗑️, </script>, \u2028 and \ufffd'

ROWS = """
INSERT INTO rooms VALUES
  ('room:old', 'Old', 0, '2026-01-01T00:00:00.000Z', '2026-01-02T00:00:00.000Z');
INSERT INTO memory_records (memory_id, scope_type, scope_id, kind, author_actor_id, content,
  source_kind, status, created_at, agent_memory_type)
  VALUES ('mem_1', 'agent', 'agent:a', 'note', 'user:web', 'one', 'web', 'superseded',
    '2026-01-01T00:00:00Z', 'core');
INSERT INTO memory_records (memory_id, scope_type, scope_id, kind, author_actor_id, content,
  source_event_id, source_kind, status, supersedes_memory_id, created_at, agent_memory_type)
  VALUES ('mem_2', 'agent', 'agent:a', 'note', 'user:web', 'two',
    (SELECT event_id FROM events WHERE seq = 1), 'web', 'active', 'mem_1',
    '2026-01-01T00:00:00Z', 'core');
INSERT INTO identity_records (identity_id, subject_actor_id, author_actor_id, kind, content,
  source_kind, status, created_at, retracted_at)
  VALUES ('identity_1', 'agent:a', 'user:web', 'note', 'calm', 'web', 'retracted',
    '2026-01-01T00:00:00Z', '2026-01-02T00:00:00Z');
INSERT INTO summaries VALUES
  ('summary_1', 'room:main', 1, 3, 'so far', 'agent:a', 'active', '2026-01-01T00:00:00Z');
INSERT INTO memory_policies VALUES
  ('room:main', 'agent:a', 0, 'disabled', NULL, 'user', 3, '2026-01-01T00:00:00Z');
INSERT INTO context_resets VALUES ('reset_1', 'room:main', 2, 1, '2026-01-01T00:00:00Z');
INSERT INTO supervision_pairs VALUES ('pair_1', 'room:main', 'corr_1',
  (SELECT event_id FROM events WHERE seq = 1), (SELECT event_id FROM events WHERE seq = 2),
  (SELECT event_id FROM events WHERE seq = 3), 'live_steer', '2026-01-01T00:00:00Z');
INSERT INTO supervision_pair_turns
  SELECT turn_id, 'pair_1', 'worker', 'agent:a', queued_at FROM turns ORDER BY rowid LIMIT 1;
"""


def export(conn: sqlite3.Connection) -> bytes:
    return b"".join(run(jsonl_export(), conn))


def export_file(path: Path) -> bytes:
    conn = sqlite3.connect(path)
    try:
        return export(conn)
    finally:
        conn.close()


@pytest.fixture
def full(ledger: Any) -> Any:
    """Ended, running and waiting turns, tools, every kind of record, two rooms."""
    tools = tuple(
        ToolRecord(native_type=kind, tool_call_id="t1", details={"name": "sh", "text": HARD})
        for kind in ("tool.started", "tool.completed")
    )
    turn_id, attempt_id = ledger.running(content=HARD)
    ledger.end(
        turn_id, attempt_id, Cause.COMPLETED, response=HARD, tools=tools, reasoning="I think"
    )
    turn_id, attempt_id = ledger.running(ledger.b)
    ledger.end(turn_id, attempt_id, Cause.NATIVE_FAILED, message="it broke", partial_text="so f")
    ledger.running()
    ledger.queued()
    ledger.queued(ledger.c)
    for statement in ROWS.split(";\n"):
        ledger.conn.execute(statement)
    ledger.write(
        lambda tx, room: tx.emit(
            EventDraft(
                type="message.created",
                room_id=RoomId(room),
                actor_id=USER_WEB,
                correlation_id="corr_old",
                body={"content": "long ago"},
            )
        ),
        "room:old",
    )
    return ledger


@pytest.fixture
def bring(tmp_path: Path) -> Callable[..., Imported]:
    """Import bytes into a database of that name in the test's folder."""

    def bring(data: bytes, name: str = "new.db") -> Imported:
        source = tmp_path / "given.jsonl"
        source.write_bytes(data)
        try:
            return import_file(source, tmp_path / name, now_iso=NOW)
        finally:
            source.unlink()

    return bring
