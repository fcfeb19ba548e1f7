"""A pair with everything that can be written of it comes along, and means the same after."""

import sqlite3

import pytest

from groupx.domain.errors import RecordedRefusal
from groupx.domain.limits import Limits
from groupx.domain.outcomes import Cause
from groupx.domain.watching import ObserveCommand, WatchQuery
from groupx.store.queries.watch import watch_state
from groupx.store.supervision_rows import members
from groupx.store.transactions.observe import observe
from tests.store.exchange.conftest import export, export_file
from tests.store.pairs import Pair


def test_a_pair_is_exported_and_imported_whole(ledger, bring, tmp_path):
    pair = Pair(ledger)
    pair.steer()
    query = WatchQuery(watch_turn_id=pair.watch, actor_id=ledger.b, subject_turn_id=pair.subject)
    command = ObserveCommand(
        key=ledger.key("mcp.watch", binding=ledger.bindings[ledger.b]), actor_id=ledger.b,
        watch_turn_id=pair.watch, until="terminal", timed_out=False,
        snapshot=watch_state(ledger.conn, query).snapshot,
    )  # fmt: skip
    ledger.write(observe, command)
    named = {"subject_turn_id": pair.subject, "limits": Limits(steers_per_subject_turn=1)}
    with pytest.raises(RecordedRefusal):
        pair.steer("interrupt", **named)
    pair.steer("interrupt", subject_turn_id=pair.subject)
    pair.end(pair.subject, Cause.CANCELLED)
    pair.end(pair.watch, response="I watched")
    data = export(ledger.conn)
    for kind in (b"supervision.paired", b"supervision.observed", b"supervision.steered"):
        assert kind in data
    bring(data)
    assert export_file(tmp_path / "new.db") == data
    with sqlite3.connect(tmp_path / "new.db") as found:
        workers = members(found, pair.pair_id, "worker")
    found.close()
    assert workers == members(ledger.conn, pair.pair_id, "worker")
    assert len(workers) == 3
