"""A database is created, found whole, or refused with every byte as it was."""

import os
import shutil
import sqlite3
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from groupx.domain.errors import ErrorCode, GroupXError
from groupx.store import opening
from groupx.store import probe as probing
from groupx.store.connection import open_connection
from groupx.store.formats.chain import CURRENT, STEPS, create_current, run_step
from groupx.store.markers import NO_TABLES
from groupx.store.opening import MAX_ROUNDS, open_ledger
from groupx.store.probe import probe
from tests.store.released import FIXTURES

MISMATCH, CORRUPT = ErrorCode.SCHEMA_MISMATCH, ErrorCode.SCHEMA_CORRUPT
Edit = Callable[[sqlite3.Connection], object]


def opened(path: Path, database_id: str = "database_1") -> sqlite3.Connection:
    return open_ledger(path, now_iso="2026-03-01T00:00:00.000Z", database_id=database_id)


def database_id(conn: sqlite3.Connection) -> str:
    return conn.execute("SELECT database_id FROM groupx_instance").fetchone()[0]


def contents(directory: Path) -> dict[str, bytes]:
    """Every file but the lock table, which any look rewrites and nobody keeps."""
    return {
        path.name: path.read_bytes()
        for path in directory.iterdir()
        if path.is_file() and not path.name.endswith("-shm")
    }


def refused(path: Path) -> GroupXError:
    """The refusal, by the look and by the opening, with nothing changed and nothing left."""
    before, names = contents(path.parent), set(os.listdir(path.parent))
    for attempt in (probe, opened):
        with pytest.raises(GroupXError) as caught:
            attempt(path)
        assert contents(path.parent) == before
        assert set(os.listdir(path.parent)) == names
        assert "delete" not in caught.value.message.lower()
    return caught.value


def make(path: Path, *edits: Edit, wal: bool = True) -> Path:
    """A closed database of the current format, then edited."""
    conn = opened(path)
    if not wal:
        conn.execute("PRAGMA journal_mode = DELETE")
    for edit in edits:
        edit(conn)
    conn.close()
    return path


def run(*statements: str) -> Edit:
    def edit(conn: sqlite3.Connection) -> None:
        for statement in statements:
            conn.execute(statement)

    return edit


def make_older(path: Path, number: int, *, wal: bool = True) -> Path:
    conn = sqlite3.connect(path, isolation_level=None)
    conn.execute(f"PRAGMA journal_mode = {'WAL' if wal else 'DELETE'}")
    conn.execute("BEGIN")
    for step in STEPS[:number]:
        run_step(conn, step, {"now": "t", "database_id": "d"})
    conn.execute(f"PRAGMA user_version = {number}")
    conn.execute("COMMIT")
    conn.close()
    return path


def test_nothing_there_becomes_a_ledger(tmp_path: Path) -> None:
    path = tmp_path / "x.db"
    assert probe(path) == NO_TABLES
    assert not path.exists()
    conn = opened(path)
    assert database_id(conn) == "database_1"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    conn.close()
    assert probe(path) == CURRENT
    assert os.listdir(tmp_path) == ["x.db"]


def test_an_empty_file_becomes_a_ledger(tmp_path: Path) -> None:
    path = tmp_path / "x.db"
    path.touch()
    opened(path).close()
    assert probe(path) == CURRENT


def test_memory_is_always_new() -> None:
    conn = open_ledger(":memory:", now_iso="t", database_id="d")
    assert database_id(conn) == "d"
    conn.close()


def test_a_ledger_opens_again_as_it_was(tmp_path: Path) -> None:
    path = make(tmp_path / "x.db")
    before = path.read_bytes()
    conn = opened(path, "another")
    assert database_id(conn) == "database_1"
    conn.close()
    assert path.read_bytes() == before


def test_a_crashed_file_with_everything_in_its_wal_is_found(tmp_path: Path) -> None:
    live, crashed = tmp_path / "live", tmp_path / "crashed"
    live.mkdir()
    conn = open_connection(live / "x.db")
    create_current(conn, now_iso="t", database_id="database_1")
    shutil.copytree(live, crashed, ignore=shutil.ignore_patterns("*-shm"))
    conn.close()
    assert (crashed / "x.db-wal").stat().st_size > (crashed / "x.db").stat().st_size
    before = contents(crashed)
    assert probe(crashed / "x.db") == CURRENT
    assert contents(crashed) == before
    assert sorted(os.listdir(crashed)) == ["x.db", "x.db-wal"]
    again = opened(crashed / "x.db")
    assert database_id(again) == "database_1"
    again.close()


