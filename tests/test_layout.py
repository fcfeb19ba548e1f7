"""The shape of the house: files stay small, layers are declared, tests mirror the code."""

import ast
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
MAX_LINES = 800
SOURCES = sorted(
    path
    for folder in ("groupx", "conformance", "benchmarks", "tests")
    for path in (ROOT / folder).rglob("*.py")
)


def test_there_is_something_to_look_at() -> None:
    assert len(SOURCES) > 50


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(ROOT)))
def test_no_file_hides_a_second_concept(path: Path) -> None:
    lines = path.read_text().count("\n")
    assert lines <= MAX_LINES, f"{lines} lines: name the concept inside and give it its own file"


def test_every_package_of_the_product_is_in_a_layer() -> None:
    pyproject = tomllib.loads((ROOT / "pyproject.toml").read_text())
    layered = pyproject["tool"]["importlinter"]["contracts"][0]["layers"]
    named = {name.strip(" ()") for line in layered for name in line.split("|")}
    packages = {path.parent.name for path in (ROOT / "groupx").glob("*/__init__.py")}
    assert packages <= named


def test_the_test_folders_mirror_the_layers() -> None:
    packages = {path.parent.name for path in (ROOT / "groupx").glob("*/__init__.py")}
    folders = {path.name for path in (ROOT / "tests").iterdir() if path.is_dir()}
    extra = folders - packages - {"runtime", "system", "browser", "conformance", "__pycache__"}
    assert not extra


def test_nothing_sleeps_in_the_tests() -> None:
    """A test waits for a signal or runs on virtual time; `time.sleep` is neither."""
    offenders = [
        f"{path.relative_to(ROOT)}:{node.lineno}"
        for path in (ROOT / "tests").rglob("test_*.py")
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "time.sleep"
    ]
    assert offenders == []
