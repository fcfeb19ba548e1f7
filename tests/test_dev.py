"""`./dev`: quiet while all is well; what pip said only when it failed."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parent.parent / "dev"


@pytest.mark.parametrize(("code", "said"), [("0", ""), ("1", "WARNING: of pip\n")])
def test_pip_is_heard_only_when_it_fails(tmp_path: Path, code: str, said: str):
    shutil.copy(SCRIPT, tmp_path / "dev")
    (tmp_path / "pyproject.toml").write_text("")
    page = tmp_path / "tests/ui"
    (page / "node_modules").mkdir(parents=True)
    for lock in ("package-lock.json", "node_modules/.installed"):  # nothing to install there
        (page / lock).write_text("{}")
    python = tmp_path / ".venv/bin/python"
    python.parent.mkdir(parents=True)
    python.write_text('#!/bin/sh\necho "WARNING: of pip" >&2\nexit "$PIP_EXITS"\n')
    python.chmod(0o700)
    done = subprocess.run(
        [str(tmp_path / "dev"), "setup"],
        env={**os.environ, "PIP_EXITS": code},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (str(done.returncode), done.stderr) == (code, said)
    assert (tmp_path / ".venv/.installed-test,lint").exists() is (code == "0")
