"""Real databases of every old format become the current one, and not a word in them is lost."""

import functools
import hashlib
import json
import sqlite3
from collections.abc import Callable
from contextlib import AbstractContextManager, closing
from pathlib import Path
from typing import Any

import pytest

from groupx.store.formats.chain import CURRENT, STEPS
from groupx.store.opening import open_ledger
from groupx.store.probe import probe
from groupx.store.structure import describe, reference
from groupx.store.upgrade import Upgrade
from tests.store.released import (
    DATABASES,
    FIXTURES,
    NOW,
    back_filled,
    copy_of,
    format_9_hash,
    reading,
    snapshot,
    upgraded,
)

Finished = Callable[[str], AbstractContextManager[sqlite3.Connection]]
each_database = pytest.mark.parametrize("name", DATABASES)


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Finished:
    """`with finished(name) as conn`: that database, upgraded; only read."""

    @functools.cache
    def done(name: str) -> Path:
        path = copy_of(name, tmp_path_factory.mktemp(name))
        upgraded(path, Upgrade(keep_copy=False)).close()
        return path

    return lambda name: reading(done(name))


def test_the_frozen_databases_are_as_they_were_frozen() -> None:
    listed = dict(
        line.split("  ")[::-1] for line in (FIXTURES / "SHA256SUMS").read_text().split("\n")[:-1]
    )
    found = {
        file.name: hashlib.sha256(file.read_bytes()).hexdigest()
        for file in FIXTURES.glob("format-*.db*")
    }
    assert found == listed
    assert {file.split(".")[0] for file in listed} >= set(DATABASES)


@each_database
def test_every_row_is_as_it_was_but_for_the_stated_back_fills(
    name: str, tmp_path: Path, finished: Finished
) -> None:
    number = DATABASES[name]["format"]
    with reading(copy_of(name, tmp_path)) as conn:
        before = snapshot(conn)
    with finished(name) as conn:
        after = snapshot(conn)
        assert conn.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        assert conn.execute("PRAGMA foreign_key_check").fetchall() == []
        assert describe(conn) == reference(CURRENT)
        with closing(open_ledger(":memory:", now_iso=NOW, database_id="d")) as fresh:
            assert describe(conn) == describe(fresh)
    expected = back_filled(before, number)
    log = expected.pop("schema_migrations")
    for table, rows in expected.items():
        assert after[table] == rows, table
    assert after["schema_migrations"] == log + [
        {"version": step.number, "name": step.name, "applied_at": NOW} for step in STEPS[number:]
    ]
    assert {table: after[table] for table in after.keys() - before.keys() if after[table]} == {
        "groupx_schema": [{"singleton": 1, "format": CURRENT}],
        "groupx_instance": [{"database_id": "database_new", "created_at": NOW}],
        "rooms": after["rooms"],
        "search_state": [{"singleton": 1, "indexed_through_seq": 0}],
    }


@each_database
def test_the_nine_old_steps_do_what_the_old_program_does(name: str, finished: Finished) -> None:
    """By the hashes of copies that the old program upgraded to format 9 itself."""
    number = DATABASES[name]["format"]
    with finished(name) as conn:
        after = snapshot(conn)
    if number < 9:  # the old program adds this actor at its start, not with its step 9
        after["actors"] = [row for row in after["actors"] if row["actor_id"] != "user:assistant"]
    del after["schema_migrations"][9:]
    for table, expected in DATABASES[name]["at_format_9"].items():
        assert format_9_hash(table, after[table]) == expected, table


@each_database
def test_the_rooms_are_those_that_were_talked_in(name: str, finished: Finished) -> None:
    with finished(name) as conn:
        rooms = conn.execute("SELECT room_id, title, active, archived_at FROM rooms").fetchall()
        begun = conn.execute("SELECT min(occurred_at) FROM events").fetchone()[0]
        made = conn.execute("SELECT created_at FROM rooms WHERE active").fetchone()[0]
    main, side = ("room:main", "room:main", 1, None), ("room:side", "room:side", 0, None)
    assert rooms == ([main, side] if DATABASES[name]["format"] < 4 else [main])
    assert made == begun


def content(conn: sqlite3.Connection, event_id: str) -> Any:
    body = conn.execute("SELECT body_json FROM events WHERE event_id = ?", (event_id,)).fetchone()
    return json.loads(body[0])["content"]


@each_database
def test_what_was_said_is_still_said_word_for_word(name: str, finished: Finished) -> None:
    expected = DATABASES[name]
    spots = expected["spots"]
    with finished(name) as conn:
        for spot in spots.values():
            if isinstance(spot, dict) and "content" in spot:
                assert content(conn, spot["event_id"]) == spot["content"]
        if "long_message" in spots:
            text = content(conn, spots["long_message"]["event_id"]).encode()
            assert hashlib.sha256(text).hexdigest() == spots["long_message"]["content_sha256_utf8"]
        for memory in spots.get("memories", []):
            assert conn.execute(
                "SELECT content, status, supersedes_memory_id FROM memory_records"
                " WHERE memory_id = ?",
                (memory["memory_id"],),
            ).fetchone() == (memory["content"], memory["status"], memory["supersedes"])
        for turn in spots.get("unfinished_or_special_turns", []):
            assert conn.execute(
                "SELECT status, partial_text, error_code FROM turns WHERE turn_id = ?",
                (turn["turn_id"],),
            ).fetchone() == (turn["status"], turn["partial_text"], turn["error_code"])
        counted = conn.execute("SELECT status, count(*) FROM turns GROUP BY 1").fetchall()
        assert dict(counted) == expected["turns_by_status"]
        assert conn.execute("SELECT max(seq) FROM events").fetchone() == (
            expected["last_event_seq"],
        )


