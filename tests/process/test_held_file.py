"""A name leads to the held file or it does not, whatever was done to it."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from groupx.process.held_file import HeldFile


def replace(file: Path) -> None:
    """The old one lives on, so that its number is not given to the new one."""
    file.with_name("new").write_text("")
    os.link(file, file.with_name("kept"))
    os.replace(file.with_name("new"), file)


LOST: dict[str, Callable[[Path], object]] = {
    "removed": Path.unlink,
    "moved": lambda file: file.rename(file.with_name("elsewhere")),
    "replaced": replace,
    "its folder moved": lambda file: file.parent.rename(file.parent.with_name("other")),
}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    made = tmp_path / "folder" / "file"
    made.parent.mkdir()
    made.write_text("")
    return made


@pytest.mark.parametrize("how", LOST)
def test_it_is_not_there(file: Path, how: str) -> None:
    held = HeldFile.of(file)
    assert held.is_there()
    LOST[how](file)
    assert not held.is_there()


def test_new_content_and_a_return_are_the_same_file(file: Path) -> None:
    held = HeldFile.of(file)
    file.write_text("more")
    assert held.is_there()
    file.rename(file.with_name("elsewhere"))
    file.with_name("elsewhere").rename(file)
    assert held.is_there()


def test_a_link_that_leads_elsewhere_is_another_file(file: Path, tmp_path: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to(file)
    held = HeldFile.of(link)
    assert held.is_there()
    (tmp_path / "other").write_text("")
    link.unlink()
    link.symlink_to(tmp_path / "other")
    assert not held.is_there()
