"""What somebody typed into the search box → an expression of the index, filters, and needles.

Any input is safe: only quoted tokens enter the expression.
"""

import datetime
import re

import attrs

from groupx.domain.search_text import folded, is_run, pieces, run_tokens, sign, words

MAX_PIECES = 24
"""Of one search; what is typed beyond is not looked for."""
MAX_RUN = 32
"""Characters of a run without blanks that are compared."""
MAX_QUERY = 1_000
"""Characters of a search that are read; so many of any script fit into a request's address."""

_GROWS = " *"
_FILTER = re.compile(r'(?<!\S)(from|to|before|after|has):(?:"([^"]+)"|([^\s"]+))', re.IGNORECASE)
_QUOTED = re.compile(r'"([^"]*)"')


@attrs.frozen(kw_only=True)
class SearchTerms:
    """A search, understood."""

    expression: str
    """For the index; empty when nothing is to be looked for."""
    needles: tuple[str, ...] = ()
    """Patterns of what to mark in a folded text."""
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
    def is_empty(self) -> bool:
        """Whether it names neither a word nor a filter."""
        said = (self.expression, self.author, self.target, self.before, self.after)
        return not self.has_code and not any(said)

    @property
    def grows(self) -> bool:
        """Whether the last word may be the beginning of others."""
        return self.expression.endswith(_GROWS)

    def of_whole_words(self) -> "SearchTerms":
        """The same without that."""
        return attrs.evolve(self, expression=self.expression.removesuffix(_GROWS))


def parse_search(text: str) -> SearchTerms:
    """Words joined by AND, quoted phrases, `from: to: before: after: has:code has:history`.

    A filter whose value says nothing (a date that is none) is looked for as words.
    """
    found: dict[str, str] = {}

    def take(match: re.Match[str]) -> str:
        name, value = match[1].lower(), match[2] or match[3]
        read = _value(name, value)
        if read is None:
            return match[0]
        found[f"has:{read}" if name == "has" else name] = read
        return " "

    return attrs.evolve(
        parse_words(_FILTER.sub(take, text[:MAX_QUERY])),
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
    terms: list[_Term] = []
    end = 0
    for quoted in _QUOTED.finditer(text):
        terms += _loose(text[end : quoted.start()])
        terms += _phrase(quoted[1])
        end = quoted.end()
    last = _loose(text[end:])
    terms = [*terms, *last][:MAX_PIECES]
    parts = [term.expression for term in terms]
    if last and terms[-1] is last[-1] and terms[-1].grows:
        parts[-1] += _GROWS
    return SearchTerms(
        expression=" AND ".join(parts),
        needles=tuple(dict.fromkeys(term.needle for term in terms)),
    )


@attrs.frozen
class _Term:
    expression: str
    needle: str
    grows: bool
    """Whether it may be the beginning of a word, when it stands last."""


def _loose(text: str) -> list[_Term]:
    return [term for piece in pieces(folded(text)) if (term := _term(piece)) is not None]


def _term(piece: str) -> _Term | None:
    if is_run(piece):
        run = piece[:MAX_RUN]
        return _Term(_quote(_run_phrase(run)), re.escape(run), grows=False)
    own = sign(piece)
    if own is not None:
        return _Term(_quote([own]), re.escape(piece), grows=False)
    found = words(piece)[:MAX_PIECES]
    if not found:
        return None
    return _Term(_quote(found), _word_needle(found), grows=len(found[-1]) > 1)


def _phrase(text: str) -> list[_Term]:
    """Neighbours where they are words; runs and signs within are looked for beside them."""
    together: list[str] = []
    terms: list[_Term] = []
    for piece in pieces(folded(text)):
        if is_run(piece) or sign(piece) is not None:
            terms += [] if (term := _term(piece)) is None else [term]
        else:
            together += words(piece)
            continue
        terms += _neighbours(together)
        together = []
    return [*terms, *_neighbours(together)]


def _neighbours(found: list[str]) -> list[_Term]:
    found = found[:MAX_PIECES]
    return [_Term(_quote(found), _word_needle(found), grows=False)] if found else []


def _run_phrase(run: str) -> list[str]:
    return [run] if len(run) < 3 else run_tokens(run)[1:-1]


def _quote(tokens: list[str]) -> str:
    return '"' + " ".join(tokens) + '"'


def _word_needle(found: list[str]) -> str:
    return r"(?<![^\W_])" + r"[\W_]+".join(re.escape(word) for word in found)


def _value(name: str, value: str) -> str | None:
    if name == "has":
        return value.lower() if value.lower() in ("code", "history") else None
    if name in ("from", "to"):
        return value
    try:
        when = datetime.datetime.fromisoformat(value)
    except ValueError:
        return None
    if when.tzinfo is not None:
        try:
            when = when.astimezone(datetime.UTC)
        except OverflowError:
            return None
    return when.strftime("%Y-%m-%dT%H:%M:%S")
