"""A look at a database that this user may not write leaves nothing, and opening it is refused."""

import os
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from tests.store.released import copy_of

_LOOK = """
import os, sys
from pathlib import Path
from groupx.domain.errors import GroupXError
from groupx.store.opening import open_ledger
from groupx.store.probe import probe
path = Path(sys.argv[1])
assert not os.access(sys.argv[2], os.W_OK)
print(probe(path))
print(sorted(os.listdir(path.parent)))
try:
    open_ledger(path, now_iso="t", database_id="d")
except GroupXError as error:
    print(error.code, error.message)
print(sorted(os.listdir(path.parent)))
"""
_DROPPED = "-dac_override,-dac_read_search,-fowner"


def as_a_user(path: Path, unwritable: Path) -> list[str]:
    """What one says who may do only what the modes allow, which root is not."""
    command = [sys.executable, "-c", _LOOK, str(path), str(unwritable)]
    if os.geteuid() == 0:
        setpriv = shutil.which("setpriv")
        if setpriv is None:
            pytest.skip("root may write everything, and there is no setpriv")
        command = [setpriv, f"--bounding-set={_DROPPED}", f"--inh-caps={_DROPPED}", *command]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


@pytest.mark.slow
@pytest.mark.parametrize("name", ["format-9", "format-9-crashed", "format-10"])
@pytest.mark.parametrize("which", ["", "-wal"])
def test_what_cannot_be_written_is_named_and_nothing_is_left(
    tmp_path: Path, name: str, which: str
) -> None:
    path = copy_of(name, tmp_path)
    unwritable = Path(f"{path}{which}")
    if not unwritable.exists():
        pytest.skip("it has none")
    unwritable.chmod(0o400)
    before = {file.name: file.read_bytes() for file in tmp_path.iterdir()}
    number = name.split("-")[1]
    found, looked, refused, tried = as_a_user(path, unwritable)
    assert found == number
    assert looked == tried == str(sorted(before))
    assert refused.startswith("STORE_UNAVAILABLE The database cannot be opened: ")
    assert f"{unwritable} cannot be written" in refused
    assert {file.name: file.read_bytes() for file in tmp_path.iterdir()} == before


@pytest.mark.slow
def test_sidecars_that_another_uses_stay(tmp_path: Path) -> None:
    """Whoever may write it has it open; the look of one who may not takes nothing away."""
    path = copy_of("format-9", tmp_path)
    with closing(sqlite3.connect(path, isolation_level=None)) as conn:
        conn.execute("PRAGMA user_version = 9")
        path.chmod(0o400)
        found, looked, *_ = as_a_user(path, path)
        assert found == "9"
        assert looked == str(sorted(["format-9.db", "format-9.db-shm", "format-9.db-wal"]))


@pytest.mark.slow
def test_one_in_the_middle_of_a_change_is_not_taken_as_it_is(tmp_path: Path) -> None:
    """Its rollback journal tells what it should hold."""
    live = copy_of("format-9", tmp_path / "live")
    (tmp_path / "killed").mkdir()
    path = tmp_path / "killed" / "x.db"
    with closing(sqlite3.connect(live, isolation_level=None)) as conn:
        conn.execute("PRAGMA journal_mode = DELETE")
        conn.execute("PRAGMA cache_size = 1")
        conn.execute("BEGIN")
        conn.execute("UPDATE events SET room_id = room_id || 'x'")
        shutil.copyfile(live, path)
        shutil.copyfile(f"{live}-journal", f"{path}-journal")
        conn.execute("ROLLBACK")
    path.chmod(0o400)
    with pytest.raises(AssertionError, match="in the middle of a change"):
        as_a_user(path, path)
