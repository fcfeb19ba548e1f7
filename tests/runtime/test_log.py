"""Diagnostics are bounded, private lines."""

import logging
import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import structlog

from groupx import runtime_log
from groupx.runtime_log import configure_log


@pytest.fixture(autouse=True)
def _restored() -> Iterator[None]:
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    yield
    for handler in root.handlers:
        if handler not in handlers:
            handler.close()
    root.handlers = handlers
    root.setLevel(level)
    logging.getLogger("groupx").setLevel(logging.NOTSET)
    logging.raiseExceptions = True
    structlog.reset_defaults()


def test_a_line_is_one_line_and_bounded(tmp_path: Path):
    log = tmp_path / "groupx.log"
    configure_log(log)
    structlog.stdlib.get_logger("groupx.x").info("said\nthis", more="y" * 5000, left=[1] * 5000)
    (line,) = log.read_text().splitlines()
    assert "event='said\\nthis'" in line
    assert "logger='groupx.x'" in line
    assert len(line) < 2_500


def test_libraries_speak_only_of_trouble(tmp_path: Path):
    log = tmp_path / "groupx.log"
    configure_log(log)
    logging.getLogger("hypercorn").info("chatter")
    logging.getLogger("hypercorn").warning("trouble %s", "here")
    assert "chatter" not in log.read_text()
    assert "trouble here" in log.read_text()


def test_a_failure_keeps_its_traceback_within_the_bound(tmp_path: Path):
    log = tmp_path / "groupx.log"
    configure_log(log)
    try:
        raise RuntimeError("x" * 5000)
    except RuntimeError:
        structlog.stdlib.get_logger("groupx").exception("it failed")
    (line,) = log.read_text().splitlines()
    assert "Traceback" in line
    assert len(line) < 2_500


@pytest.mark.parametrize("to_file", [True, False])
@pytest.mark.parametrize(
    "logger", [structlog.stdlib.get_logger("groupx.web"), logging.getLogger("hypercorn")]
)
def test_a_traceback_shows_no_locals(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], to_file: bool, logger: Any
):
    def answer(secret: str) -> None:
        headers = {"authorization": f"Bearer {secret}"}
        raise RuntimeError(f"{len(headers)} header")

    log = tmp_path / "groupx.log"
    configure_log(log if to_file else None)
    try:
        answer("".join(["s3", "cret"]))
    except RuntimeError as error:
        logger.exception("it failed")
        logger.error("it failed", exc_info=error)
        logger.warning("it failed", exc_info=True)
    printed = capsys.readouterr()
    said = printed.out + printed.err + (log.read_text() if to_file else "")
    assert said.count("1 header") >= 3
    assert "s3cret" not in said
    assert "authorization" not in said


def test_the_file_is_private_and_does_not_grow(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(runtime_log, "MAX_LOG_BYTES", 2_000)
    log = tmp_path / "groupx.log"
    before = os.umask(0)
    try:
        configure_log(log)
        for count in range(200):
            structlog.stdlib.get_logger("groupx").warning("again", count=count)
    finally:
        os.umask(before)
    files = sorted(tmp_path.iterdir())
    assert len(files) == 1 + runtime_log.KEPT_LOGS
    for file in files:
        assert stat.S_IMODE(file.stat().st_mode) == 0o600
        assert file.stat().st_size <= 2_000


def test_at_a_terminal_only_trouble_is_shown(capsys: pytest.CaptureFixture[str]):
    configure_log(None)
    structlog.stdlib.get_logger("groupx").info("ready")
    structlog.stdlib.get_logger("groupx").error("broken")
    shown = capsys.readouterr().err
    assert "ready" not in shown
    assert "broken" in shown