@pytest.mark.parametrize("wal", [True, False], ids=["wal", "rollback journal"])
@pytest.mark.parametrize("number", [1, 5, 9])
def test_a_damaged_older_format_is_refused(tmp_path: Path, number: int, wal: bool) -> None:
    path = make_older(tmp_path / "x.db", number, wal=wal)
    assert probe(path) == number
    conn = sqlite3.connect(path, isolation_level=None)
    conn.execute("DROP INDEX events_room_seq_idx")
    conn.close()
    error = refused(path)
    assert error.code is CORRUPT
    assert error.details["format"] == number
    assert "missing index events_room_seq_idx" in error.message


REFUSED: dict[str, tuple[Edit, ErrorCode, str]] = {
    "future": (
        run("UPDATE groupx_schema SET format = 11", "PRAGMA user_version = 11"),
        MISMATCH,
        "made by a newer GroupX",
    ),
    "only the marker raised": (run("UPDATE groupx_schema SET format = 11"), MISMATCH, "format 11"),
    "marker without tables": (
        run("DROP TABLE search_docs", "DROP TABLE context_usage"),
        CORRUPT,
        "missing",
    ),
    "no marker row": (run("DELETE FROM groupx_schema"), CORRUPT, "exactly one format"),
    "an older marker": (run("UPDATE groupx_schema SET format = 9"), CORRUPT, "never had"),
    "another user_version": (run("PRAGMA user_version = 9"), CORRUPT, "user_version says 9"),
    "a marker of another shape": (
        run("DROP TABLE groupx_schema", "CREATE TABLE groupx_schema (a)"),
        MISMATCH,
        "unknown shape",
    ),
    "a marker that was dropped": (run("DROP TABLE groupx_schema"), MISMATCH, "without GroupX's"),
    "a log with a gap": (
        run("DELETE FROM schema_migrations WHERE version = 4"),
        CORRUPT,
        "migration log",
    ),
    "a log of another program": (
        run("UPDATE schema_migrations SET name = 'other' WHERE version = 4"),
        CORRUPT,
        "migration log",
    ),
    "a lost index": (run("DROP INDEX events_room_seq_idx"), CORRUPT, "events_room_seq_idx"),
    "a lost column": (run("ALTER TABLE turns DROP COLUMN error_code"), CORRUPT, "error_code"),
    "a lost trigger": (
        run("DROP TRIGGER session_bindings_transport_bi"),
        CORRUPT,
        "session_bindings_transport_bi",
    ),
    "a view for a marker": (
        run(
            "DROP TABLE groupx_schema",
            "CREATE VIEW groupx_schema AS WITH RECURSIVE n(singleton, format) AS "
            "(VALUES (1, 10) UNION ALL SELECT singleton + 1, 10 FROM n) SELECT * FROM n "
            "WHERE singleton < 0",
        ),
        MISMATCH,
        "a view in the place of the marker groupx_schema",
    ),
    "a view for a log": (
        run(
            "DROP TABLE schema_migrations",
            "CREATE VIEW schema_migrations AS WITH RECURSIVE n(version, name) AS "
            "(VALUES (1, '') UNION ALL SELECT version + 1, '' FROM n) SELECT * FROM n",
        ),
        MISMATCH,
        "a view in the place of the marker schema_migrations",
    ),
    "a view for a table": (
        run(
            "DROP TABLE search_state",
            "CREATE VIEW search_state AS WITH RECURSIVE n(a) AS "
            "(VALUES (1) UNION ALL SELECT a + 1 FROM n) SELECT * FROM n",
        ),
        CORRUPT,
        "missing check search_state",
    ),
    "a stranger's table": (run("CREATE TABLE mine (a)"), CORRUPT, "unexpected"),
}


@pytest.mark.parametrize("wal", [True, False], ids=["wal", "rollback journal"])
@pytest.mark.parametrize("case", REFUSED)
def test_what_is_not_a_whole_ledger_is_refused(tmp_path: Path, case: str, wal: bool) -> None:
    edit, code, says = REFUSED[case]
    error = refused(make(tmp_path / "x.db", edit, wal=wal))
    assert error.code is code
    assert says in error.message
    assert error.details["expected"] == CURRENT


