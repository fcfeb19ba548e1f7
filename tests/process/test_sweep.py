import os
import subprocess
import sys

import pytest

from groupx.process.environment import RUN_VARIABLE
from groupx.process.proctable import read_process
from groupx.process.sweep import record_run, sweep

RUN = "0123456789abcdef" * 2


def start(program, run: str) -> subprocess.Popen[bytes]:
    child = subprocess.Popen(
        program("say(1); wait()"),
        env={RUN_VARIABLE: f"{run}.1"},
        stdout=subprocess.PIPE,
        start_new_session=True,
    )
    assert child.stdout
    child.stdout.readline()
    child.stdout.close()
    return child


def test_leftovers_of_a_recorded_run_are_ended_and_no_other(program, tmp_path):
    record_run(tmp_path, RUN)
    straggler, stranger = start(program, RUN), start(program, "f" * 32)
    swept = sweep(tmp_path)
    assert straggler.wait(10) == -9
    assert swept.processes == ()
    assert swept.paths == ()
    assert list(tmp_path.iterdir()) == []
    assert stranger.poll() is None
    stranger.kill()
    stranger.wait()


def test_whoever_sweeps_is_spared_though_it_descends_from_that_run(tmp_path):
    record_run(tmp_path, RUN)
    source = (
        "import sys; from pathlib import Path; from groupx.process.sweep import sweep; "
        "print(sweep(Path(sys.argv[1])).processes)"
    )
    done = subprocess.run(
        ["sh", "-c", '"$@"; exit 0', "sh", sys.executable, "-c", source, str(tmp_path)],
        env={RUN_VARIABLE: f"{RUN}.1", "PATH": os.defpath},
        capture_output=True,
        text=True,
        timeout=20,
        check=False,
    )
    assert (done.stdout, done.returncode) == ("()\n", 0), done.stderr


def test_files_go_and_what_links_point_to_stays(tmp_path):
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "kept").write_text("x")
    run_dir = tmp_path / "run"
    assert sweep(run_dir).paths == ()
    assert run_dir.stat().st_mode & 0o777 == 0o700
    (run_dir / "session-1" / "deep").mkdir(parents=True)
    (run_dir / "session-1" / "deep" / "file").write_text("x")
    (run_dir / "session-1" / "link").symlink_to(outside)
    (run_dir / "link").symlink_to(outside)
    (run_dir / "socket.sock").write_text("")
    assert sweep(run_dir).paths == ()
    assert list(run_dir.iterdir()) == []
    assert (outside / "kept").read_text() == "x"


def test_the_own_process_is_in_the_table():
    row = read_process(os.getpid())
    assert row
    assert row.parent == os.getppid()
    assert not row.zombie


@pytest.mark.parametrize("name", ["x.run", "0" * 31 + ".run", "g" * 32 + ".run"])
def test_a_name_that_is_no_run_is_only_a_file(tmp_path, name):
    (tmp_path / name).touch()
    assert sweep(tmp_path).paths == ()
    assert list(tmp_path.iterdir()) == []
