"""What a command writes goes between its marks, and nowhere else."""

from pathlib import Path

import pytest

from tests.system.marked_part import replace_part


def test_only_the_part_changes(tmp_path: Path) -> None:
    path = tmp_path / "doc.md"
    path.write_text("before\n<!-- x: begin -->\nold\n<!-- x: end -->\nafter\n")
    replace_part(path, "x", "new\n")
    assert path.read_text() == "before\n<!-- x: begin -->\nnew\n<!-- x: end -->\nafter\n"


def test_without_its_marks_nothing_is_written(tmp_path: Path) -> None:
    path = tmp_path / "doc.md"
    path.write_text("nothing to fill in\n")
    with pytest.raises(ValueError, match="has no part"):
        replace_part(path, "x", "new\n")
    assert path.read_text() == "nothing to fill in\n"