@pytest.mark.parametrize(
    "statements",
    [
        ("CREATE TABLE notes (a)",),
        ("CREATE TABLE notes (a)", "PRAGMA user_version = 3"),
        ("PRAGMA user_version = 3",),
        ("PRAGMA application_id = 7",),
        ("PRAGMA journal_mode = WAL", "PRAGMA application_id = 7"),
        ("PRAGMA encoding = 'UTF-16'", "VACUUM"),
        ("CREATE TABLE schema_migrations (version)", "PRAGMA user_version = 3"),
    ],
)
def test_a_database_of_something_else_is_refused(
    tmp_path: Path, statements: tuple[str, ...]
) -> None:
    path = tmp_path / "x.db"
    conn = sqlite3.connect(path, isolation_level=None)
    run(*statements)(conn)
    conn.close()
    assert refused(path).code is MISMATCH


def test_a_refused_file_keeps_what_its_wal_holds(tmp_path: Path) -> None:
    live, crashed = tmp_path / "live", tmp_path / "crashed"
    live.mkdir()
    conn = opened(live / "x.db")
    conn.execute("DROP INDEX events_room_seq_idx")
    shutil.copytree(live, crashed, ignore=shutil.ignore_patterns("*-shm"))
    conn.close()
    assert refused(crashed / "x.db").code is CORRUPT


