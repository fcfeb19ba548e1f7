"""Text as it is indexed and looked up: one way of cutting it into tokens, for both sides.

Chinese, Japanese and Korean runs become single characters and pairs, so that any piece of a run is
found; words stay whole; what stands for itself (`c++`, `.net`, an emoji) becomes one more token, in
characters that the index's tokenizer keeps together.
"""

import operator
import re
import unicodedata
from collections.abc import Iterator
from itertools import chain

CJK = (
    "\u2e80-\u2fdf\u3005-\u3007\u3031-\u3035\u3040-\u30ff\u3100-\u312f\u3130-\u318f\u31a0-\u31bf"
    "\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff"
    "\U00016fe0-\U0001b2ff\U00020000-\U0003ffff"
)
"""Scripts that are written without blanks, as a range for a character class."""
PICTURES = "\u2190-\u2bff\U0001f000-\U0001faff"
"""Arrows, signs and emoji: each is a token of its own."""
SEPARATORS = r"""\s()\[\]{}<>"'`,;=|\\\x00-\x1f\ufe0e\ufe0f\u200b-\u200d"""
"""What stands between things and is never looked for."""
TRAILING = ".:?!…。，；：？！、"
"""Punctuation of sentences: no part of what it ends."""
MAX_TOKEN = 64
"""Characters of a token; a longer word is found by its beginning."""
MAX_INDEXED = 64_000
"""Characters of one text: the rest of a longer one is not found, so that none holds up a writer."""

_PRIVATE = re.compile("[\ue000-\uf8ff\U000f0000-\U0010ffff]")
_PIECE = re.compile(f"[{CJK}]+|[{PICTURES}]|[^{CJK}{PICTURES}{SEPARATORS}]+")
_PLAIN_BLANKS = {code: " " for code in range(128) if re.match(f"[{SEPARATORS}]", chr(code))}
_RUN = re.compile(f"[{CJK}]")
_WORD = re.compile(r"[^\W_]+")
_SHIFT = 0xF0000
"""Private-use characters in which symbols are kept; `folded` leaves none of them in a text."""


def folded(text: str) -> str:
    """NFKC and casefold; characters that mean something only in one program become blanks."""
    if text.isascii():
        return text.lower()
    return _PRIVATE.sub(" ", unicodedata.normalize("NFKC", text).casefold())


def pieces(text: str) -> Iterator[str]:
    """Of a folded text: runs of one kind, between separators."""
    for found in _PIECE.finditer(text):
        piece = found[0]
        yield piece if is_run(piece) else (piece.rstrip(TRAILING) or piece)


def is_run(piece: str) -> bool:
    """Whether a piece is a run of a script without blanks."""
    return _RUN.match(piece) is not None


def words(piece: str) -> list[str]:
    """The words of a piece that is no such run, in their order."""
    return [word[:MAX_TOKEN] for word in _WORD.findall(piece)]


def sign(piece: str) -> str | None:
    """A token for what a piece is beyond its words: `c++`, `.net`, `->`; None for `node.js`."""
    if piece[0].isalnum() and piece[-1].isalnum():
        return None
    return "".join(
        character if character.isalnum() else chr(_SHIFT + (ord(character) & 0xFFFF))
        for character in piece[:MAX_TOKEN]
    )


def run_tokens(run: str) -> list[str]:
    """`ABC` → `A AB B BC C`: each character and each pair."""
    pairs = map(operator.add, run, run[1:])
    return [*chain.from_iterable(zip(run, pairs, strict=False)), run[-1]]


def index_tokens(text: str) -> str:
    """What is indexed of a text: its tokens with blanks between, signs after all others, so that
    words stay neighbours. The same for the same text, as the index must be told to forget it."""
    tokens, signs = _plain_tokens(text) if text.isascii() else _tokens(text)
    return " ".join([*tokens, *dict.fromkeys(signs)])


def _tokens(text: str) -> tuple[list[str], list[str]]:
    """The words and parts of runs in their order, and the signs."""
    tokens: list[str] = []
    signs: list[str] = []
    for piece in pieces(folded(text)):
        if is_run(piece):
            tokens += run_tokens(piece)
            continue
        tokens += words(piece)
        own = sign(piece)
        if own is not None:
            signs.append(own)
    return tokens, signs


def _plain_tokens(text: str) -> tuple[list[str], list[str]]:
    """The same of an ASCII text, in a fraction of the time: a writer waits for it."""
    text = text.lower()
    signs: list[str] = []
    for piece in text.translate(_PLAIN_BLANKS).split():
        if not (piece[0].isalnum() and piece[-1].isalnum()):
            own = sign(piece.rstrip(TRAILING) or piece)
            if own is not None:
                signs.append(own)
    return words(text), signs
