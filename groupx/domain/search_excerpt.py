"""The piece of a text that a search hit, as HTML: escaped, with `<mark>` around the hits."""

import bisect
import html
import re
import unicodedata
from collections.abc import Sequence
from itertools import accumulate

from groupx.domain.search_folding import folded, keeps_places

EXCERPT = 240
"""Characters of an excerpt, about."""
BEFORE = 60
"""How many of them stand before the first hit."""
SEARCHED = 20_000
"""Characters of a text in which hits are looked for; beyond them its beginning is shown."""
_BLOCK = 256
"""Characters that are folded together; where each of them went is found out only near the hit."""
_MARKS = 30
"""On one letter; nobody writes more."""


def excerpt_html(text: str, needles: Sequence[str]) -> str:
    """About `EXCERPT` characters around the first hit; `needles` are patterns of folded text."""
    text = text[:SEARCHED]
    begin, near = _first_hit(text, needles)
    hits = _hits(text[begin : near + _BLOCK + EXCERPT], needles, begin)
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


def _first_hit(text: str, needles: Sequence[str]) -> tuple[int, int]:
    """Where the block begins in which the first hit does, and the one after it."""
    blocks = _blocks(text)
    parts = [folded(text[start:end]) for start, end in blocks]
    plain = "".join(parts)
    found = [hit.start() for needle in needles if (hit := re.search(needle, plain))]
    if not found:
        return 0, 0
    begins = [0, *accumulate(map(len, parts))]
    at = min(bisect.bisect_right(begins, min(found)) - 1, len(blocks) - 1)
    return blocks[at]


def _blocks(text: str) -> list[tuple[int, int]]:
    """A text in pieces that are folded as they are in the whole."""
    starts = [0]
    for start in range(_BLOCK, len(text), _BLOCK):
        at = start
        while at < min(start + _MARKS, len(text)) and _joins(text[at]):
            at += 1
        starts.append(at)
    return [(start, end) for start, end in zip(starts, [*starts[1:], len(text)], strict=True)]


def _hits(text: str, needles: Sequence[str], begin: int) -> list[tuple[int, int]]:
    """Where a piece of the text was hit, in order, as places of the whole; they may overlap."""
    if not needles:
        return []
    plain, places = _folded_with_places(text)
    pattern = "|".join(f"(?:{needle})" for needle in needles)
    return [
        (begin + places[hit.start()], begin + places[hit.end() - 1] + 1)
        for hit in re.finditer(pattern, plain)
        if hit.end() > hit.start()
    ]


def _folded_with_places(text: str) -> tuple[str, Sequence[int]]:
    """The folded text, and where each of its characters comes from."""
    if keeps_places(text):
        return folded(text), range(len(text))
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
    composes = "\u1160" <= character <= "\u11ff" or character in "\uff9e\uff9f"
    return composes or unicodedata.combining(character) != 0