@pytest.mark.parametrize("content", [b"x", b"\0", b"\0" * 5000, b"SQLite format 3\0"])
def test_a_file_with_content_is_not_taken_for_an_empty_one(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "x.db"
    path.write_bytes(content)
    assert refused(path).code is MISMATCH


def test_a_database_that_lost_its_wal_is_not_taken_for_an_empty_one(tmp_path: Path) -> None:
    path = tmp_path / "x.db"
    shutil.copy(FIXTURES / "format-9-crashed.db", path)
    assert "-wal file is missing" in refused(path).message


@pytest.mark.parametrize("before", ["nothing", "an older one", "all in the -wal"])
def test_an_open_ledger_is_known_without_its_wal(tmp_path: Path, before: str) -> None:
    path = tmp_path / "x.db"
    if before == "an older one":
        make_older(path, CURRENT - 1)
    elif before == "all in the -wal":
        conn = open_connection(path)
        create_current(conn, now_iso="t", database_id="database_0")
        alone = tmp_path / "alone"
        shutil.copytree(tmp_path, alone, ignore=shutil.ignore_patterns("*-shm", "alone"))
        conn.close()
        path = alone / "x.db"
    conn = opened(path)
    known = database_id(conn)
    lost = tmp_path / "lost"
    lost.mkdir()
    shutil.copy(path, lost / "x.db")
    conn.close()
    assert probe(lost / "x.db") == CURRENT
    again = opened(lost / "x.db", "another")
    assert database_id(again) == known
    again.close()


@pytest.mark.parametrize("begun", ["PRAGMA foreign_keys", "BEGIN IMMEDIATE"])
@pytest.mark.parametrize("with_wal", [True, False])
def test_a_creation_that_was_killed_is_begun_again(
    tmp_path: Path, begun: str, with_wal: bool
) -> None:
    live, killed = tmp_path / "live", tmp_path / "killed"
    live.mkdir()
    conn = open_connection(live / "x.db")
    conn.execute(begun)
    left_out = "*-shm" if with_wal else "*-*"
    shutil.copytree(live, killed, ignore=shutil.ignore_patterns(left_out))
    conn.close()
    assert (killed / "x.db").stat().st_size > 0
    assert probe(killed / "x.db") == NO_TABLES
    opened(killed / "x.db").close()
    assert probe(killed / "x.db") == CURRENT


def test_a_look_has_a_bound(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = make(tmp_path / "x.db")
    monkeypatch.setattr(probing, "read_format", lambda conn: conn.execute(_ENDLESS).fetchall())
    with pytest.raises(GroupXError, match="in a sensible time"):
        probe(path)


_ENDLESS = "WITH RECURSIVE n(a) AS (VALUES (1) UNION ALL SELECT a + 1 FROM n) SELECT max(a) FROM n"


def test_a_text_is_no_database(tmp_path: Path) -> None:
    path = tmp_path / "x.db"
    path.write_text("not a database at all\n" * 500)
    assert "not a database" in refused(path).message


def test_a_broken_header_is_no_database(tmp_path: Path) -> None:
    path = make(tmp_path / "x.db")
    path.write_bytes(b"SQLite format 4\0" + path.read_bytes()[16:])
    assert refused(path).code is MISMATCH


@pytest.mark.parametrize("cut", [1, 100, 4096, 40_960])
def test_a_truncated_file_is_refused(tmp_path: Path, cut: int) -> None:
    path = make(tmp_path / "x.db")
    path.write_bytes(path.read_bytes()[:-cut])
    assert refused(path).code is CORRUPT


def test_a_directory_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "x.db"
    path.mkdir()
    assert refused(path).code is MISMATCH


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads everything")
def test_an_unreadable_file_is_refused(tmp_path: Path) -> None:
    path = make(tmp_path / "x.db")
    path.chmod(0)
    with pytest.raises(GroupXError, match="cannot be read"):
        opened(path)


def test_a_locked_file_is_busy(tmp_path: Path) -> None:
    path = make(tmp_path / "x.db", wal=False)
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN EXCLUSIVE")
    with pytest.raises(GroupXError) as caught:
        probe(path, busy_seconds=0)
    assert caught.value.code is ErrorCode.STORE_BUSY
    assert caught.value.details == {"retryAfter": 1}
    other.close()


def test_who_loses_the_race_takes_what_the_winner_made(tmp_path: Path) -> None:
    path = tmp_path / "x.db"
    rounds: list[object] = []

    def beaten(target: opening.Target) -> sqlite3.Connection:
        if not rounds:
            opened(path, "winner").close()
        rounds.append(target)
        return open_connection(target)

    conn = open_ledger(path, now_iso="t", database_id="loser", opener=beaten)
    assert database_id(conn) == "winner"
    assert len(rounds) == 2
    conn.close()


def test_a_format_that_keeps_moving_is_a_conflict(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = make(tmp_path / "x.db")
    looks: list[Path] = []

    def outdated(target: Path) -> int:
        looks.append(target)
        return NO_TABLES

    monkeypatch.setattr(opening, "probe", outdated)
    with pytest.raises(GroupXError) as caught:
        opened(path)
    assert caught.value.code is ErrorCode.SCHEMA_CONFLICT
    assert len(looks) == MAX_ROUNDS


def test_a_creation_that_fails_leaves_an_empty_database(tmp_path: Path) -> None:
    path = tmp_path / "x.db"

    def cramped(target: opening.Target) -> sqlite3.Connection:
        conn = open_connection(target)
        conn.execute("PRAGMA max_page_count = 20")
        return conn

    with pytest.raises(GroupXError) as caught:
        open_ledger(path, now_iso="t", database_id="d", opener=cramped)
    assert caught.value.code is ErrorCode.STORE_UNAVAILABLE
    assert probe(path) == NO_TABLES
    opened(path).close()


def test_the_file_of_a_failed_look_is_not_held(tmp_path: Path) -> None:
    path = make(tmp_path / "x.db", run("CREATE TABLE mine (a)"))
    refused(path)
    conn = sqlite3.connect(path, isolation_level=None)
    conn.execute("DROP TABLE mine")
    conn.close()
    opened(path).close()


_OPEN_AT_ONCE = """
import sys
from pathlib import Path
from groupx.store.opening import open_ledger
print("ready", flush=True)
sys.stdin.readline()
conn = open_ledger(Path(sys.argv[1]), now_iso="t", database_id=sys.argv[2])
print(conn.execute("SELECT database_id FROM groupx_instance").fetchone()[0])
"""


@pytest.mark.slow
def test_processes_that_open_at_once_agree(tmp_path: Path) -> None:
    path = tmp_path / "x.db"
    command = [sys.executable, "-c", _OPEN_AT_ONCE, str(path)]
    children = [
        subprocess.Popen(
            [*command, f"database_{number}"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for number in range(3)
    ]
    for child in children:
        assert child.stdout is not None
        assert child.stdout.readline() == "ready\n"
    for child in children:
        assert child.stdin is not None
        child.stdin.write("\n")
        child.stdin.flush()
    answers = {child.communicate(timeout=30)[0].strip() for child in children}
    assert len(answers) == 1
    assert answers <= {f"database_{number}" for number in range(3)}
    assert [child.returncode for child in children] == [0, 0, 0]
    assert probe(path) == CURRENT


def test_the_function_for_tests_makes_the_same(tmp_path: Path) -> None:
    conn = open_connection(tmp_path / "x.db")
    create_current(conn, now_iso="t", database_id="d")
    conn.close()
    assert probe(tmp_path / "x.db") == CURRENT
