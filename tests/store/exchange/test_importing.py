"""An import gives the same export again, or is refused with the line and what was found there."""

import json
import os
import shutil
import sqlite3
import stat

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from groupx.domain.errors import GroupXError
from groupx.domain.limits import Limits
from groupx.domain.outcomes import Cause
from groupx.domain.runs import OpenRun, RecoverQuery
from groupx.store.exchange import importing
from groupx.store.exchange.importing import HELD_BECAUSE, import_file
from groupx.store.opening import open_ledger
from groupx.store.queries.lane import lane_head
from groupx.store.transactions.bindings import open_run
from groupx.store.transactions.recover import recover_all
from tests.store.exchange.conftest import NOW, export, export_file
from tests.store.exchange.hostile import HOSTILE, SHAPES, change
from tests.store.released import FIXTURES

QUIET = [HealthCheck.function_scoped_fixture, HealthCheck.too_slow]


def test_export_import_export_is_the_same(full, bring, tmp_path):
    data = export(full.conn)
    done = bring(data)
    assert (done.fresh, done.events) == (True, data.count(b'{"line":"event"'))
    assert export_file(tmp_path / "new.db") == data
    assert stat.S_IMODE(os.stat(tmp_path / "new.db").st_mode) == 0o600
    assert os.listdir(tmp_path) == ["new.db"]


def test_a_memory_outlives_the_room_that_it_came_from(full, bring, tmp_path):
    lines = export(full.conn).splitlines(keepends=True)
    change("event", type="memory.remembered", provenance__sourceEventId="evt_gone")(lines)
    bring(b"".join(lines))
    assert export_file(tmp_path / "new.db") == b"".join(lines)


def test_a_database_that_holds_just_this_stays_as_it_is(full, bring, tmp_path):
    data = export(full.conn)
    bring(data)
    before = (tmp_path / "new.db").read_bytes()
    assert bring(data).fresh is False
    assert (tmp_path / "new.db").read_bytes() == before
    assert os.listdir(tmp_path) == ["new.db"]


@pytest.mark.parametrize("kind", ["other export", "foreign", "empty", "folder", "link to nothing"])
def test_whatever_else_is_there_is_not_touched(full, bring, tmp_path, kind):
    data, target = export(full.conn), tmp_path / "new.db"
    if kind == "other export":
        bring(data)
        full.queued()
        data = export(full.conn)
    elif kind == "foreign":
        target.write_bytes(b"not a database at all" * 100)
    elif kind == "empty":
        target.touch()
    elif kind == "folder":
        target.mkdir()
    else:
        target.symlink_to(tmp_path / "nowhere")
    before = target.read_bytes() if target.is_file() else None
    with pytest.raises(GroupXError):
        bring(data)
    assert (target.read_bytes() if target.is_file() else None) == before
    assert os.listdir(tmp_path) == ["new.db"]


@pytest.mark.parametrize("suffix", ["-wal", "-shm", "-journal"])
def test_what_another_database_left_there_is_in_the_way(full, bring, tmp_path, suffix):
    (tmp_path / f"new.db{suffix}").write_bytes(b"left")
    with pytest.raises(GroupXError, match=f"new.db{suffix} exists already"):
        bring(export(full.conn))
    assert os.listdir(tmp_path) == [f"new.db{suffix}"]


def test_what_waits_in_it_waits_for_the_user(full, bring, tmp_path):
    held = bring(export(full.conn)).held
    assert (held.turns, held.agents) == (3, ("agent:a", "agent:c"))
    conn = open_ledger(tmp_path / "new.db", now_iso=NOW, database_id="never")
    rows = conn.execute("SELECT actor_id, state, reason FROM lane_states").fetchall()
    assert sorted(rows) == [(actor, "paused", HELD_BECAUSE) for actor in held.agents]
    conn.close()


