"""Bounds on text are in bytes of UTF-8 and never split a character."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groupx.domain.text import (
    cut_utf8,
    excerpt,
    has_lone_surrogate,
    is_blank,
    without_surrogates,
)


@given(st.text(), st.integers(0, 40))
def test_a_cut_is_the_longest_whole_prefix(text: str, bound: int) -> None:
    kept, cut = cut_utf8(text, bound)
    assert text.startswith(kept)
    assert len(kept.encode()) <= bound
    assert cut == (kept != text)
    if cut:
        assert len(text[: len(kept) + 1].encode()) > bound


@given(st.text(alphabet=st.characters(min_codepoint=0xD7F0, max_codepoint=0xE00F)))
def test_surrogates_are_found_and_replaced(text: str) -> None:
    assert has_lone_surrogate(text) == any("\ud800" <= char <= "\udfff" for char in text)
    clean = without_surrogates(text)
    assert len(clean) == len(text)
    clean.encode()


@pytest.mark.parametrize(
    "nothing",
    [
        "",
        " \n\t",
        "\u200b",
        "\u200b\ufeff\u2060",
        "\u3000",
        "\u3164",
        "\u2800",
        "\ufe0f",
        "\u202e",
        "\x00",
    ],
)
def test_what_cannot_be_seen_is_blank(nothing: str) -> None:
    assert is_blank(nothing)
    assert not is_blank(nothing + "。" + nothing)


@pytest.mark.parametrize("seen", ["a", "你", "👩\u200d💻", "\u0301", "-", "\ue000"])
def test_what_can_be_seen_is_not(seen: str) -> None:
    assert not is_blank(seen)


def test_excerpt() -> None:
    assert excerpt("abc", 3) == "abc"
    assert excerpt("abcd", 3) == "ab…"