LITERAL = {
    "format-1": {
        "evt_5713337c8d0e0670ed54f072b9b9c9c4": "请看一下这个补丁。",
        "evt_5f2a0d06292da46cfd4656d916685479": (
            "quotes \" ' ` backslash \\ tab\t newline\nCRLF\r\n end 🚀👩‍💻"
        ),
    },
    "format-4": {
        "evt_3ebe7733b9e34df48457a80a946ba092": "请检查发布流程：先跑测试，再打包，最后上传。",
        "evt_506bbb2b0c0a4925bbb4dfc213b6d802": (
            "Path C:\\temp\\new\tcol2\tcol3 \"double\" 'single' `tick` \\u0041 \\n literal\n"
            'second line\r\nthird line </script> %s {json: "x"} -- ; DROP TABLE events;'
        ),
    },
    "format-9": {
        "evt_cf8543638dbb4c4e9abb5622d8057eeb": "Hello team, please introduce yourselves.",
        "evt_f30833428e40476d968a397a85778b69": "请检查发布流程：先跑测试，再打包，最后上传。",
    },
}


@pytest.mark.parametrize("name", LITERAL)
def test_words_that_are_easily_broken(name: str, finished: Finished) -> None:
    with finished(name) as conn:
        for event_id, text in LITERAL[name].items():
            assert content(conn, event_id) == text


def test_json_keeps_its_own_spacing(tmp_path: Path) -> None:
    odd = '{ "content" :"a\\u00e9" ,\t"x":1.0,"x": [ ] }\n'
    path = copy_of("format-9", tmp_path)
    with closing(sqlite3.connect(path, isolation_level=None)) as conn:
        conn.execute("UPDATE events SET body_json = ? WHERE seq = 1", (odd,))
    with closing(upgraded(path)) as conn:
        assert conn.execute("SELECT body_json FROM events WHERE seq = 1").fetchone() == (odd,)


OPEN_ATTEMPTS_OF_FORMAT_1 = {
    "running, delivered, started": ("native_started", "delivered", False),
    "running, started, certainty unknown": ("native_started", "unknown", False),
    "dispatching, not delivered, not started": ("prompt_invoked", "unknown", True),
    "dispatching, unknown, not started": ("prompt_invoked", "unknown", True),
    "cancelling, delivered, started_at missing": ("native_started", "delivered", False),
    "dispatching again after a safe requeue": ("prompt_invoked", "unknown", True),
}


def test_what_may_have_been_sent_is_unknown(finished: Finished) -> None:
    with finished("format-1") as conn:
        found = conn.execute(
            "SELECT json_extract(e.body_json, '$.content'), a.dispatch_phase,"
            " a.delivery_certainty, a.prompt_invoked_at IS a.claimed_at"
            " FROM turn_attempts a JOIN turns t USING (turn_id)"
            " JOIN events e ON e.event_id = t.source_event_id WHERE a.terminal_at IS NULL"
        ).fetchall()
    assert {text: (phase, known, bool(at)) for text, phase, known, at in found} == (
        OPEN_ATTEMPTS_OF_FORMAT_1
    )


@pytest.mark.parametrize("number", [1, 2, 3, 4])
def test_one_summary_a_room_stays_active(number: int, finished: Finished) -> None:
    with finished(f"format-{number}") as conn:
        kept = conn.execute(
            "SELECT room_id, content FROM summaries WHERE status = 'active' ORDER BY room_id"
        ).fetchall()
    assert [room for room, _ in kept] == (["room:main", "room:side"] if number < 4 else [])
    if kept:
        assert kept[0][1] == "same end, later: the one that stays active"


@each_database
def test_opening_it_again_changes_nothing(name: str, tmp_path: Path) -> None:
    path = copy_of(name, tmp_path)
    upgraded(path).close()
    before = {file.name: file.read_bytes() for file in tmp_path.iterdir()}
    assert probe(path) == CURRENT
    with closing(open_ledger(path, now_iso="later", database_id="another")) as conn:
        assert conn.execute("SELECT * FROM groupx_instance").fetchall() == [("database_new", NOW)]
    assert {file.name: file.read_bytes() for file in tmp_path.iterdir()} == before
    assert set(before) == {path.name, f"{path.name}.before-format-{CURRENT}.bak"}


@pytest.mark.parametrize("name", ["format-10", "format-10-upgraded"])
def test_a_database_that_this_program_made_opens_as_it_is(name: str, tmp_path: Path) -> None:
    """Fails when the structure is changed without a new format."""
    path = copy_of(name, tmp_path)
    before = path.read_bytes()
    assert probe(path) == CURRENT
    with closing(upgraded(path)) as conn:
        assert describe(conn) == reference(CURRENT)
        assert conn.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        assert conn.execute("PRAGMA foreign_key_check").fetchall() == []
    assert path.read_bytes() == before
    assert [file.name for file in tmp_path.iterdir()] == [path.name]
