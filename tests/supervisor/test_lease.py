import fcntl
import os
import subprocess
import sys

import pytest

from groupx.supervisor import lease as leases
from groupx.supervisor.lease import (
    DatabaseLinked,
    LeaseImpossible,
    LeaseTaken,
    RunLease,
    is_free,
    lock_files,
)


@pytest.fixture
def place(tmp_path):
    return tmp_path / "db" / "room.sqlite3", tmp_path / "data"


def test_one_at_a_time(place):
    assert is_free(*place)
    assert not place[1].exists(), "asking creates nothing"
    with RunLease.acquire(*place):
        assert not is_free(*place)
        with pytest.raises(LeaseTaken, match=r"room\.sqlite3\.lock"):
            RunLease.acquire(*place)
    assert is_free(*place)
    RunLease.acquire(*place).release()


def test_either_file_is_enough_to_refuse(place, tmp_path):
    with RunLease.acquire(*place):
        with pytest.raises(LeaseTaken, match=r"runtime\.lock"):
            RunLease.acquire(tmp_path / "other.sqlite3", place[1])
        with pytest.raises(LeaseTaken, match=r"room\.sqlite3\.lock"):
            RunLease.acquire(place[0], tmp_path / "other-data")
        assert is_free(tmp_path / "other.sqlite3", tmp_path / "other-data")


def test_a_link_to_the_database_is_the_database(place, tmp_path):
    place[0].parent.mkdir()
    place[0].touch()
    link = tmp_path / "link.sqlite3"
    link.symlink_to(place[0])
    with RunLease.acquire(*place), pytest.raises(LeaseTaken):
        RunLease.acquire(link, tmp_path / "other-data")


def test_the_files_are_private_empty_and_stay(place):
    RunLease.acquire(*place).release()
    for path in lock_files(*place):
        assert path.stat().st_mode & 0o777 == 0o600
        assert path.stat().st_size == 0


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_children_do_not_inherit_it(place):
    with RunLease.acquire(*place):
        listing = subprocess.run(
            ["ls", "-l", "/proc/self/fd"], close_fds=False, capture_output=True, check=True
        )
    assert b"/dev/null" in listing.stdout or b"pipe:" in listing.stdout
    assert b".lock" not in listing.stdout


def test_a_database_in_memory_needs_only_the_folder(place):
    with RunLease.acquire(None, place[1]):
        assert not is_free(None, place[1])
        assert lock_files(None, place[1]) == (place[1].resolve() / "runtime.lock",)


@pytest.mark.slow
def test_the_kernel_frees_it_with_a_killed_holder(place):
    source = (
        "import sys; from pathlib import Path; from groupx.supervisor.lease import RunLease\n"
        "lease = RunLease.acquire(Path(sys.argv[1]), Path(sys.argv[2]))\n"
        "print('held', flush=True); sys.stdin.read()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", source, *map(str, place)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as holder:
        assert holder.stdout
        assert holder.stdout.readline() == b"held\n"
        assert not is_free(*place)
        holder.kill()
        holder.wait()
        RunLease.acquire(*place).release()


def test_a_refusal_leaves_nothing_held(place, tmp_path):
    other = tmp_path / "other-data"
    with RunLease.acquire(tmp_path / "x.sqlite3", other), pytest.raises(LeaseTaken):
        RunLease.acquire(place[0], other)
    RunLease.acquire(*place).release()


def test_what_cannot_be_used_is_said(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(LeaseImpossible, match="writable"):
        RunLease.acquire(tmp_path / "file" / "db", tmp_path / "data")
    (tmp_path / "data").mkdir()
    os.symlink(tmp_path / "file", tmp_path / "data" / "runtime.lock")
    with pytest.raises(LeaseImpossible, match=r"runtime\.lock"):
        RunLease.acquire(tmp_path / "db", tmp_path / "data")
    with pytest.raises(LeaseImpossible, match=r"runtime\.lock"):
        is_free(tmp_path / "db", tmp_path / "data")


def test_a_database_with_a_second_name_is_refused(place, tmp_path):
    place[0].parent.mkdir()
    place[0].touch()
    os.link(place[0], tmp_path / "twin.sqlite3")
    with pytest.raises(DatabaseLinked, match=r"room\.sqlite3 has more than one name"):
        RunLease.acquire(*place)
    assert is_free(*place), "a refusal holds nothing"
    (tmp_path / "twin.sqlite3").unlink()
    RunLease.acquire(*place).release()


def test_who_asks_whether_it_is_free_stops_nobody(place, monkeypatch):
    RunLease.acquire(*place).release()
    asking = os.open(lock_files(*place)[0], os.O_RDWR)
    fcntl.flock(asking, fcntl.LOCK_SH)
    assert is_free(*place), "another who asks"
    monkeypatch.setattr(leases.time, "sleep", lambda _: fcntl.flock(asking, fcntl.LOCK_UN))
    RunLease.acquire(*place).release()
    os.close(asking)


TAKEN = {
    "removed": lambda file: file.unlink(),
    "moved": lambda file: file.rename(file.with_name("elsewhere")),
    "its folder moved": lambda file: file.parent.rename(file.parent.with_name("other")),
}


@pytest.mark.parametrize("how", TAKEN)
@pytest.mark.parametrize("number", [0, 1])
def test_a_lock_file_that_is_taken_away_is_named(place, number, how):
    with RunLease.acquire(*place) as lease:
        assert lease.lost() is None
        file = lock_files(*place)[number]
        TAKEN[how](file)
        assert lease.lost() == str(file)
        file.parent.mkdir(exist_ok=True)
        file.touch()
        assert lease.lost() == str(file), "a new file of that name is not the held one"
