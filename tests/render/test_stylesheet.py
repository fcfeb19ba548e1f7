"""The stylesheet in the page is the one that the table makes, and everyone can read it."""

from pathlib import Path

import pytest

import groupx.web
from groupx.render.stylesheet import DARK_GROUND, INKS, LIGHT_GROUND, stylesheet

CSS = Path(groupx.web.__file__).parent / "static" / "css"


def test_the_file_is_current() -> None:
    assert (CSS / "highlight.css").read_text() == stylesheet()


def test_the_grounds_are_those_of_the_page() -> None:
    base = (CSS / "base.css").read_text()
    assert f"--sunken: light-dark({LIGHT_GROUND}, {DARK_GROUND})" in base


def luminance(colour: str) -> float:
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    ]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    lighter, darker = sorted((luminance(one), luminance(other)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


@pytest.mark.parametrize("kind", INKS, ids=str)
def test_every_ink_can_be_read(kind: object) -> None:
    assert contrast(INKS[kind].light, LIGHT_GROUND) >= 4.5
    assert contrast(INKS[kind].dark, DARK_GROUND) >= 4.5
