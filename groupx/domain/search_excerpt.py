"""The piece of a text that a search hit, as HTML: escaped, with `<mark>` around the hits."""

import bisect
import html
import re
import unicodedata
from collections.abc import Sequence
from itertools import accumulate, chain, islice, takewhile

from groupx.domain.search_folding import folded, keeps_places
from groupx.domain.search_needles import Needle

EXCERPT = 240
"""Characters of an excerpt, about."""
BEFORE = 60
"""How many of them stand before the first hit."""
SEARCHED = 20_000
"""Characters of a text in which hits are looked for; beyond them its beginning is shown."""
LOOKED_AT = 8
"""Hits of one needle."""
_BLOCK = 256
"""Characters that are folded together; where each of them went is found out only near the hit."""
_MARKS = 30
"""On one letter; nobody writes more."""


def excerpt_html(text: str, needles: Sequence[Needle]) -> str:
    """About `EXCERPT` characters with as many of the needles as are found together."""
    text = text[:SEARCHED]
    begin, end, at = _near_hits(text, needles)
    plain, places = _folded_with_places(text[begin:end])
    start = max(0, begin + places[at] - BEFORE) if at < len(places) else 0
    end = min(len(text), start + EXCERPT)
    out = ["…" if start else ""]
    shown = start
    for hit in _hits(plain, needles):
        first = max(begin + places[hit.start()], shown)
        last = min(begin + places[hit.end() - 1] + 1, end)
        if first >= last:
            continue
        out += [html.escape(text[shown:first]), "<mark>", html.escape(text[first:last]), "</mark>"]
        shown = last
    out += [html.escape(text[shown:end]), "…" if end < len(text) else ""]
    return "".join(out)


def _near_hits(text: str, needles: Sequence[Needle]) -> tuple[int, int, int]:
    """The piece of the text that is worth a close look, and where in it, once it is folded, what is
    shown begins; nothing of it without a hit."""
    blocks = _blocks(text)
    parts = [folded(text[start:end]) for start, end in blocks]
    plain = "".join(parts)
    best = _most_telling(plain, needles)
    if best is None:
        return 0, 0, 0
    begins = [0, *accumulate(map(len, parts))]
    at = min(bisect.bisect_right(begins, best) - 1, len(blocks) - 1)
    before = max(0, at - 1)  # what is shown begins before the hit
    return blocks[before][0], blocks[at][1] + EXCERPT, best - begins[before]


def _most_telling(plain: str, needles: Sequence[Needle]) -> int | None:
    """The hit that is shown with as many needles as possible behind it, the rarer the better."""
    found: list[tuple[int, float, int]] = []
    for number, needle in enumerate(needles):
        places = [hit.start() for hit in islice(needle.hits(plain), LOOKED_AT)]
        found += [(at, 1 / len(places), number) for at in places]
    found.sort()
    best, most = None, 0.0
    for number, (at, *_) in enumerate(found):
        near = takewhile(lambda it, at=at: it[0] < at + EXCERPT - BEFORE, found[number:])
        telling = sum({needle: weight for _, weight, needle in near}.values())
        if telling > most:
            best, most = at, telling
    return best


def _blocks(text: str) -> list[tuple[int, int]]:
    """A text in pieces that are folded as they are in the whole."""
    starts = [0]
    for start in range(_BLOCK, len(text), _BLOCK):
        at = start
        while at < min(start + _MARKS, len(text)) and _joins(text[at]):
            at += 1
        starts.append(at)
    return [(start, end) for start, end in zip(starts, [*starts[1:], len(text)], strict=True)]


def _hits(plain: str, needles: Sequence[Needle]) -> list[re.Match[str]]:
    """In order; they may be over each other."""
    return sorted(
        chain.from_iterable(it.hits(plain) for it in needles), key=lambda hit: hit.start()
    )


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
