"""Nothing that others said acts on the terminal that shows it."""

import pytest

from groupx.cli.context import _told
from groupx.cli.session import _named, _row
from groupx.cli.terminal import one_line

ACTS = (
    "\x00\x07\x1b\x7f\x9b\r\n\t\u0085\u2028\u2029"
    "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\ufeff"
)


@pytest.mark.parametrize("mark", ACTS, ids=lambda mark: f"U+{ord(mark):04X}")
def test_what_acts_is_a_blank(mark: str) -> None:
    assert one_line(f"{mark}gpj{mark}{mark}exe{mark}") == "gpj exe"


@pytest.mark.parametrize("text", ["שלום", "👩\u200d🔬", "索引", "a\u0301", "<b>&amp;"])
def test_what_is_only_written_stays(text: str) -> None:
    """Letters that are written from the right, and what joins an emoji, act on nothing."""
    assert one_line(text) == text


def test_titles_and_reasons_are_shown_so() -> None:
    room = {
        "roomId": "r", "title": "a\x1b[2J\u202eb", "active": True, "events": 1, "turns": 1,
        "lastActivityAt": "t",
    }  # fmt: skip
    assert _named(room) == "r (a [2J b)"
    assert _row(room)[1] == "a [2J b"
    gauge = {
        "estimatedCharacters": 1, "maxCharacters": 2, "utilizationPercent": 50,
        "uncompactedMessageCount": 1, "bySource": [],
        "compaction": {"state": "failed", "passes": 1, "message": "a: \x1b]0;x\x07\nno"},
    }  # fmt: skip
    assert _told(gauge)[-1] == "  last compaction failed, 1 pass begun: a: ]0;x no"
