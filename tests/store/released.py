"""The frozen databases of every format, and what may be different once they are upgraded."""

import hashlib
import json
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from groupx.store.opening import open_ledger
from groupx.store.upgrade import PLAIN, Upgrade

FIXTURES = Path(__file__).parent / "fixtures"
EXPECTED: dict[str, Any] = json.loads((FIXTURES / "expected.json").read_text())
DATABASES: dict[str, Any] = EXPECTED["databases"]
NOW = "2026-11-30T12:00:00.000Z"
Row = dict[str, Any]
Snapshot = dict[str, list[Row]]


def copy_of(name: str, folder: Path) -> Path:
    """A copy of a frozen database, with its WAL, that may be opened and written."""
    folder.mkdir(exist_ok=True)
    for file in FIXTURES.glob(f"{name}.db*"):
        shutil.copyfile(file, folder / file.name)
        (folder / file.name).chmod(0o600)
    return folder / f"{name}.db"


def upgraded(path: Path, upgrade: Upgrade = PLAIN) -> sqlite3.Connection:
    """Through the real entry point."""
    return open_ledger(path, now_iso=NOW, database_id="database_new", upgrade=upgrade)


@contextmanager
def reading(path: Path) -> Iterator[sqlite3.Connection]:
    """A look at a database that nobody else has open; nothing is left of it."""
    uri = f"{path.as_uri()}?mode=ro"
    before = set(path.parent.iterdir())
    with closing(sqlite3.connect(uri, uri=True, isolation_level=None)) as conn:
        yield conn
    for sidecar in set(path.parent.glob(f"{path.name}-*")) - before:
        sidecar.unlink()


def snapshot(conn: sqlite3.Connection) -> Snapshot:
    """Every row of every table by its key, but for what belongs to a text index."""
    tables = conn.execute(
        "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT GLOB '*_fts*'"
    ).fetchall()
    return {name: _rows(conn, name) for (name,) in tables}


def _rows(conn: sqlite3.Connection, table: str) -> list[Row]:
    keys = "SELECT name FROM pragma_table_info(?) WHERE pk > 0 ORDER BY pk"
    order = ", ".join(name for (name,) in conn.execute(keys, (table,))) or "rowid"
    found = conn.execute(f"SELECT * FROM {table} ORDER BY {order}")
    names = [column[0] for column in found.description]
    return [dict(zip(names, row, strict=True)) for row in found]


def format_9_hash(table: str, rows: list[Row]) -> list[Any]:
    """[rows, sha256] as expected.json has them: only the columns of format 9, in its order."""
    columns = EXPECTED["columns_at_format_9"][table]
    lines = [
        json.dumps([row[name] for name in columns], ensure_ascii=True, separators=(",", ":"))
        for row in rows
    ]
    return [len(rows), hashlib.sha256("\n".join(lines).encode()).hexdigest()]


def back_filled(before: Snapshot, number: int) -> Snapshot:
    """What the rows of format `number` must be after the upgrade, by the written rules."""
    after = {
        table: [dict(row) for row in rows]
        for table, rows in before.items()
        if table != "approval_requests"
    }
    people = {row["actor_id"] for row in after["actors"] if row["kind"] != "agent"}
    if number < 2:
        for row in after["turn_attempts"]:
            row.update(_phase(row))
    if number < 4:
        for table in ("agent_instances", "session_bindings"):
            for row in after[table]:
                row["transport"] = None if row["actor_id"] in people else "structured"
        _add(after["turns"], transport="structured")
    if number < 5:
        _add(after["turn_attempts"], summary_through_seq=None)
        _keep_one_summary(after["summaries"])
    if number < 6:
        for row in after["memory_records"]:
            row["agent_memory_type"] = "core" if row["scope_type"] == "agent" else None
    if number < 9:
        after["actors"].append(
            {
                "actor_id": "user:assistant", "kind": "user", "display_name": "Assistant",
                "enabled": 1, "created_at": NOW, "updated_at": NOW,
            }
        )  # fmt: skip
        after["actors"].sort(key=lambda row: row["actor_id"])
    for row in after["events"]:
        row["root_correlation_id"] = row["correlation_id"]
    _add(after["events"], parent_turn_id=None, hop_count=None, forwarded_event_id=None)
    _add(after["turns"], trigger_kind="legacy", caused_by_turn_id=None)
    _add(after["turn_attempts"], reconciliation="none", packet_json=None)
    _add(after.get("agent_dated_memory_sources", []), skipped_reason=None)
    return after


def _add(rows: list[Row], **columns: Any) -> None:
    for row in rows:
        row.update(columns)


def _phase(attempt: Row) -> Row:
    certainty = attempt["delivery_certainty"]
    known = "unknown" if certainty == "terminal" else certainty
    if attempt["terminal_at"] is not None:
        return {
            "dispatch_phase": "terminal",
            "delivery_certainty": known,
            "prompt_invoked_at": None,
        }
    if attempt["started_at"] is not None or certainty == "delivered":
        return {
            "dispatch_phase": "native_started",
            "delivery_certainty": "delivered" if certainty == "delivered" else "unknown",
            "prompt_invoked_at": None,
        }
    return {
        "dispatch_phase": "prompt_invoked",
        "delivery_certainty": "unknown",
        "prompt_invoked_at": attempt["claimed_at"],
    }


def _keep_one_summary(summaries: list[Row]) -> None:
    best: dict[str, Row] = {}
    active = [row for row in summaries if row["status"] == "active"]
    for row in sorted(
        active, key=lambda row: (row["through_seq"], row["created_at"], row["summary_id"])
    ):
        best[row["room_id"]] = row
    for row in active:
        if row is not best[row["room_id"]]:
            row["status"] = "superseded"