def test_an_imported_room_can_be_run(full, bring, tmp_path, new_ledger):
    """Recovery closes what ran, nothing waits to be sent, and the room goes on."""
    bring(export(full.conn))
    imported = new_ledger.__new__(new_ledger)
    imported.__dict__.update(full.__dict__)
    imported.conn = open_ledger(tmp_path / "new.db", now_iso=NOW, database_id="never")
    imported.write(open_run, OpenRun(agents={full.a: "Ada", full.b: "Bob", full.c: "Cy"}))
    roster = frozenset({full.a, full.b, full.c})
    done = imported.write(recover_all, RecoverQuery(roster=roster, transport="structured"))
    assert (done.interrupted, done.requeued) == (1, 0)
    assert lane_head(imported.conn, full.a) is None
    assert lane_head(imported.conn, full.c) is None
    newest = imported.row("SELECT max(seq) FROM events")[0]
    assert imported.send(full.b, limits=Limits()).message_event_id
    assert imported.row("SELECT max(seq) FROM events")[0] > newest
    imported.conn.close()


@pytest.mark.parametrize("path", sorted(FIXTURES.glob("*.db")), ids=lambda path: path.stem)
def test_databases_of_older_formats_go_out_and_come_back(path, tmp_path, bring):
    for part in FIXTURES.glob(f"{path.name}*"):
        shutil.copy(part, tmp_path / part.name)
    (tmp_path / path.name).chmod(0o600)
    conn = open_ledger(
        tmp_path / path.name, now_iso=NOW, database_id="database_00000000000000000000000000000002"
    )
    data = export(conn)
    found = conn.execute("SELECT native_session_id FROM session_bindings").fetchall()
    natives = [native.encode() for (native,) in found if native]
    conn.close()
    for private in (b"nativeTurnId", b"nativeSessionId", b"binding", *natives):
        assert private not in data
    bring(data)
    assert export_file(tmp_path / "new.db") == data


# --- random ledgers and random damage -----------------------------------------------------------

STEPS = st.lists(
    st.tuples(
        st.sampled_from(["send", "run", "complete", "fail", "cancel"]),
        st.sampled_from(["agent:a", "agent:b"]),
        st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=20),
    ),
    max_size=8,
)


def play(ledger, steps):
    running = {}
    for step, actor, text in steps:
        if step == "send":
            ledger.queued(actor, content=text)
        elif step == "run" and actor not in running:
            if not ledger.rows(
                "SELECT 1 FROM turns WHERE status='queued' AND target_actor_id=?", actor
            ):
                running[actor] = ledger.running(actor, content=text)
        elif step == "complete" and actor in running:
            ledger.end(*running.pop(actor), Cause.COMPLETED, response=text, reasoning=text)
        elif step == "fail" and actor in running:
            ledger.end(*running.pop(actor), Cause.NATIVE_FAILED, message=text, partial_text=text)
        elif step == "cancel":
            for (turn,) in ledger.rows("SELECT turn_id FROM turns WHERE status = 'queued' LIMIT 1"):
                ledger.cancel(turn)


@pytest.mark.slow
@settings(max_examples=40, deadline=None, suppress_health_check=QUIET)
@given(steps=STEPS)
def test_any_ledger_comes_back_the_same(new_ledger, tmp_path_factory, steps):
    ledger = new_ledger()
    play(ledger, steps)
    data = export(ledger.conn)
    ledger.conn.close()
    folder = tmp_path_factory.mktemp("any")
    (folder / "e").write_bytes(data)
    import_file(folder / "e", folder / "new.db", now_iso=NOW)
    assert export_file(folder / "new.db") == data


@pytest.mark.slow
@settings(max_examples=150, deadline=None, suppress_health_check=QUIET)
@given(data=st.data())
def test_any_damage_is_refused_or_comes_back_the_same(full, tmp_path, data):
    """One line is changed, dropped, doubled or moved; or bytes anywhere are."""
    given_lines = export(full.conn).splitlines(keepends=True)
    at = data.draw(st.integers(0, len(given_lines) - 1))
    match data.draw(st.sampled_from(["drop", "double", "swap", "cut", "byte", "value"])):
        case "drop":
            del given_lines[at]
        case "double":
            given_lines.insert(at, given_lines[at])
        case "swap":
            other = data.draw(st.integers(0, len(given_lines) - 1))
            given_lines[at], given_lines[other] = given_lines[other], given_lines[at]
        case "cut":
            given_lines[at] = given_lines[at][: data.draw(st.integers(0, len(given_lines[at]) - 1))]
        case "byte":
            line = bytearray(given_lines[at])
            line[data.draw(st.integers(0, len(line) - 1))] = data.draw(st.integers(0, 255))
            given_lines[at] = bytes(line)
        case "value":
            line = json.loads(given_lines[at])
            key = data.draw(st.sampled_from(sorted(line)))
            line[key] = data.draw(
                st.sampled_from([None, 0, -1, 2**63, 1.5, True, "", "x", "a\0b", [], {}, ["x"]])
            )
            given_lines[at] = json.dumps(line, separators=(",", ":"), ensure_ascii=False).encode()
            given_lines[at] += b"\n"
    damaged = b"".join(given_lines)
    source, target = tmp_path / "e", tmp_path / "new.db"
    source.write_bytes(damaged)
    try:
        import_file(source, target, now_iso=NOW)
    except GroupXError:
        assert sorted(os.listdir(tmp_path)) == ["e"]
    else:
        assert export_file(target) == damaged
        target.unlink()


