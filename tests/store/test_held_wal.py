"""An old database that is not upgraded keeps every byte, and its `-wal` with it."""

import resource
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from groupx.domain.errors import GroupXError
from groupx.store.connection import Target, open_connection
from groupx.store.formats.chain import CURRENT
from groupx.store.markers import read_format
from groupx.store.opening import open_ledger
from groupx.store.upgrade import PLAIN, Upgrade, UpgradeWatch
from tests.store.released import NOW, copy_of, reading, upgraded

NAME = "format-9-crashed"
WITH_COPY = {f"{NAME}.db", f"{NAME}.db-wal", f"{NAME}.db.before-format-{CURRENT}.bak"}


def held(path: Path) -> dict[str, bytes]:
    return {
        file.name: file.read_bytes()
        for file in path.parent.iterdir()
        if file.name in {path.name, f"{path.name}-wal"}
    }


class Fails(UpgradeWatch):
    def __init__(self, at: str) -> None:
        self.at = at

    def reached(self, point: str) -> None:
        if point == self.at:
            raise RuntimeError(point)


@pytest.fixture
def crashed(tmp_path: Path) -> Path:
    """With the newest of it in the `-wal` only."""
    path = copy_of(NAME, tmp_path)
    assert Path(f"{path}-wal").stat().st_size > 0
    return path


@pytest.mark.parametrize("at", ["locked", "copied", "10", "marked"])
def test_an_upgrade_that_fails_leaves_both(crashed: Path, at: str) -> None:
    before = held(crashed)
    with pytest.raises(RuntimeError):
        upgraded(crashed, Upgrade(watch=Fails(f"upgrade.{at}")))
    assert held(crashed) == before
    names = {file.name for file in crashed.parent.iterdir()}
    assert names == (WITH_COPY if at != "locked" else set(before))
    upgraded(crashed).close()


def test_so_does_one_behind_a_link(crashed: Path, tmp_path: Path) -> None:
    link = tmp_path / "rooms" / "link.db"
    link.parent.mkdir()
    link.symlink_to(crashed)
    before = held(crashed)
    with pytest.raises(RuntimeError):
        upgraded(link, Upgrade(keep_copy=False, watch=Fails("upgrade.marked")))
    assert held(crashed) == before
    assert {file.name for file in tmp_path.iterdir()} == {*before, "rooms"}


def test_what_it_wrote_beyond_its_cache_is_cut_off(crashed: Path) -> None:
    """Too much for the memory goes to the `-wal` before the COMMIT."""
    before = held(crashed)

    def small(target: Target) -> sqlite3.Connection:
        conn = open_connection(target)
        conn.execute("PRAGMA cache_size = 1")
        return conn

    grown: list[bool] = []

    class Looks(Fails):
        def reached(self, point: str) -> None:
            if point == self.at:
                grown.append(held(crashed) != before)
            super().reached(point)

    with pytest.raises(RuntimeError):
        open_ledger(
            crashed,
            now_iso=NOW,
            database_id="d",
            opener=small,
            upgrade=Upgrade(watch=Looks("upgrade.marked")),
        )
    assert grown == [True]
    assert held(crashed) == before
    upgraded(crashed).close()


@pytest.mark.parametrize("upgrade", [PLAIN, Upgrade(keep_copy=False)], ids=["copy", "no copy"])
def test_a_damaged_page_leaves_both(tmp_path: Path, upgrade: Upgrade) -> None:
    live = copy_of("format-9", tmp_path / "live")
    with closing(sqlite3.connect(live, isolation_level=None)) as conn:
        (page,) = conn.execute(
            "SELECT rootpage FROM sqlite_schema WHERE name = 'events'"
        ).fetchone()
        conn.execute("CREATE TABLE IF NOT EXISTS rooms_not_there (a)")
        conn.execute("DROP TABLE rooms_not_there")
        killed = shutil.copytree(
            live.parent, tmp_path / "killed", ignore=shutil.ignore_patterns("*-shm")
        )
    path = killed / live.name
    with path.open("r+b") as file:
        file.seek((page - 1) * 4096)
        file.write(bytes(4096))
    before = held(path)
    assert len(before) == 2
    with pytest.raises(GroupXError):
        upgraded(path, upgrade)
    assert held(path) == before
    assert {file.name for file in killed.iterdir()} == set(before)


_CRAMPED = """
import resource, sys
from pathlib import Path
from groupx.domain.errors import GroupXError
from groupx.store.opening import open_ledger
from groupx.store.upgrade import Upgrade
path, most = Path(sys.argv[1]), int(sys.argv[2])
resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))
try:
    open_ledger(path, now_iso="t", database_id="d", upgrade=Upgrade(keep_copy=False)).close()
except GroupXError as error:
    print(error.code, error.message)
    sys.exit(3)
"""


def cramped(path: Path, most: int) -> subprocess.CompletedProcess[str]:
    """As on a full disk: no file may become larger than `most` bytes."""
    assert resource.getrlimit(resource.RLIMIT_FSIZE)[1] == resource.RLIM_INFINITY
    return subprocess.run(
        [sys.executable, "-c", _CRAMPED, str(path), str(most)],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


@pytest.mark.slow
def test_a_full_disk_leaves_both_or_the_upgrade_is_done(crashed: Path, tmp_path: Path) -> None:
    """With less and less space: refused with every byte as it was, or upgraded and open."""
    before = held(crashed)
    wal = len(before[f"{NAME}.db-wal"])
    endings: set[int] = set()
    for number, more in enumerate((0, 8_000, 100_000, 200_000, 300_000, 10_000_000)):
        folder = tmp_path / f"full-{number}"
        path = copy_of(NAME, folder)
        done = cramped(path, wal + more)
        endings.add(done.returncode)
        if done.returncode == 3:
            assert "as it was" in done.stdout, done
            assert held(path) == before
        else:
            assert done.returncode == 0, done.stderr
            with reading(path) as conn:
                assert read_format(conn) == CURRENT
        upgraded(path).close()
    assert endings == {0, 3}


def test_a_checkpoint_that_fails_after_the_commit_changes_nothing(crashed: Path) -> None:
    """It is upgraded, so nobody may say that it is as it was."""

    def without_checkpoint(target: Target) -> sqlite3.Connection:
        conn = open_connection(target)

        def forbid(action: int, first: str | None, *_rest: object) -> int:
            full = action == sqlite3.SQLITE_PRAGMA and first == "wal_checkpoint"
            return sqlite3.SQLITE_DENY if full else sqlite3.SQLITE_OK

        conn.set_authorizer(forbid)
        return conn

    with closing(
        open_ledger(crashed, now_iso=NOW, database_id="d", opener=without_checkpoint)
    ) as conn:
        assert read_format(conn) == CURRENT


def test_an_upgrade_by_another_in_between_is_not_cut_off(crashed: Path) -> None:
    """What others commit behind ours stays, whatever we give up."""

    def beaten(target: Target) -> sqlite3.Connection:
        upgraded(crashed, Upgrade(keep_copy=False)).close()
        return open_connection(target)

    with closing(open_ledger(crashed, now_iso=NOW, database_id="d", opener=beaten)) as conn:
        assert read_format(conn) == CURRENT
