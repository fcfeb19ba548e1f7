"""The front of the command line: quick, complete, clear about what is refused."""

import subprocess
import sys

import pytest
from click.testing import CliRunner

import groupx.cli
from groupx.cli import group

HEAVY = ("trio", "quart", "hypercorn", "sqlite3", "cattrs")


def test_help_lists_every_command_and_the_exit_codes():
    result = CliRunner().invoke(group, ["--help"])
    assert result.exit_code == 0
    for name in ("run", "start", "stop", "restart", "status", "open", "token", "debug"):
        assert name in result.output
    assert "70" in result.output


@pytest.mark.slow
def test_help_imports_nothing_heavy():
    script = (
        "import sys; sys.argv = ['groupx', '--help']\n"
        "import groupx.cli\n"
        "try: groupx.cli.main()\n"
        f"finally: sys.stderr.write(' '.join(m for m in {HEAVY} if m in sys.modules))"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0
    assert done.stderr == ""


@pytest.mark.parametrize(
    "argv", [["run"], ["start"], ["token", "rotate"], ["debug", "paths"], ["status"]]
)
def test_every_command_explains_itself(argv: list[str]):
    result = CliRunner().invoke(group, [*argv, "--help"])
    assert result.exit_code == 0
    assert "--config" in result.output


def run_main(monkeypatch: pytest.MonkeyPatch, *argv: str) -> int:
    monkeypatch.setattr(sys, "argv", ["groupx", *argv])
    with pytest.raises(SystemExit) as caught:
        groupx.cli.main()
    assert isinstance(caught.value.code, int)
    return caught.value.code


def test_windows_is_refused_in_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    monkeypatch.setattr(sys, "platform", "win32")
    assert run_main(monkeypatch, "run") == 1
    said = capsys.readouterr().err.strip()
    assert "Linux and macOS" in said
    assert "\n" not in said


@pytest.mark.parametrize("argv", [["nonsense"], ["run", "--nonsense"], ["run", "--port", "70000"]])
def test_a_wrong_command_line_is_exit_1(
    argv: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    assert run_main(monkeypatch, *argv) == 1
    assert capsys.readouterr().err


def test_ctrl_c_is_no_traceback(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(group, "main", interrupted)
    assert run_main(monkeypatch, "status") == 1
    assert "Traceback" not in capsys.readouterr().err
