"""An upgrade happens whole or not at all, from a copy that is kept, and gives way to others."""

import itertools
import os
import sqlite3
import stat
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from groupx.domain.errors import ErrorCode, GroupXError
from groupx.store import copying, probe, upgrade
from groupx.store.connection import Target, open_connection
from groupx.store.formats.chain import CURRENT, STEPS, mark, run_step
from groupx.store.markers import read_format
from groupx.store.meter import TOTAL
from groupx.store.opening import MAX_ROUNDS, open_ledger
from groupx.store.structure import describe, reference
from groupx.store.upgrade import Upgrade, Upgraded, UpgradeWatch
from tests.store.released import NOW, copy_of, reading, snapshot, upgraded

BARE = Upgrade(keep_copy=False)
BAK = f".before-format-{CURRENT}.bak"


class Watch(UpgradeWatch):
    """Remembers everything; `at` is called at every point."""

    def __init__(self, at: Callable[[str], object] = lambda point: None) -> None:
        self.heard: list[object] = []
        self.progress: list[int] = []
        self.at = at

    def begun(self, found: int) -> None:
        self.heard.append(found)

    def progressed(self, done: int, total: int) -> None:
        assert total == TOTAL
        self.progress.append(done)

    def reached(self, point: str) -> None:
        self.heard.append(point)
        self.at(point)

    def ended(self, upgraded: Upgraded | None) -> None:
        self.heard.append(upgraded)


def content(path: Path) -> object:
    with reading(path) as conn:
        return describe(conn), snapshot(conn), conn.execute("PRAGMA user_version").fetchone()


# --- all or nothing -------------------------------------------------------------------------------

TRAPS = {
    "the last index": "CREATE TABLE turns_open_target_idx (planted)",
    "the last statement": (
        "CREATE TRIGGER session_bindings_transport_bu AFTER INSERT ON summaries BEGIN SELECT 1; END"
    ),
}
UNDO = {
    "the last index": "DROP TABLE turns_open_target_idx",
    "the last statement": "DROP TRIGGER session_bindings_transport_bu",
}


