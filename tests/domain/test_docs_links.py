"""The pages lead to one another, and to what is there."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = [*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")]
LINK = re.compile(r"\]\(([^)#\s]+)(?:#[^)]*)?\)")


def links(page: Path) -> set[Path]:
    found = LINK.findall(page.read_text("utf-8"))
    return {(page.parent / link).resolve() for link in found if "://" not in link}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_link_leads_somewhere(page: Path) -> None:
    assert [str(target) for target in links(page) if not target.exists()] == []


def test_every_page_can_be_reached_from_the_readme() -> None:
    reached: set[Path] = set()
    ahead = {ROOT / "README.md"}
    while ahead:
        page = ahead.pop()
        reached.add(page)
        pages = {it for it in links(page) if it.suffix == ".md" and it.exists()}
        ahead |= pages - reached
    assert set((ROOT / "docs").glob("*.md")) - reached == set()


def test_the_readme_names_what_a_reader_looks_for_first() -> None:
    pages = links(ROOT / "README.md")
    for name in ("configuration", "demo", "http", "reading-a-failure", "security", "architecture"):
        assert ROOT / f"docs/{name}.md" in pages


def test_modules_that_contributors_are_sent_to_exist() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    for name in re.findall(r"`((?:adapters|web|domain|store)/[a-z_/]+\.py)`", text):
        assert (ROOT / "groupx" / name).is_file(), name
    assert "route table of `web/policy.py`" in text
