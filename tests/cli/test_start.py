"""A start is over when the daemon it began is ready, or has ended; nothing else counts."""

import os
from pathlib import Path
from typing import Any

import attrs
import pytest
from click.testing import CliRunner

from groupx.cli import group, start
from groupx.cli.failures import Refused
from groupx.cli.place import Place, find_place
from groupx.cli.running import Running
from groupx.domain.config_parsing import SMALLEST_CONFIG

PID = 4_242


@attrs.define
class FakeDaemon:
    """Ends with `returncode` once it was asked `lives` times; None = it lives on."""

    lives: int
    returncode: int | None
    pid: int = PID

    def poll(self) -> int | None:
        self.lives -= 1
        return self.returncode if self.lives < 0 else None


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Place:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("GROUPX_CONFIG", raising=False)
    monkeypatch.delenv("GROUPX_DB", raising=False)
    (tmp_path / "groupx.json").write_text(SMALLEST_CONFIG)
    return find_place(config=None, demo=False)


def launched(
    place: Place, monkeypatch: pytest.MonkeyPatch, daemon: FakeDaemon, *seen: tuple[str, int]
) -> Running:
    """`seen`: what the health says and who wrote down the port, at each look; the last stays."""
    looks = iter((*seen, *[seen[-1]] * 99))
    writer = [0]

    def look(_: Place) -> Running:
        status, writer[0] = next(looks)
        return Running(port=1, health={"status": status})

    def popen(*_: Any, **__: Any) -> FakeDaemon:
        return daemon

    monkeypatch.setattr(start.subprocess, "Popen", popen)
    monkeypatch.setattr(start, "find_running", look)
    monkeypatch.setattr(start, "written_pid", lambda _: writer[0])
    return start.launch(place)


def test_a_daemon_that_closes_as_it_starts_did_not_start(
    place: Place, monkeypatch: pytest.MonkeyPatch
):
    with pytest.raises(Refused, match="did not start"):
        launched(place, monkeypatch, FakeDaemon(2, 1), ("starting", PID), ("closing", PID))


def test_the_room_of_another_start_is_not_ours(place: Place, monkeypatch: pytest.MonkeyPatch):
    with pytest.raises(Refused, match="did not start"):
        launched(place, monkeypatch, FakeDaemon(2, 1), ("ready", os.getpid()))


def test_ours_is_started_once_it_is_ready(place: Place, monkeypatch: pytest.MonkeyPatch):
    found = launched(place, monkeypatch, FakeDaemon(9, None), ("starting", PID), ("ready", PID))
    assert found.health["status"] == "ready"


def test_a_room_that_is_stopping_does_not_run_already(
    place: Place, monkeypatch: pytest.MonkeyPatch
):
    closing = Running(port=1, health={"status": "closing"})
    monkeypatch.setattr(start, "find_running", lambda _: closing)
    done = CliRunner().invoke(group, ["start"])
    assert done.exit_code == 1
    assert "just stopping" in done.output
