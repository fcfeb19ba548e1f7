"""Text of others on a terminal: what somebody said must not act on who reads it."""

import re

_ACTS = re.compile(r"[\x00-\x1f\x7f-\x9f\s\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]+")
"""What a terminal obeys, what turns the order of what it shows, and what breaks a line."""


def one_line(text: str) -> str:
    """The same in one line, with a blank for each run of what would act."""
    return _ACTS.sub(" ", text).strip()
