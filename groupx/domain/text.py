"""Small rules about text that comes from outside."""

import re
import unicodedata

_UNSEEN = frozenset(("Cc", "Cf", "Zl", "Zp", "Zs"))
"""Categories of controls, marks of format and blanks."""
_FILLERS = re.compile("[\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\ufe00-\ufe0f\uffa0]")
"""Of other categories, but nothing to see when they stand alone."""
_SURROGATE = re.compile("[\ud800-\udfff]")


def has_lone_surrogate(text: str) -> bool:
    """Whether `text` cannot be written as UTF-8."""
    return _SURROGATE.search(text) is not None


def is_blank(text: str) -> bool:
    """Whether nothing of `text` can be seen, whatever it is made of."""
    return all(unicodedata.category(char) in _UNSEEN or _FILLERS.match(char) for char in text)


def without_surrogates(text: str) -> str:
    """`text` with every lone surrogate replaced by U+FFFD."""
    return _SURROGATE.sub("\ufffd", text)


def cut_utf8(text: str, max_bytes: int) -> tuple[str, bool]:
    """The longest prefix of at most `max_bytes` of UTF-8, and whether anything was cut."""
    if len(text) * 4 <= max_bytes:
        return text, False
    data = text.encode("utf-8", "replace")
    if len(data) <= max_bytes:
        return text, False
    return data[:max_bytes].decode("utf-8", "ignore"), True


def excerpt(text: str, characters: int) -> str:
    """At most `characters` of `text`, with an ellipsis where it was cut."""
    return text if len(text) <= characters else text[: characters - 1] + "…"
