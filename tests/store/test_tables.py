"""Every table and view of the current format: who writes or reads it."""

import re
from pathlib import Path

import pytest

import groupx.store

STORE = Path(groupx.store.__file__).parent

WRITTEN_BY = {
    "actors": "transactions/bindings.py",
    "agent_dated_memory_rollups": "dated_sources.py",
    "agent_dated_memory_sources": "dated_sources.py",
    "agent_instances": "transactions/bindings.py",
    "assistant_conversation_messages": "side_rows.py",
    "client_commands": "command_rows.py",
    "completion_claims": "claim_rows.py",
    "context_resets": "transactions/context_reset.py",
    "context_usage": "usage_rows.py",
    "delivery_cursors": "ending.py",
    "events": "transaction.py",
    "groupx_instance": "formats/step_10.py",
    "groupx_schema": "formats/chain.py",
    "identity_records": "record_rows.py",
    "lane_states": "transactions/lane.py",
    "memory_policies": "transactions/memory_policy.py",
    "memory_records": "record_rows.py",
    "rooms": "transactions/rooms.py",
    "schema_migrations": "formats/chain.py",
    "search_docs": "search_rows.py",
    "search_fts": "search_rows.py",
    "search_state": "formats/step_10.py",
    "session_bindings": "transactions/bindings.py",
    "summaries": "summary_rows.py",
    "supervision_pair_turns": "supervision_rows.py",
    "supervision_pairs": "supervision_rows.py",
    "supervision_steer_counts": "supervision_rows.py",
    "turn_attempts": "transactions/claim.py",
    "turns": "enqueue.py",
}
"""Table → the module that inserts its rows while GroupX runs, or once and for all."""

VIEWS = {"input_receipts": "queries/receipts.py"}
"""View → the query that reads it."""

NOT_OURS = re.compile(r"sqlite_|search_fts_")


def inserts(table: str, text: str) -> bool:
    command = rf"(?! \({table}\))"  # to a full-text index: it adds no row
    return re.search(rf"INSERT (OR \w+ )?INTO {table}\b{command}", text) is not None


def test_no_table_is_forgotten(ledger):
    found = {
        kind: {
            name
            for (name,) in ledger.rows("SELECT name FROM sqlite_schema WHERE type = ?", kind)
            if not NOT_OURS.match(name)
        }
        for kind in ("table", "view")
    }
    assert found["table"] == WRITTEN_BY.keys()
    assert found["view"] == VIEWS.keys()


@pytest.mark.parametrize("table", sorted(WRITTEN_BY))
def test_the_named_module_writes_it(table):
    assert inserts(table, (STORE / WRITTEN_BY[table]).read_text())


@pytest.mark.parametrize("view", sorted(VIEWS))
def test_the_named_query_reads_it(view):
    assert f"FROM {view}" in (STORE / VIEWS[view]).read_text()
