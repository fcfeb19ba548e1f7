"""What somebody typed into the search box → an expression of the index, filters, and needles.

Any input is safe: only quoted tokens enter the expression.
"""

import re
from collections.abc import Set as AbstractSet

import attrs

from groupx.domain.search_chunks import Chunk, chunks
from groupx.domain.search_filters import QUOTES, take_filters
from groupx.domain.search_folding import folded
from groupx.domain.search_needles import Needle, beginning, needle

MAX_PIECES = 24
"""Of one search, and words of one phrase; what is typed beyond is not looked for."""
MAX_QUERY = 1_000
"""Characters of a search that are read; so many of any script fit into a request's address."""

_QUOTED = re.compile(f"[{QUOTES}]([^{QUOTES}]*)[{QUOTES}]")
_HASH = re.compile(r"(?=[a-f]*\d)[0-9a-f]{7,39}")
"""Perhaps the beginning of a commit's."""


@attrs.frozen
class Term:
    """Tokens that must be neighbours."""

    tokens: tuple[str, ...]
    beginning: Needle | None = None
    """The last one may be the beginning of others; this is what it looks like."""

    @property
    def expression(self) -> str:
        """For the index."""
        return f'"{" ".join(self.tokens)}"{"" if self.beginning is None else " *"}'


@attrs.frozen(kw_only=True)
class SearchTerms:
    """A search, understood."""

    terms: tuple[Term, ...] = ()
    """All of them are wanted."""
    needles: tuple[Needle, ...] = ()
    """What to mark."""
    author: str | None = None
    target: str | None = None
    """Actors as they were typed: an id, what stands in it after the colon, or a name."""
    before: str | None = None
    after: str | None = None
    """Times as the ledger writes them, `before` exclusive, `after` inclusive."""
    has_code: bool = False
    has_history: bool = False
    """Records too that were rewritten or taken back."""

    @property
    def expression(self) -> str:
        """For the index; empty when no words are to be looked for."""
        return " AND ".join(term.expression for term in self.terms)

    @property
    def is_empty(self) -> bool:
        """Whether it names neither a word nor a filter."""
        said = (self.terms, self.author, self.target, self.before, self.after)
        return not self.has_code and not any(said)

    @property
    def beginnings(self) -> frozenset[str]:
        """What any number of words may begin with."""
        return frozenset(term.tokens[-1] for term in self.terms if term.beginning is not None)

    def without(self, common: AbstractSet[str]) -> tuple["SearchTerms", tuple[Needle, ...]]:
        """The same without words that have such a beginning, and what is sought with them."""
        left: list[Term] = []
        needles: list[Needle] = []
        for term in self.terms:
            if term.beginning is None or term.tokens[-1] not in common:
                left.append(term)
                continue
            needles.append(term.beginning)
            left += [Term(term.tokens[:-1])] if len(term.tokens) > 1 else []
        return attrs.evolve(self, terms=tuple(left)), tuple(dict.fromkeys(needles))


def parse_search(text: str) -> SearchTerms:
    """Words joined by AND, quoted phrases, `from: to: before: after: has:code has:history`.

    A filter whose value says nothing (a date that is none) is looked for as words.
    """
    said, found = take_filters(text[:MAX_QUERY])
    return attrs.evolve(
        parse_words(said),
        author=found.get("from"),
        target=found.get("to"),
        before=found.get("before"),
        after=found.get("after"),
        has_code="has:code" in found,
        has_history="has:history" in found,
    )


def parse_words(text: str) -> SearchTerms:
    """The same without filters: what looks like one is words."""
    text = text[:MAX_QUERY]
    terms: list[Term] = []
    needles: list[Needle] = []
    end = 0
    for quoted in _QUOTED.finditer(text):
        _take(_loose(text[end : quoted.start()]), terms, needles)
        _take([_chunks(quoted[1])], terms, needles)
        end = quoted.end()
    last = _loose(text[end:])
    _take(last, terms, needles, grows=bool(last))
    return SearchTerms(
        terms=tuple(dict.fromkeys(terms))[:MAX_PIECES],
        needles=tuple(dict.fromkeys(needles))[:MAX_PIECES],
    )


def _loose(text: str) -> list[list[Chunk]]:
    return [[chunk] for chunk in _chunks(text)]


def _chunks(text: str) -> list[Chunk]:
    return list(chunks(folded(text)))


def _take(
    phrases: list[list[Chunk]], terms: list[Term], needles: list[Needle], *, grows: bool = False
) -> None:
    """The terms of phrases; the last word of all may go on if it `grows`."""
    for at, phrase in enumerate(phrases):
        if phrase:
            terms += _terms(phrase, grows=grows and at == len(phrases) - 1)
            needles.append(needle(phrase))


def _terms(phrase: list[Chunk], *, grows: bool) -> list[Term]:
    tokens = tuple(token for chunk in phrase for token in chunk.tokens)
    if len(phrase) == 1 and phrase[0].is_run:
        tokens = tokens[1:-1] or tokens
    goes_on = len(tokens) <= MAX_PIECES and _may_go_on(phrase[-1].last_word, tokens, last=grows)
    looks = beginning(phrase) if goes_on else None
    signs = [
        Term((sign,), looks if len(tokens) == 1 and sign.endswith(tokens[0]) else None)
        for sign in _signs(phrase)
    ]
    return [*([Term(tokens[:MAX_PIECES], looks)] if tokens else []), *signs]


def _may_go_on(word: str | None, tokens: tuple[str, ...], *, last: bool) -> bool:
    """The last word of a search, but for a letter alone; elsewhere what looks like a hash."""
    if word is None:
        return False
    if last:
        return len(word) > 1 or len(tokens) > 1
    return len(tokens) == 1 and _HASH.fullmatch(word) is not None


def _signs(phrase: list[Chunk]) -> list[str]:
    return [sign for chunk in phrase for sign in chunk.signs]
