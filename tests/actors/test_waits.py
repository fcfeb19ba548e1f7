"""docs/waits.md is complete for actors and agents' tools, and what it names is there."""

import ast
import re
from functools import cache
from pathlib import Path

import attrs
import pytest

from groupx.domain.limits import Limits
from groupx.domain.wire import camel

ROOT = Path(__file__).parents[2]
WAITERS = [
    path for folder in ("actors", "mcp") for path in (ROOT / "groupx" / folder).rglob("*.py")
]
ROW = re.compile(r"^\| (.+?) \| (.+?) \| (.+?) \| `(.+?)::(\w+)` \|$", re.MULTILINE)
FUNCTION = re.compile(r"`(\w+\.\w+)`")
FILE = re.compile(r"`(\w+/[\w/]*(?:\.py)?)`")
ENDLESS = {"acquire", "receive", "sleep_forever", "too_long", "next_of"}
"""Calls that wait for somebody else, besides those named wait… or …_wake."""


@cache
def rows() -> list[tuple[str, ...]]:
    return ROW.findall((ROOT / "docs" / "waits.md").read_text())


@cache
def limits_section() -> str:
    return (ROOT / "docs" / "waits.md").read_text().partition("\n## Limits\n")[2]


@cache
def functions(path: Path) -> list[ast.AsyncFunctionDef]:
    tree = ast.walk(ast.parse(path.read_text()))
    return [node for node in tree if isinstance(node, ast.AsyncFunctionDef)]


def waits(function: ast.AsyncFunctionDef) -> bool:
    """Whether it waits by itself for what somebody else does."""
    inner = {
        node
        for child in ast.walk(function)
        if child is not function and isinstance(child, ast.AsyncFunctionDef)
        for node in ast.walk(child)
    }
    for node in set(ast.walk(function)) - inner:
        if isinstance(node, ast.AsyncFor):
            return True
        if isinstance(node, ast.Await) and isinstance(node.value, ast.Call):
            name = ast.unparse(node.value.func).rpartition(".")[2]
            if name in ENDLESS or name.startswith("wait") or name.endswith("_wake"):
                return True
    return False


def test_the_table_can_be_read():
    text = (ROOT / "docs" / "waits.md").read_text()
    lines = [line for line in text.splitlines() if line.startswith("|")]
    headings = 2 * text.count("\n|---|")
    assert len(rows()) == len(lines) - headings > 40


@pytest.mark.parametrize("folder", ["actors", "mcp"])
def test_whoever_waits_is_in_the_table(folder: str):
    named = {name for row in rows() for name in FUNCTION.findall(row[0])}
    waiting = {
        f"{path.stem}.{function.name}"
        for path in WAITERS
        if folder in path.relative_to(ROOT).parts
        for function in functions(path)
        if waits(function)
    }
    assert len(waiting) > 5
    assert waiting - named == set(), "add a row to docs/waits.md, with its bound and its test"


def test_every_configurable_limit_is_in_the_table():
    keys = {camel(field.name) for field in attrs.fields(Limits)}
    assert keys - set(re.findall(r"`(\w+)`", limits_section())) == set()


@pytest.mark.parametrize("row", rows(), ids=lambda row: row[4])
def test_what_a_row_names_is_there(row: tuple[str, ...]):
    where, _, _, test_file, test_name = row
    for name in FUNCTION.findall(where):
        if name.endswith(".py"):
            continue
        module, _, function = name.partition(".")
        paths = [path for path in WAITERS if path.stem == module]
        assert function in {f.name for path in paths for f in functions(path)}
    for name in FILE.findall(where):
        assert (ROOT / "groupx" / name).exists(), name
    tests = ast.walk(ast.parse((ROOT / test_file).read_text()))
    defined = {n.name for n in tests if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef)}
    assert test_name in defined
