"""A run that is told where to die refuses a place that there is not, before it touches anything."""

from pathlib import Path

import pytest
from click.testing import CliRunner

from groupx.cli.run import command
from groupx.process.environment import RUN_VARIABLE
from groupx.process.killing import KILL_VARIABLE, armed


def test_an_unknown_point_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(RUN_VARIABLE, raising=False)
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(command, ["--demo"], env={KILL_VARIABLE: "nowhere"})
    assert done.exit_code == 1
    assert "there is no point 'nowhere' (there are accept.committed, " in done.output
    assert list(tmp_path.iterdir()) == []
    assert not armed()
