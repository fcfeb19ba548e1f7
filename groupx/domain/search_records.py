"""Memories and identities in the index: each of their tokens is there a second time under a mark.

Marked tokens are in no message, so what is looked for among records never reads what the room's
messages have in common with them, however long the room is.
"""

import re
from collections.abc import Iterator

from groupx.domain.search_chunks import chunks
from groupx.domain.search_folding import folded
from groupx.domain.search_text import run_tokens, word_token

MARK = "\U000ffff0"
"""Keeps a token together in the index, and is in no folded text."""
MAX_READ = 4_000
"""Characters of a message in which words are looked for."""
MAX_WORDS = 48
"""Of one message that records are looked for by."""
SHORTEST = 3
"""Characters of a word that says something."""
_EVERYWHERE = """
about all and any are but can could did does done for from get had has have her him his how into its
just let like make may more need not now off one our out please say see should some than that the
their them then there these they this those too use want was were what when where which who why will
with would yes yet you your 一个 一下 什么 他们 你们 可以 怎么 我们 是不 这个 那个
"""
SAYING_NOTHING = frozenset(_EVERYWHERE.split())
"""No record is found by one of these words."""

_QUOTED = re.compile('"([^"]*)"')


def marked(tokens: str) -> str:
    """The tokens of a record as they are, and once more under the mark, in the same order."""
    return " ".join([tokens, *(MARK + token for token in tokens.split())])


def among_records(expression: str) -> str:
    """An expression of `parse_search`, for the marked tokens only."""
    return _QUOTED.sub(lambda quoted: _quote(quoted[1].split()), expression)


def any_of(tokens: tuple[str, ...]) -> str:
    """An expression for the records that have at least one of the tokens."""
    return " OR ".join(_quote([token]) for token in tokens)


def telling_tokens(text: str) -> tuple[str, ...]:
    """What a message is looked for by: its words, pairs of CJK characters, and names like `c++`."""
    tokens = dict.fromkeys(it for it in _tokens(text[:MAX_READ]) if it not in SAYING_NOTHING)
    return tuple(tokens)[:MAX_WORDS]


def _tokens(text: str) -> Iterator[str]:
    for chunk in chunks(folded(text)):
        for part in chunk.parts:
            if part.kind == "run":
                yield from run_tokens(part.text)[1::2]
            elif part.kind == "word" and len(part.text) >= SHORTEST:
                yield word_token(part.text)
        yield from chunk.signs if any(part.kind == "word" for part in chunk.parts) else ()


def _quote(tokens: list[str]) -> str:
    return '"' + " ".join(MARK + token for token in tokens) + '"'
