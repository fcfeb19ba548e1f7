"""Progress at a terminal is one line that changes; in a log it is a few lines."""

import sys

import pytest

from groupx.cli.progress import ProgressLine


def test_a_log_gets_a_line_for_every_tenth(capsys: pytest.CaptureFixture[str]) -> None:
    line = ProgressLine("Upgrading")
    for done in (0, 1, 99, 100, 104, 250, 249, 1000):
        line.show(done, 1000)
    line.end()
    assert capsys.readouterr().out == (
        "Upgrading: 0 %\nUpgrading: 10 %\nUpgrading: 20 %\nUpgrading: 100 %\n"
    )


def test_a_terminal_gets_one_line(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    line = ProgressLine("Upgrading")
    line.end()  # nothing was shown, nothing to end
    for done in (0, 5, 13, 1000):
        line.show(done, 1000)
    line.end()
    line.end()
    assert capsys.readouterr().out == "\rUpgrading: 0 %\rUpgrading: 1 %\rUpgrading: 100 %\n"


def test_nothing_to_do_is_not_a_division(capsys: pytest.CaptureFixture[str]) -> None:
    ProgressLine("Upgrading").show(0, 0)
    assert capsys.readouterr().out == "Upgrading: 0 %\n"
