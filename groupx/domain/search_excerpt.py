"""The piece of a text that a search hit, as HTML: escaped, with `<mark>` around the hits."""

import html
import re
import unicodedata
from collections.abc import Sequence

from groupx.domain.search_text import folded

EXCERPT = 240
"""Characters of an excerpt, about."""
BEFORE = 60
"""How many of them stand before the first hit."""
SEARCHED = 20_000
"""Characters of a text in which hits are looked for; beyond them its beginning is shown."""


def excerpt_html(text: str, needles: Sequence[str]) -> str:
    """About `EXCERPT` characters around the first hit; `needles` are patterns of folded text."""
    text = text[:SEARCHED]
    hits = _hits(text, needles)
    start = max(0, hits[0][0] - BEFORE) if hits else 0
    end = min(len(text), start + EXCERPT)
    out = ["…" if start else ""]
    at = start
    for hit in hits:
        first, last = max(hit[0], at), min(hit[1], end)
        if first >= last:
            continue
        out += [html.escape(text[at:first]), "<mark>", html.escape(text[first:last]), "</mark>"]
        at = last
    out += [html.escape(text[at:end]), "…" if end < len(text) else ""]
    return "".join(out)


def _hits(text: str, needles: Sequence[str]) -> list[tuple[int, int]]:
    """Where the text itself was hit, in order; they may overlap."""
    if not needles:
        return []
    plain, places = _folded_with_places(text)
    pattern = "|".join(f"(?:{needle})" for needle in needles)
    return [
        (places[hit.start()], places[hit.end() - 1] + 1)
        for hit in re.finditer(pattern, plain)
        if hit.end() > hit.start()
    ]


def _folded_with_places(text: str) -> tuple[str, Sequence[int]]:
    """The folded text, and where each of its characters comes from."""
    whole = folded(text)
    if unicodedata.is_normalized("NFKC", text) and len(whole) == len(text):
        return whole, range(len(text))
    parts: list[str] = []
    places: list[int] = []
    for start, segment in _segments(text):
        part = folded(segment)
        parts.append(part)
        places += [min(start + at, start + len(segment) - 1) for at in range(len(part))]
    return "".join(parts), places


def _segments(text: str) -> list[tuple[int, str]]:
    """Characters with the marks that belong to them: what composes together."""
    starts = [at for at, character in enumerate(text) if at == 0 or not _joins(character)]
    ends = [*starts[1:], len(text)]
    return [(start, text[start:end]) for start, end in zip(starts, ends, strict=True)]


def _joins(character: str) -> bool:
    return unicodedata.combining(character) != 0 or "\u1160" <= character <= "\u11ff"
