"""The diagram in the docs is the one that the tables draw."""

import runpy
from pathlib import Path

DOCS = Path(__file__).parents[2] / "docs"


def test_the_page_is_current() -> None:
    diagram = runpy.run_path(str(DOCS / "turn_machine.py"))["diagram"]
    assert (DOCS / "turn-machine.md").read_text() == diagram()
