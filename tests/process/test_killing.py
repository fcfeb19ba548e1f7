"""The order to die at a named point: read strictly, obeyed exactly, and nothing without it."""

import signal
import subprocess
import sys

import pytest

from groupx.domain.kill_points import BESIDE, POINTS
from groupx.process.killing import KillOrder, armed, passed, read_order

_PROGRAM = """
import sys
from groupx.process.killing import arm, passed, read_order
arm(read_order(sys.argv[1]))
for number in range(1, 4):
    for point in ("stream.mid", "terminal.before"):
        passed(point)
        print(point, number, flush=True)
"""


@pytest.mark.parametrize(
    ("text", "order"),
    [
        ("stream.mid", KillOrder("stream.mid", 1, 0)),
        ("stream.mid:3", KillOrder("stream.mid", 3, 0)),
        ("upgrade.10:1:50", KillOrder("upgrade.10", 1, 50)),
        *((point, KillOrder(point)) for point in (*POINTS, *BESIDE)),
    ],
)
def test_an_order_is_read(text: str, order: KillOrder) -> None:
    assert read_order(text) == order


@pytest.mark.parametrize(
    "text", ["", "stream", "stream.mid:x", "stream.mid:-1", "stream.mid:1:2:3", "stream.mid:0"]
)
def test_what_is_no_order_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"there is no point|is not POINT|first passing"):
        read_order(text)


def test_nothing_is_armed_in_an_ordinary_run() -> None:
    assert not armed()
    for point in POINTS:
        passed(point)  # and this process is still here


@pytest.mark.slow
def test_it_dies_at_that_passing_of_that_point() -> None:
    done = subprocess.run(
        [sys.executable, "-c", _PROGRAM, "terminal.before:2"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == -signal.SIGKILL, done.stderr
    assert done.stdout.split("\n")[-2] == "stream.mid 2"
