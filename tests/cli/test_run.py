"""How a run begins again in its own place."""

import os
import sys
from pathlib import Path

import pytest

from groupx.cli import run
from groupx.cli.announcing import Announcer
from groupx.cli.place import Place
from groupx.domain.config_parsing import parse_config

CONFIG = b'{"server":{"port":4320},"agents":{"a":{"driver":"demo","cwd":"."}}}'


def order(folder: Path, **ports: int | None) -> run._Order:
    return run._Order(
        place=Place(config_path=folder / "groupx.json", chosen_by="a test"),
        keep_copy=True,
        log_file=None,
        announcer=Announcer(False, None),
        **ports,
    )


@pytest.mark.parametrize(
    ("port", "kept_port", "listens"),
    [(None, None, 4320), (None, 5000, 5000), (5001, None, 5001), (5001, 5000, 5001), (0, 5000, 0)],
)
def test_a_run_listens_where_it_was_told_to_then_where_it_was_then_as_configured(
    tmp_path: Path, port: int | None, kept_port: int | None, listens: int
):
    config = parse_config(CONFIG, path=str(tmp_path / "groupx.json"), drivers=("demo",))
    assert order(tmp_path, port=port, kept_port=kept_port).plan(config).listen_port == listens


@pytest.mark.parametrize(
    ("given", "again"), [(None, (None, 5000)), (0, (5000, None)), (5000, (5000, None))]
)
def test_a_restart_keeps_the_port_and_whether_the_command_line_named_it(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    given: int | None,
    again: tuple[int | None, int | None],
):
    executed: list[list[str]] = []
    monkeypatch.setattr(os, "execv", lambda _path, argv: executed.append(argv))
    monkeypatch.setattr(run, "hold_signals_for_exec", lambda: None)
    run._begin_again(order(tmp_path, port=given, kept_port=None), 5000)
    [[python, *_, name, _option, config]] = [executed[0][:6]]
    assert (python, name, config) == (sys.executable, "run", str(tmp_path / "groupx.json"))
    context = run.command.make_context("run", executed[0][4:])
    assert (context.params["port"], context.params["kept_port"]) == again
