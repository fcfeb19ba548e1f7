"""`groupx debug paths`: every place and why; nothing is made or changed."""

import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from groupx.cli import group
from groupx.domain.config_parsing import SMALLEST_CONFIG


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("GROUPX_CONFIG", "GROUPX_DB", "GROUPX_DISABLE_CHANNEL_DB"):
        monkeypatch.delenv(name, raising=False)


def paths_json(*options: str) -> dict[str, Any]:
    result = CliRunner().invoke(group, ["debug", "paths", "--json", *options])
    assert result.exit_code == 0, result.output
    facts: dict[str, Any] = json.loads(result.output)
    return facts


def test_nothing_is_created(tmp_path: Path):
    facts = paths_json()
    assert facts["config"] == str(tmp_path / "groupx.json")
    assert facts["configChosenBy"] == "./groupx.json"
    assert "no config" in facts["configProblem"]
    assert facts["database"] == str(tmp_path / ".groupx/groupx-local.db")
    assert (facts["channel"], facts["format"], facts["siblings"]) == ("local", None, [])
    assert list(tmp_path.iterdir()) == []


def test_formats_and_siblings_are_told_and_left_alone(tmp_path: Path):
    (tmp_path / "groupx.json").write_text(SMALLEST_CONFIG)
    data = tmp_path / ".groupx"
    data.mkdir()
    (data / "groupx-local.db").write_bytes(b"not a database at all")
    foreign = sqlite3.connect(data / "groupx.db")
    foreign.execute("CREATE TABLE t (x)")
    foreign.close()
    before = {path: path.read_bytes() for path in data.iterdir()}
    facts = paths_json()
    assert facts["configProblem"] is None
    assert facts["format"] == "SCHEMA_MISMATCH"
    assert facts["siblings"] == [{"path": str(data / "groupx.db"), "format": "SCHEMA_MISMATCH"}]
    assert {path: path.read_bytes() for path in data.iterdir()} == before


def test_the_rule_that_chose_the_database_is_named(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("GROUPX_DB", ":memory:")
    facts = paths_json()
    assert (facts["database"], facts["databaseLock"]) == (":memory:", None)
    assert ":memory:" in facts["databaseChosenBy"]


def test_people_get_lines():
    result = CliRunner().invoke(group, ["debug", "paths"])
    assert result.exit_code == 0
    assert "databaseChosenBy" in result.output
