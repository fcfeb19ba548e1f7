"""What is sought, cut as the index cuts what is said: stretches between separators."""

import re
from collections.abc import Iterator, Sequence

import attrs

from groupx.domain.search_text import (
    PICTURES,
    QUIET,
    RUNS,
    SEPARATORS,
    SYMBOLS,
    after_word,
    before_word,
    kept,
    run_tokens,
    word_token,
)

MAX_RUN = 32
"""Characters of a run without blanks that are compared."""

_STRETCH = re.compile(f"[^{SEPARATORS}]+")
_WORD = f"[^{RUNS}{PICTURES}{SYMBOLS}{SEPARATORS}]+"
_PART = re.compile(
    f"(?P<run>[{RUNS}]+)|(?P<picture>[{PICTURES}])|(?P<symbols>[{SYMBOLS}]+)|(?P<word>{_WORD})"
)


@attrs.frozen
class Part:
    """A piece of one kind."""

    kind: str
    """run, picture, symbols or word."""
    text: str


@attrs.frozen
class Chunk:
    """What stands between two separators of a folded text, without what ends a sentence."""

    parts: tuple[Part, ...]
    tokens: tuple[str, ...]
    """Words and runs, which must be neighbours in this order."""
    signs: tuple[str, ...]
    """Tokens that must be there too, in any place."""

    @property
    def last_word(self) -> str | None:
        """The word at its end, if a word is there."""
        last = self.parts[-1]
        return last.text if last.kind == "word" else None

    @property
    def is_run(self) -> bool:
        """Whether it is a run and nothing else."""
        return len(self.parts) == 1 and self.parts[0].kind == "run"


def chunks(text: str) -> Iterator[Chunk]:
    """Of a folded text; those that say something."""
    for stretch in _STRETCH.findall(text):
        bare = stretch.rstrip(QUIET)
        if bare:
            yield _chunk(bare)


def _chunk(stretch: str) -> Chunk:
    parts = tuple(Part(str(it.lastgroup), it[0]) for it in _PART.finditer(stretch))
    tokens: list[str] = []
    signs: list[str | None] = []
    for at, part in enumerate(parts):
        if part.kind == "run":
            tokens += run_tokens(part.text[:MAX_RUN])
        elif part.kind == "word":
            tokens.append(word_token(part.text))
        elif part.kind == "picture":
            signs.append(kept(part.text))
        else:
            signs.append(_sign(part.text, _word(parts, at - 1), _word(parts, at + 1)))
    return Chunk(parts, tuple(tokens), tuple(sign for sign in signs if sign is not None))


def _sign(symbols: str, before: str | None, after: str | None) -> str | None:
    """Symbols at one word say something of it; between two they only part them."""
    if before is not None and after is not None:
        return None
    if before is not None:
        return after_word(before, symbols)
    return kept(symbols) if after is None else before_word(symbols, after)


def _word(parts: Sequence[Part], at: int) -> str | None:
    inside = 0 <= at < len(parts) and parts[at].kind == "word"
    return parts[at].text if inside else None
