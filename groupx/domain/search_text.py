"""Text as it is indexed: one way of cutting it into tokens, for what is said and what is sought.

Runs of a script without blanks become single characters and pairs, so that any piece of a run is
found; words stay whole. What stands at a word (`c++`, `.net`, `/etc`, `#12`) makes one more token
with it, as does what stands by itself (`&&`, an emoji), in characters that the index does not part.
"""

import operator
import re
import unicodedata
from collections.abc import Iterator
from itertools import chain

from groupx.domain.search_folding import folded

VERSION = 3
"""Of the rules: raise it with any change of the tokens that some text is cut into."""
CUT = f"\U000ffff1{VERSION}x{unicodedata.unidata_version.replace('.', 'x')}"
"""A token that is in no text: these rules and this Unicode. An index without it is made anew."""

RUNS = (
    "\u0e01-\u0e3a\u0e40-\u0e4e\u0e81-\u0ece\u0edc-\u0edf\u1000-\u103f\u1050-\u109f\u1780-\u17d3"
    "\u2e80-\u2fdf\u3005-\u3007\u3031-\u3035\u3040-\u309f\u30a1-\u30fa\u30fc-\u312f\u3130-\u318f"
    "\u31a0-\u31bf\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff"
    "\U00016fe0-\U0001b2ff\U00020000-\U0003ffff"
)
"""Scripts that are written without blanks (Thai to Khmer; Chinese, Japanese, Korean), as a range
for a character class."""
PICTURES = "\u2190-\u2bff\U0001f000-\U0001faff"
"""Arrows, signs and emoji: each is a token of its own."""
SEPARATORS = (
    r"""\s()\[\]{}<>"'`,;=|\\\x00-\x1f\x7f-\x9f"""
    "\u00a1\u00ab\u00b7\u00bb\u00bf\u060c\u061b\u061f\u06d4\u0964\u0965\u200b\u200c\u2010-\u2027"
    "\u2030-\u205e\u3000-\u3004\u3008-\u3020\u3030\u303d-\u303f\u30a0\u30fb\ufff0-\uffff"
)
"""What stands between things and is never looked for."""
SYMBOLS = (
    r"!#$%&*+\-./:?@^_~"
    "\u00a2-\u00a7\u00a9\u00ac\u00ae\u00b0\u00b1\u00b6\u00d7\u00f7\u20a0-\u20cf"
)
"""What may belong to the word that it stands at."""
QUIET = ".:?!/"
"""Symbols that say nothing after a word, or alone: they end sentences and addresses."""
MAX_TOKEN = 64
"""Characters of a token; a longer word is found by its beginning."""
MAX_SYMBOLS = 3
"""At one side of a word; those next to it."""
MAX_INDEXED = 64_000
"""Characters of one text: the rest of a longer one is not found, so that none holds up a writer."""

_WORD = f"[^{RUNS}{PICTURES}{SYMBOLS}{SEPARATORS}]+"
_TOKEN = re.compile(f"[{RUNS}]+|{_WORD}")
_RUN = re.compile(f"[{RUNS}]")
_PICTURE = re.compile(f"[{PICTURES}]")
_BETWEEN_WORDS = re.compile(f"[{SEPARATORS}{RUNS}{PICTURES}]+")
_PLAIN_WORD = re.compile("[a-z0-9]+")
_PLAIN_BLANKS = {code: " " for code in range(128) if re.match(f"[{SEPARATORS}]", chr(code))}
_BEFORE = re.compile(rf"([{SYMBOLS}]{{1,{MAX_SYMBOLS}}})([^{SYMBOLS}\s]+)")
_AFTER = re.compile(rf"(?<![^{SYMBOLS}\s])([^{SYMBOLS}\s]+)([{SYMBOLS}]{{1,{MAX_SYMBOLS}}})")
_ALONE = re.compile(rf"(?<!\S)[{SYMBOLS}]+(?!\S)")
_BEHIND = "\U000ffff2"
"""Begins a word with what stands behind it, so that no word is the beginning of such a token."""
_SHIFT = 0xF0000
"""Private-use characters in which others are kept; `folded` leaves none of them in a text."""


def index_tokens(text: str) -> str:
    """What is indexed of a text: its tokens with blanks between, signs after all others, so that
    words stay neighbours. The same for the same text, as the index must be told to forget it."""
    text = folded(text)
    if text.isascii():
        tokens = [word[:MAX_TOKEN] for word in _PLAIN_WORD.findall(text)]
        signs = [*_signs(text.translate(_PLAIN_BLANKS))]
    else:
        tokens = [*chain.from_iterable(map(_tokens_of, _TOKEN.findall(text)))]
        signs = [*map(kept, _PICTURE.findall(text)), *_signs(_BETWEEN_WORDS.sub(" ", text))]
    return " ".join([*tokens, *dict.fromkeys(signs)])


def is_run(part: str) -> bool:
    """Whether a part of a text is a run of a script without blanks."""
    return _RUN.match(part) is not None


def run_tokens(run: str) -> list[str]:
    """`ABC` → `A AB B BC C`: each character and each pair."""
    run = kept(run)
    pairs = map(operator.add, run, run[1:])
    return [*chain.from_iterable(zip(run, pairs, strict=False)), run[-1]]


def word_token(word: str) -> str:
    """The token of a word."""
    return kept(word[:MAX_TOKEN])


def before_word(symbols: str, word: str) -> str:
    """The token of a word with what stands before it: `.net`."""
    return kept(symbols[-MAX_SYMBOLS:]) + word_token(word)


def after_word(word: str, symbols: str) -> str | None:
    """The token of a word with what stands after it: `c++`; None for a dot."""
    telling = symbols[:MAX_SYMBOLS].rstrip(QUIET)
    return _BEHIND + word_token(word) + kept(telling) if telling else None


def kept(text: str) -> str:
    """A piece of a folded text in characters that the index's tokenizer keeps together."""
    if text.isalnum():
        return text
    return "".join(
        character if character.isalnum() else chr(_SHIFT + (ord(character) & 0xFFFF))
        for character in text
    )


def _tokens_of(part: str) -> list[str]:
    return run_tokens(part) if is_run(part) else [word_token(part)]


def _signs(spaced: str) -> Iterator[str]:
    """Of a folded text with blanks for all but words and symbols."""
    for symbols, word in _BEFORE.findall(spaced):
        for length in range(1, len(symbols) + 1):
            yield before_word(symbols[-length:], word)
    for word, symbols in _AFTER.findall(spaced):
        for length in range(1, len(symbols) + 1):
            if symbols[length - 1] not in QUIET:
                yield _BEHIND + word_token(word) + kept(symbols[:length])
    for symbols in _ALONE.findall(spaced):
        if symbols.strip(QUIET):
            yield kept(symbols[:MAX_TOKEN])
