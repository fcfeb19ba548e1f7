"""The shape of the house: files stay small, layers are declared, tests mirror the code."""

import ast
import tomllib
from collections.abc import Iterator
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


def test_every_package_and_module_of_the_product_is_in_a_layer() -> None:
    pyproject = tomllib.loads((ROOT / "pyproject.toml").read_text())
    layered = pyproject["tool"]["importlinter"]["contracts"][0]["layers"]
    named = {name.strip(" ()") for line in layered for name in line.split("|")}
    packages = {path.parent.name for path in (ROOT / "groupx").glob("*/__init__.py")}
    modules = {path.stem for path in (ROOT / "groupx").glob("*.py")} - {"__init__", "__main__"}
    assert packages | modules == named


def test_the_test_folders_mirror_the_layers() -> None:
    packages = {path.parent.name for path in (ROOT / "groupx").glob("*/__init__.py")}
    folders = {path.name for path in (ROOT / "tests").iterdir() if path.is_dir()}
    others = {"runtime", "system", "browser", "ui", "conformance", "__pycache__"}
    extra = folders - packages - others
    assert not extra


CLOCKS = {"mock_clock", "autojump_clock", "jumping_clock"}


def sleeps_in(node: ast.AST, *, real: bool = False) -> Iterator[int]:
    """Lines that let real time pass: `time.sleep`, and `trio.sleep` in a test whose arguments
    name no virtual clock."""
    for child in ast.iter_child_nodes(node):
        inner = real
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
            arguments = {argument.arg for argument in child.args.args + child.args.kwonlyargs}
            is_test = child.name.startswith("test_")
            inner = not arguments & CLOCKS if is_test else real
        if isinstance(child, ast.Call):
            name = ast.unparse(child.func)
            if name == "time.sleep" or (real and name == "trio.sleep"):
                yield child.lineno
        yield from sleeps_in(child, real=inner)


def test_nothing_sleeps_in_the_tests() -> None:
    """A test waits for a signal or runs on virtual time; sleeping is neither."""
    offenders = [
        f"{path.relative_to(ROOT)}:{line}"
        for path in sorted((ROOT / "tests").rglob("test_*.py"))
        for line in sleeps_in(ast.parse(path.read_text()))
    ]
    assert offenders == []


def test_a_sleep_is_seen() -> None:
    source = """
async def test_a(x):
    await trio.sleep(1)
    async def helper():
        await trio.sleep(2)
async def test_b(mock_clock):
    await trio.sleep(3)
async def a_script():
    await trio.sleep(4)
    time.sleep(5)
"""
    assert list(sleeps_in(ast.parse(source))) == [3, 5, 10]
