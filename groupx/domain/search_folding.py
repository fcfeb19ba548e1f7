"""One spelling for what a reader takes for the same: case, width, accents, and what nobody sees."""

import re
import unicodedata

_UNSEEN = (
    "\u00ad\u061c\u180e\u200d-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff"
    "\U000e0000-\U000e0fff"
)
"""Joiners, marks of direction, soft hyphens, variants of a sign."""
_POINTS = (
    "\u0483-\u0489\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u0640\u064b-\u065f"
    "\u0670\u06d6-\u06dc\u06df-\u06e8\u06ea-\u06ed\u0711\u0730-\u074a"
)
"""What Hebrew, Arabic and Syriac are mostly written without."""
_ACCENTS = "\u0300-\u036f\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20f0"
_LEFT_OUT = re.compile(f"[{_UNSEEN}{_POINTS}]|(?<!и)[{_ACCENTS}]")
"""й is a letter of its own."""
_SAME = {"đ": "d", "ł": "l", "ø": "o", "ı": "i", "ى": "ي", "ی": "ي", "ک": "ك"}
"""Letters that one keyboard has and another has not."""
_TYPED_OTHERWISE = re.compile(f"[{''.join(_SAME)}]")
_WIDE = re.compile("[\uff01-\uff5e]")
"""What NFKC does to these takes it twenty times as long, and Chinese texts are full of them."""
_PRIVATE = re.compile("[\ue000-\uf8ff\U000f0000-\U0010ffff]")


def folded(text: str) -> str:
    """NFKC, casefold, and without accents; characters that mean something only in one program
    become blanks."""
    if text.isascii():
        return text.lower()
    narrow = _WIDE.sub(lambda wide: chr(ord(wide[0]) - 0xFEE0), text)
    plain = unicodedata.normalize("NFD", unicodedata.normalize("NFKC", narrow).casefold())
    plain = unicodedata.normalize("NFC", _LEFT_OUT.sub("", plain))
    plain = _TYPED_OTHERWISE.sub(lambda letter: _SAME[letter[0]], plain)
    return _PRIVATE.sub(" ", plain)


def keeps_places(text: str) -> bool:
    """Whether each character of a text is folded to one character, as far as one can see fast."""
    return text.isascii() or (
        unicodedata.is_normalized("NFKC", text)
        and len(text.casefold()) == len(text)
        and _LEFT_OUT.search(text) is None
    )
