"""What the system refuses is one message with what to do, never a traceback."""

import errno
import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import groupx.cli
from groupx.cli.failures import REFUSED, words_of
from groupx.domain.config_parsing import SMALLEST_CONFIG

Said = Callable[..., str]


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("GROUPX_CONFIG", "GROUPX_DB"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "xdg"))
    (tmp_path / "groupx.json").write_text(SMALLEST_CONFIG)


@pytest.fixture
def said(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Said:
    """What a command says as it refuses."""

    def run(*argv: str) -> str:
        monkeypatch.setattr(sys, "argv", ["groupx", *argv])
        with pytest.raises(SystemExit) as caught:
            groupx.cli.main()
        assert caught.value.code == REFUSED
        shown = capsys.readouterr().err
        assert shown.startswith("groupx: ")
        assert "Traceback" not in shown
        return shown

    return run


@pytest.mark.parametrize(
    ("number", "advice"),
    [
        (errno.EACCES, "yours"),
        (errno.EROFS, "can be written"),
        (errno.ENOSPC, "room"),
        (errno.ENOENT, "right"),
        (errno.ENOTDIR, "right"),
        (errno.EMFILE, "open files"),
        (errno.EIO, "then try again"),
    ],
)
def test_every_refusal_names_the_path_the_reason_and_what_to_do(number: int, advice: str):
    words = words_of(OSError(number, os.strerror(number), "/some/where"))
    assert "/some/where" in words
    assert os.strerror(number).lower() in words
    assert "stopped" in words
    assert advice in words
    assert "None" not in words_of(OSError(number, os.strerror(number)))
    assert words_of(OSError())


def test_a_path_of_bytes_is_shown_as_text():
    assert "/some/where cannot" in words_of(OSError(errno.EIO, "bad", b"/some/where"))


COMMANDS = [
    ["run"], ["start"], ["stop"], ["restart"], ["status"], ["open"], ["backup"], ["export"],
    ["token", "rotate"], ["debug", "paths"], ["restore", "x"],
]  # fmt: skip


@pytest.mark.parametrize("argv", COMMANDS, ids=" ".join)
def test_in_a_folder_that_is_gone(
    argv: list[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    said: Said,
):
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    assert "does not exist any more" in said(*argv)


@pytest.mark.parametrize(
    "argv", [["start", "--no-open"], ["run", "--port", "0"], ["token", "rotate"]]
)
def test_where_the_data_directory_cannot_be(
    argv: list[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    said: Said,
):
    (tmp_path / ".groupx").write_text("a file")
    monkeypatch.setattr("groupx.runtime.configure_log", lambda _: None)
    assert said(*argv)


@pytest.mark.parametrize("command", ["run", "start"])
def test_where_the_demo_cannot_be(
    command: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    said: Said,
):
    (tmp_path / "xdg").write_text("a file")
    assert str(tmp_path / "xdg") in said(command, "--demo")


def test_a_token_that_cannot_be_replaced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, said: Said
):
    data = tmp_path / ".groupx"
    data.mkdir()
    (data / "token").write_text("x")

    def refuse(_path: object) -> str:
        raise PermissionError(errno.EACCES, "Permission denied", str(data / "token"))

    monkeypatch.setattr("groupx.web.token.rotate_token", refuse)
    assert "Make it yours" in said("token", "rotate")