@pytest.mark.parametrize("number", [1, 9])
@pytest.mark.parametrize("trap", TRAPS)
def test_a_step_that_fails_leaves_the_file_as_it_was(
    trap: str, number: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = copy_of(f"format-{number}", tmp_path)
    with closing(sqlite3.connect(path, isolation_level=None)) as conn:
        conn.execute(TRAPS[trap])
    with pytest.raises(GroupXError, match="unexpected") as caught:
        upgraded(path)
    assert caught.value.code is ErrorCode.SCHEMA_CORRUPT
    before = content(path)

    trace: list[str] = []

    def traced(target: Target) -> sqlite3.Connection:
        conn = open_connection(target)
        conn.set_trace_callback(trace.append)
        return conn

    with monkeypatch.context() as blind:  # nobody looks whether the shape is right
        blind.setattr(probe, "validate", lambda conn, number: None)
        blind.setattr(upgrade, "validate", lambda conn, number: None)
        with pytest.raises(GroupXError, match=f"step {CURRENT} of its upgrade") as caught:
            open_ledger(path, now_iso=NOW, database_id="d", opener=traced, upgrade=BARE)
    assert caught.value.code is ErrorCode.SCHEMA_CORRUPT
    assert "already" in caught.value.details["cause"]
    assert content(path) == before
    assert not path.with_name(f"{path.name}-wal").exists()

    assert "BEGIN IMMEDIATE" in trace
    logged = [line for line in trace if line.startswith("INSERT INTO schema_migrations")]
    assert [f"({step.number}, '{step.name}'" in line for step, line in zip(
        STEPS[number:-1], logged, strict=True
    )] == [True] * len(logged)  # fmt: skip
    assert trace[-1] == "ROLLBACK"
    assert "COMMIT" not in trace
    assert not [line for line in trace if "INTO groupx_schema" in line]
    assert not [line for line in trace if line.startswith("PRAGMA user_version =")]

    with closing(sqlite3.connect(path, isolation_level=None)) as conn:
        conn.execute(UNDO[trap])
    with closing(upgraded(path)) as conn:
        assert describe(conn) == reference(CURRENT)


def test_what_is_done_and_in_which_order(tmp_path: Path) -> None:
    path = copy_of("format-7", tmp_path)
    watch, trace = Watch(), list[str]()

    def traced(target: Target) -> sqlite3.Connection:
        conn = open_connection(target)
        conn.set_trace_callback(trace.append)
        return conn

    open_ledger(
        path, now_iso=NOW, database_id="d", opener=traced, upgrade=Upgrade(watch=watch)
    ).close()
    copy = Path(f"{path}{BAK}")
    assert watch.heard == [
        7, "upgrade.locked", "upgrade.copied", "upgrade.8", "upgrade.9", "upgrade.10",
        "upgrade.marked", Upgraded(found=7, copy=copy), "upgrade.committed",
    ]  # fmt: skip
    assert trace.count("BEGIN IMMEDIATE") == trace.count("COMMIT") == 1
    order = [
        next(at for at, line in enumerate(trace) if part in line)
        for part in (
            "BEGIN IMMEDIATE", "CREATE TABLE supervision_pairs", "context_resets",
            "CREATE TABLE rooms", "(10, 'groupx_format_10'", "INTO groupx_schema",
            "PRAGMA user_version = 10", "COMMIT",
        )
    ]  # fmt: skip
    assert order == sorted(order)
    assert watch.progress == sorted(set(watch.progress))
    assert watch.progress[0] == 0


def test_a_full_disk_leaves_the_file_as_it_was(tmp_path: Path) -> None:
    path = copy_of("format-9", tmp_path)
    before = content(path)

    def cramped(target: Target) -> sqlite3.Connection:
        conn = open_connection(target)
        conn.execute(f"PRAGMA max_page_count = {path.stat().st_size // 4096 + 1}")
        return conn

    watch = Watch()
    with pytest.raises(GroupXError, match="disk is full") as caught:
        open_ledger(
            path, now_iso=NOW, database_id="d", opener=cramped, upgrade=Upgrade(watch=watch)
        )
    assert caught.value.code is ErrorCode.STORE_UNAVAILABLE
    assert watch.heard[-1] is None
    assert content(path) == before
    upgraded(path).close()


def test_rows_that_the_chain_cannot_take_are_named(tmp_path: Path) -> None:
    path = copy_of("format-1", tmp_path)
    with closing(sqlite3.connect(path, isolation_level=None)) as conn:
        conn.execute("UPDATE turn_attempts SET terminal_at = NULL")
        conn.execute("UPDATE turn_attempts SET turn_id = (SELECT min(turn_id) FROM turns)")
    before = content(path)
    with pytest.raises(GroupXError, match="step 2 of its upgrade") as caught:
        upgraded(path, BARE)
    assert caught.value.details["format"] == 1
    assert content(path) == before


@pytest.mark.parametrize("moment", ["the copy", "the check", "the steps"])
def test_it_can_be_given_up(moment: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = copy_of("format-9", tmp_path)
    before = content(path)
    monkeypatch.setattr("groupx.store.meter._INSTRUCTIONS_PER_TICK", 50)

    class Leaving(Watch):
        def unwanted(self) -> bool:
            begins = {"the copy": 0, "the check": 100, "the steps": 501}
            return bool(self.progress) and self.progress[-1] >= begins[moment]

    with pytest.raises(GroupXError, match="Start it again") as caught:
        upgraded(path, Upgrade(watch=Leaving()))
    assert caught.value.code is ErrorCode.RUNTIME_CLOSING
    assert content(path) == before
    kept = {path.name} | ({f"{path.name}{BAK}"} if moment == "the steps" else set())
    assert set(os.listdir(tmp_path)) == kept


# --- damage -----------------------------------------------------------------------------------

DAMAGE = {
    "a lost index": ("DROP INDEX events_room_seq_idx",),
    "a lost column": ("ALTER TABLE turns DROP COLUMN error_code",),
    "a lost trigger": ("DROP TRIGGER memory_records_ai",),
    "a lost table": ("DROP TABLE delivery_cursors",),
    "a stranger's table": ("CREATE TABLE mine (a)",),
    "a lost NOT NULL": ("turns", "adapter_id TEXT NOT NULL", "adapter_id TEXT"),
    "a weaker CHECK": ("turns", "hop_count >= 0", "hop_count >= -1"),
    "a raised marker": ("PRAGMA user_version = {next}",),
    "a raised marker and log": (
        "PRAGMA user_version = {next}",
        "INSERT INTO schema_migrations VALUES ({next}, '{name}', 't')",
    ),
}


@pytest.mark.parametrize("number", [1, 4, 8])
@pytest.mark.parametrize("damage", DAMAGE)
def test_a_damaged_old_database_keeps_every_byte(damage: str, number: int, tmp_path: Path) -> None:
    path = copy_of(f"format-{number}", tmp_path)
    with closing(sqlite3.connect(path, isolation_level=None)) as conn:
        if damage in {"a lost NOT NULL", "a weaker CHECK"}:
            name, old, new = DAMAGE[damage]
            (sql,) = conn.execute(
                "SELECT sql FROM sqlite_schema WHERE name = ?", (name,)
            ).fetchone()
            assert old in sql
            conn.execute("PRAGMA writable_schema = ON")
            conn.execute(
                "UPDATE sqlite_schema SET sql = ? WHERE name = ?", (sql.replace(old, new), name)
            )
        else:
            for statement in DAMAGE[damage]:
                conn.execute(statement.format(next=number + 1, name=STEPS[number].name))
    before = path.read_bytes()
    with pytest.raises(GroupXError) as caught:
        upgraded(path)
    assert caught.value.code is ErrorCode.SCHEMA_CORRUPT
    assert path.read_bytes() == before
    assert os.listdir(tmp_path) == [path.name]


APPROVALS = {
    "a table": ("CREATE TABLE approval_requests (a)",),
    "with rows": ("CREATE TABLE approval_requests (a)", "INSERT INTO approval_requests VALUES (1)"),
    "indexed": (
        "CREATE TABLE Approval_Requests (a UNIQUE, b REFERENCES turns(turn_id))",
        "CREATE INDEX approvals_by_b ON approval_requests(b)",
    ),
    "with a trigger": (
        "CREATE TABLE approval_requests (a)",
        "CREATE TRIGGER approved AFTER DELETE ON approval_requests"
        " BEGIN SELECT RAISE(ABORT, 'never'); END",
        "INSERT INTO approval_requests VALUES (1)",
    ),
    "without rowid": ("CREATE TABLE approval_requests (a PRIMARY KEY) WITHOUT ROWID",),
}


@pytest.mark.parametrize("number", [1, 2, 3])
@pytest.mark.parametrize("shape", APPROVALS)
def test_an_approval_table_goes_from_the_formats_that_had_one(
    shape: str, number: int, tmp_path: Path
) -> None:
    path = copy_of(f"format-{number}", tmp_path)
    with closing(sqlite3.connect(path, isolation_level=None)) as conn:
        conn.execute("DROP TABLE IF EXISTS approval_requests")
        for statement in APPROVALS[shape]:
            conn.execute(statement)
    if number == 3:
        with pytest.raises(GroupXError, match=r"unexpected .*approval"):
            upgraded(path, BARE)
        return
    with closing(upgraded(path, BARE)) as conn:
        assert describe(conn) == reference(CURRENT)


def test_what_hangs_on_another_table_is_not_an_approval(tmp_path: Path) -> None:
    path = copy_of("format-2", tmp_path)
    with closing(sqlite3.connect(path, isolation_level=None)) as conn:
        conn.execute(
            "CREATE TRIGGER ask AFTER INSERT ON turns BEGIN DELETE FROM approval_requests; END"
        )
    with pytest.raises(GroupXError, match="unexpected trigger ask"):
        upgraded(path)


# --- the copy -------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["format-1", "format-9", "format-9-crashed", "format-7-crashed"])
def test_the_copy_holds_what_was_there(name: str, tmp_path: Path) -> None:
    number = int(name.split("-")[1])
    path = copy_of(name, tmp_path)
    before = content(copy_of(name, tmp_path / "before"))
    upgraded(path).close()
    copy = Path(f"{path}{BAK}")
    assert stat.S_IMODE(copy.stat().st_mode) == 0o600
    assert set(os.listdir(tmp_path)) == {"before", path.name, copy.name}
    assert content(copy) == before
    with reading(copy) as conn:
        assert read_format(conn) == number
        assert conn.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    with closing(upgraded(copy, BARE)) as conn:  # and it can be gone back to
        assert describe(conn) == reference(CURRENT)


def test_a_link_is_not_a_copy(tmp_path: Path) -> None:
    path = copy_of("format-9", tmp_path)
    upgraded(path).close()
    Path(f"{path}{BAK}").rename(path)
    Path(f"{path}{BAK}").symlink_to(path)
    watch = Watch()
    upgraded(path, Upgrade(watch=watch)).close()
    second = Path(f"{path}.before-format-{CURRENT}.2.bak")
    assert Upgraded(found=9, copy=second) in watch.heard
    with reading(second) as conn:
        assert read_format(conn) == 9


def test_a_database_with_a_rollback_journal_is_upgraded_too(tmp_path: Path) -> None:
    path = copy_of("format-8", tmp_path)
    with closing(sqlite3.connect(path, isolation_level=None)) as conn:
        assert conn.execute("PRAGMA journal_mode = DELETE").fetchone() == ("delete",)
    before = content(path)
    with closing(upgraded(path)) as conn:
        assert describe(conn) == reference(CURRENT)
        assert conn.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    assert content(Path(f"{path}{BAK}")) == before


def test_no_copy_when_none_is_wanted(tmp_path: Path) -> None:
    path = copy_of("format-9", tmp_path)
    watch = Watch()
    upgraded(path, Upgrade(keep_copy=False, watch=watch)).close()
    assert os.listdir(tmp_path) == [path.name]
    assert Upgraded(found=9, copy=None) in watch.heard
    assert watch.progress[0] == 0


def test_a_copy_is_never_overwritten(tmp_path: Path) -> None:
    path = copy_of("format-9", tmp_path)
    first, third = Path(f"{path}{BAK}"), Path(f"{path}.before-format-{CURRENT}.3.bak")
    first.write_text("somebody's")
    Path(f"{path}.before-format-{CURRENT}.2.bak").symlink_to("nowhere")
    watch = Watch()
    upgraded(path, Upgrade(watch=watch)).close()
    assert first.read_text() == "somebody's"
    assert Upgraded(found=9, copy=third) in watch.heard
    with reading(third) as conn:
        assert read_format(conn) == 9


def test_an_upgrade_that_is_repeated_keeps_one_copy(tmp_path: Path) -> None:
    path = copy_of("format-9", tmp_path)

    def fail(point: str) -> None:
        if point == "upgrade.10":
            raise RuntimeError(point)

    for _ in range(2):
        with pytest.raises(RuntimeError):
            upgraded(path, Upgrade(watch=Watch(fail)))
    Path(f"{path}.before-format-{CURRENT}.part").write_text("of one that was killed")
    upgraded(path).close()
    assert set(os.listdir(tmp_path)) == {path.name, f"{path.name}{BAK}"}


@pytest.mark.parametrize("wrong", ["integrity", "rows", "format"])
def test_a_copy_that_is_not_good_stops_the_upgrade(
    wrong: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = copy_of("format-9", tmp_path)
    before = content(path)
    if wrong == "integrity":
        with closing(sqlite3.connect(path, isolation_level=None)) as conn:
            conn.execute("PRAGMA writable_schema = ON")
            conn.execute(
                "UPDATE sqlite_schema SET rootpage = (SELECT rootpage FROM sqlite_schema"
                " WHERE name = 'turns_correlation_idx') WHERE name = 'identity_author_idx'"
            )
        before = None
    elif wrong == "rows":
        counts = iter([{"turns": 1}, {"turns": 2}])
        monkeypatch.setattr(copying, "row_counts", lambda conn: next(counts))
    else:
        formats = iter([9, 8])
        monkeypatch.setattr(copying, "read_format", lambda conn: next(formats))
    with pytest.raises(GroupXError, match="No good copy") as caught:
        upgraded(path)
    assert caught.value.code is ErrorCode.STORE_UNAVAILABLE
    assert os.listdir(tmp_path) == [path.name]
    assert before is None or content(path) == before


def test_a_copy_that_cannot_be_written_stops_the_upgrade(tmp_path: Path) -> None:
    path = copy_of("format-9", tmp_path)
    Path(f"{path}.before-format-{CURRENT}.part").mkdir()
    before = content(path)
    with pytest.raises(GroupXError, match="No good copy") as caught:
        upgraded(path)
    assert caught.value.code is ErrorCode.STORE_UNAVAILABLE
    assert content(path) == before


# --- others -----------------------------------------------------------------------------------


def test_a_format_that_moves_is_followed(tmp_path: Path) -> None:
    """Between the look and the lock, another program upgrades it a step; then all the way."""
    path = copy_of("format-6", tmp_path)
    rounds = itertools.count(7)
    watch = Watch()

    def beaten(target: Target) -> sqlite3.Connection:
        number = next(rounds)
        if number <= 8:
            step_on(path, number)
        elif number == 9:
            upgraded(path, BARE).close()
        return open_connection(target)

    with closing(
        open_ledger(
            path, now_iso=NOW, database_id="loser", opener=beaten, upgrade=Upgrade(watch=watch)
        )
    ) as conn:
        assert conn.execute("SELECT database_id FROM groupx_instance").fetchone() == (
            "database_new",
        )
    assert next(rounds) == 7 + MAX_ROUNDS
    assert watch.heard == []
    assert os.listdir(tmp_path) == [path.name]


def test_a_format_that_keeps_moving_is_a_conflict(tmp_path: Path) -> None:
    path = copy_of("format-2", tmp_path)
    numbers = itertools.count(3)

    def mover(target: Target) -> sqlite3.Connection:
        step_on(path, next(numbers))
        return open_connection(target)

    with pytest.raises(GroupXError) as caught:
        open_ledger(path, now_iso=NOW, database_id="d", opener=mover)
    assert caught.value.code is ErrorCode.SCHEMA_CONFLICT
    assert caught.value.details["rounds"] == MAX_ROUNDS == 4
    assert next(numbers) == 3 + MAX_ROUNDS
    with reading(path) as conn:
        assert read_format(conn) == 2 + MAX_ROUNDS
    assert os.listdir(tmp_path) == [path.name]


def step_on(path: Path, number: int) -> None:
    """What the older program's own migration to format `number` leaves."""
    with closing(sqlite3.connect(path, isolation_level=None)) as conn:
        run_step(conn, STEPS[number - 1], {"now": "t", "database_id": "d"})
        conn.execute(f"PRAGMA user_version = {number}")


def test_the_marker_moves_only_from_what_it_was(tmp_path: Path) -> None:
    with closing(sqlite3.connect(copy_of("format-9", tmp_path), isolation_level=None)) as conn:
        run_step(conn, STEPS[9], {"now": "t", "database_id": "d"})
        assert not mark(conn, 8)
        assert mark(conn, 9)
        assert not mark(conn, 9)
        assert conn.execute("SELECT * FROM groupx_schema").fetchall() == [(1, CURRENT)]


_RACE = """
import sys
from pathlib import Path
from groupx.store.opening import open_ledger
print("ready", flush=True)
sys.stdin.readline()
conn = open_ledger(Path(sys.argv[1]), now_iso="t", database_id=sys.argv[2])
print(conn.execute("SELECT format, database_id FROM groupx_schema, groupx_instance").fetchone())
"""


@pytest.mark.slow
@pytest.mark.parametrize("name", ["format-1", "format-9-crashed"])
def test_processes_that_upgrade_at_once_agree(name: str, tmp_path: Path) -> None:
    path = copy_of(name, tmp_path)
    racers = [
        subprocess.Popen(
            [sys.executable, "-c", _RACE, str(path), f"database_{number}"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for number in range(2)
    ]
    for racer in racers:
        assert racer.stdout is not None
        assert racer.stdout.readline() == "ready\n"
    for racer in racers:
        assert racer.stdin is not None
        racer.stdin.write("\n")
        racer.stdin.flush()
    answers = {racer.communicate(timeout=30)[0] for racer in racers}
    assert [racer.returncode for racer in racers] == [0, 0]
    assert len(answers) == 1
    assert answers <= {f"({CURRENT}, 'database_{number}')\n" for number in range(2)}
    assert set(os.listdir(tmp_path)) == {path.name, f"{path.name}{BAK}"}


@pytest.mark.slow
def test_a_look_is_of_one_moment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = copy_of("format-9-crashed", tmp_path)
    upgrade_it = [sys.executable, "-c", _RACE, str(path), "database_1"]

    def then_another_upgrades(conn: sqlite3.Connection) -> int:
        number = read_format(conn)
        subprocess.run(upgrade_it, input="\n", text=True, check=True, timeout=30)
        return number

    monkeypatch.setattr(probe, "read_format", then_another_upgrades)
    assert probe.probe(path) == 9
    monkeypatch.undo()
    assert probe.probe(path) == CURRENT


_KILLED = """
import os, signal, sys
from pathlib import Path
from groupx.store.opening import open_ledger
from groupx.store.upgrade import Upgrade, UpgradeWatch

class Killer(UpgradeWatch):
    def __init__(self, point): self.point = point
    def progressed(self, done, total):
        if self.point == f"upgrade.progress {done}": self.reached(self.point)
    def reached(self, point):
        if point == self.point: os.kill(os.getpid(), signal.SIGKILL)

for point in sys.argv[2:]:
    child = os.fork()
    if child == 0:
        path = Path(sys.argv[1]) / point / "room.db"
        open_ledger(path, now_iso="t", database_id=point, upgrade=Upgrade(watch=Killer(point)))
        os._exit(1)
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""
_POINTS = (
    "upgrade.locked", "upgrade.progress 0", "upgrade.progress 100", "upgrade.copied",
    *(f"upgrade.{number}" for number in range(2, CURRENT + 1)),
    "upgrade.marked", "upgrade.committed",
)  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("name", ["format-1", "format-9-crashed"])
def test_killed_at_every_step_the_next_start_upgrades(name: str, tmp_path: Path) -> None:
    number = int(name.split("-")[1])
    with closing(upgraded(copy_of(name, tmp_path))) as conn:
        expected = snapshot(conn)
    points = [
        point
        for point in _POINTS
        if not point.removeprefix("upgrade.").isdigit() or int(point[8:]) > number
    ]
    for point in points:
        source = copy_of(name, tmp_path / point)
        for file in source.parent.iterdir():
            file.rename(file.with_name(file.name.replace(name, "room")))
    done = subprocess.run(
        [sys.executable, "-c", _KILLED, str(tmp_path), *points],
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert done.stdout.split() == ["-9"] * len(points), done.stderr
    for point in points:
        path = tmp_path / point / "room.db"
        with closing(upgraded(path)) as conn:
            found = snapshot(conn)
            assert conn.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
            assert conn.execute("PRAGMA foreign_key_check").fetchall() == []
            assert describe(conn) == reference(CURRENT)
        if point == "upgrade.committed":
            assert found["groupx_instance"][0]["database_id"] == point
            continue
        assert found == expected, point
        assert set(os.listdir(path.parent)) == {"room.db", f"room.db{BAK}"}