# --- the hostile corpus -------------------------------------------------------------------------


@pytest.mark.parametrize("name", list(HOSTILE))
def test_hostile_lines_are_named_and_nothing_is_left(full, bring, tmp_path, name):
    on, said = HOSTILE[name]
    lines = export(full.conn).splitlines(keepends=True)
    number = on(lines)
    with pytest.raises(GroupXError, match=said) as caught:
        bring(b"".join(lines))
    assert caught.value.code == "INVALID_ENVELOPE"
    if name not in {"a claim of 2 GiB of events", "a room that is not there"}:  # known at the end
        assert caught.value.details["line"] == number
    assert len(caught.value.message) < 600
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("name", list(SHAPES))
def test_files_of_another_shape(full, bring, tmp_path, name):
    shape, said = SHAPES[name]
    with pytest.raises(GroupXError, match=said):
        bring(shape(export(full.conn).splitlines(keepends=True)))
    assert os.listdir(tmp_path) == []


def test_an_event_id_or_key_is_used_once(full, bring):
    lines = export(full.conn).splitlines(keepends=True)
    at = [index for index, line in enumerate(lines) if line.startswith(b'{"line":"event"')]
    first, second = json.loads(lines[at[0]]), json.loads(lines[at[1]])
    lines[at[1]] = lines[at[1]].replace(second["eventId"].encode(), first["eventId"].encode(), 1)
    with pytest.raises(GroupXError, match=f"Line {at[1] + 1} .*there twice"):
        bring(b"".join(lines))


def test_a_huge_sparse_file_is_refused_at_once(tmp_path):
    with (tmp_path / "huge").open("wb") as file:
        file.truncate(2**31)
    with pytest.raises(GroupXError, match="longer than"):
        import_file(tmp_path / "huge", tmp_path / "new.db", now_iso=NOW)


@pytest.mark.parametrize("kind", ["missing", "folder", "pipe"])
def test_sources_that_are_no_files(tmp_path, kind):
    source = tmp_path / "source"
    if kind == "folder":
        source.mkdir()
    elif kind == "pipe":
        os.mkfifo(source)
    with pytest.raises(GroupXError) as caught:
        import_file(source, tmp_path / "new.db", now_iso=NOW)
    assert caught.value.code == "NOT_FOUND"


def test_a_target_that_cannot_be_made(full, tmp_path):
    (tmp_path / "e").write_bytes(export(full.conn))
    with pytest.raises(GroupXError, match="cannot be written"):
        import_file(tmp_path / "e", tmp_path / "nowhere" / "new.db", now_iso=NOW)


def test_an_export_that_would_not_be_the_same_is_not_imported(full, bring, tmp_path, monkeypatch):
    """The last word is the comparison, whatever the checks before it have missed."""
    monkeypatch.setattr(importing, "_digest", lambda _: b"another")
    with pytest.raises(GroupXError, match="not be the same file"):
        bring(export(full.conn))
    assert os.listdir(tmp_path) == []


def test_what_is_imported_is_whole(full, bring, tmp_path):
    bring(export(full.conn))
    conn = sqlite3.connect(tmp_path / "new.db")
    assert conn.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    assert conn.execute("PRAGMA foreign_key_check").fetchall() == []
    conn.close()
