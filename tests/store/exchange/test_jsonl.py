"""The export that can be imported: what is in it, what is not, and as of when."""

import json
import re
import sqlite3
from typing import Any

import pytest

from groupx.domain.errors import GroupXError
from groupx.domain.ledger import StartedCommand
from groupx.domain.outcomes import Cause
from groupx.store.exchange import reading
from groupx.store.exchange.jsonl import jsonl_export
from groupx.store.exchange.reading import Ask, RowsQuery, read_rows, run
from groupx.store.exchange.sections import SECTIONS
from groupx.store.formats.chain import create_current
from groupx.store.transactions.started import started
from tests.store.exchange.conftest import export


def lines(data: bytes, kind: str | None = None) -> list[dict[str, Any]]:
    found = [json.loads(line) for line in data.splitlines()]
    return [line for line in found if kind in {None, line["line"]}]


def test_it_begins_with_what_it_is_and_ends_with_how_much(full):
    data = export(full.conn)
    first, *_, last = lines(data)
    assert first == {
        "line": "header",
        "schema": "groupx.export/1",
        "format": 10,
        "databaseId": "database_00000000000000000000000000000001",
        "asOfSeq": full.row("SELECT max(seq) FROM events")[0],
        "activeRoom": "room:main",
    }
    assert last == {
        "line": "end",
        "lines": {section.line: len(lines(data, section.line)) for section in SECTIONS},
    }
    assert all(last["lines"].values()), "the test's ledger holds something of everything"


def test_events_are_in_the_order_of_seq_and_as_everyone_got_them(full):
    events = lines(export(full.conn), "event")
    assert [event["seq"] for event in events] == sorted(event["seq"] for event in events)
    sent = {frame.seq: json.loads(frame.data) for frame in full.frames}
    for event in events:
        assert {**event, "durability": "durable"} == {**sent[event["seq"]], "line": "event"}


def test_nothing_private_is_in_it(full):
    full.write(
        started,
        StartedCommand(
            attempt_id=full.row("SELECT attempt_id FROM turn_attempts WHERE terminal_at IS NULL")[
                0
            ],
            native_turn_id="native-secret",
        ),
    )
    full.conn.execute(
        "UPDATE events SET body_json = json_set(body_json, '$.nativeTurnId', 'native-secret',"
        " '$.bindingId', 'binding-secret'), provenance_json = "
        "json_set(coalesce(provenance_json, '{}'), '$.nativeSessionId', 'native-secret')"
    )
    data = export(full.conn)
    for private in (b"native-", b"secret", b"binding", b"client_command", b"clientCommand"):
        assert private not in data
    for public in (b"turn.reasoning.recorded", b"I think", b"tool.progress.recorded", b"so f"):
        assert public in data


def test_the_same_ledger_gives_the_same_bytes(full):
    assert export(full.conn) == export(full.conn)


def test_old_spellings_of_json_become_one_line(ledger):
    ledger.queued()
    body = '{ "content" :\n "a\\ud800b" ,\n "n": 1.50 }'
    ledger.conn.execute("UPDATE events SET body_json = ? WHERE seq = 1", (body,))
    (first, *_) = lines(export(ledger.conn), "event")
    assert first["body"] == {"content": "a\ufffdb", "n": 1.5}


def test_what_happens_while_it_is_written_is_not_in_it(full):
    """Driven by hand: between any two reads the room goes on."""
    before = export(full.conn)
    whole = b""
    running = full.row("SELECT turn_id FROM turns WHERE status = 'running'")[0]
    attempt = full.row("SELECT attempt_id FROM turn_attempts WHERE terminal_at IS NULL")[0]
    moves = iter(
        [
            lambda: full.end(running, attempt, Cause.COMPLETED, response="later"),
            lambda: full.queued(full.b),
            lambda: full.cancel(full.row("SELECT turn_id FROM turns WHERE status = 'queued'")[0]),
            lambda: full.open_session(full.b),
        ]
    )
    said: Any = None
    answer = None
    exporting = jsonl_export()
    while True:
        try:
            said = exporting.send(answer)
        except StopIteration:
            break
        answer = None
        if isinstance(said, Ask):
            answer = said.run(full.conn, said.query)
            next(moves, lambda: None)()
        else:
            whole += said
    assert whole == before
    assert export(full.conn) != before


def test_a_room_that_goes_away_meanwhile_is_said(full):
    exporting = run(jsonl_export(), full.conn)
    assert next(exporting).startswith(b'{"line":"header"')
    assert next(exporting).startswith(b'{"line":"room"')
    full.conn.execute("PRAGMA foreign_keys = OFF")
    full.conn.execute("DELETE FROM rooms WHERE room_id = 'room:old'")
    with pytest.raises(GroupXError, match="deleted") as caught:
        list(exporting)
    assert caught.value.code == "STORE_CONFLICT"


def test_pages_are_bounded_by_rows_and_by_size(ledger, monkeypatch):
    for _ in range(3):
        ledger.queued(content="x" * 1000)
    query = RowsQuery(
        sql="SELECT seq, body_json FROM events WHERE seq > ? AND seq <= ? ORDER BY seq LIMIT ?",
        after=0,
        through=99,
    )
    assert len(read_rows(ledger.conn, query)) == 6
    monkeypatch.setattr(reading, "MAX_PAGE_EVENTS", 4)
    assert len(read_rows(ledger.conn, query)) == 4
    monkeypatch.setattr(reading, "MAX_PAGE_BYTES", 100)
    assert len(read_rows(ledger.conn, query)) == 1
    whole = export(ledger.conn)
    monkeypatch.undo()
    assert whole == export(ledger.conn)


def test_every_column_of_an_exported_table_is_exported_or_left_out_on_purpose():
    conn = sqlite3.connect(":memory:")
    create_current(conn, now_iso="", database_id="x")
    left_out = {
        "rooms": {"active"},  # the header's activeRoom
        "turns": {"binding_id", "native_turn_id"},
        "turn_attempts": {"binding_id", "native_turn_id"},
    }
    for section in SECTIONS:
        columns = {row[1] for row in conn.execute(f"PRAGMA table_info({section.table})")}
        assert {field.column for field in section.fields} | left_out.get(
            section.table, set()
        ) == columns, section.table
    conn.close()


def test_no_line_names_a_time_of_export(full):
    header = lines(export(full.conn))[0]
    assert not re.search(r"\d{4}-\d\d-\d\d", json.dumps(header))
