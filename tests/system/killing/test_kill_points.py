"""Killed at each point of a turn's way, the room keeps its promise. Whole: `./dev kill`."""

import pytest

from groupx.domain.kill_points import POINTS
from tests.system.killing.conftest import CASES, Killed
from tests.system.killing.table import AT_DEATH, rows, victims

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]


def test_there_is_a_case_for_every_point() -> None:
    assert set(CASES) == set(AT_DEATH) == set(POINTS)


@pytest.mark.parametrize("point", CASES)
def test_the_promise_is_kept(point: str, killed: Killed) -> None:
    assert killed(point).problems == ()


@pytest.mark.parametrize("point", CASES)
def test_the_point_lies_where_its_name_says(point: str, killed: Killed) -> None:
    found = list(victims(killed(point)))
    assert found
    if point == "invoke.committed":
        assert not all(victim.seen for victim in found)
    if point in ("prompt.written", "started.committed", "terminal.before", "terminal.committed"):
        assert any(victim.seen for victim in found)


def test_a_piece_of_a_prompt_is_no_prompt(killed: Killed) -> None:
    assert any(not victim.seen for victim in victims(killed("prompt.first_byte")))
    ends = {victim.end for victim in victims(killed("prompt.first_byte"))}
    assert "interrupted, unknown" in ends


def test_what_was_only_queued_is_done_after_the_restart(killed: Killed) -> None:
    ends = {victim.end for victim in victims(killed("accept.committed"))}
    assert ends == {"completed"}


def test_a_program_that_remembers_is_believed(killed: Killed) -> None:
    """Killed before it heard of the answer, asked twice: the answer is in the room, once."""
    assert "completed" in {victim.end for victim in victims(killed("recovery.phase2"))}


def test_a_row_of_the_table_tells_a_point(killed: Killed) -> None:
    (row,) = rows([killed("terminal.committed")])
    times = len(list(victims(killed("terminal.committed"))))
    told = f"{times} of {times}: completed"
    assert row == f"| `terminal.committed` | {told} | – | – |"
