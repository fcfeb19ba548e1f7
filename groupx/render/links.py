"""Which link targets become links: http, https and mailto, nothing else."""

import re
from enum import Enum, auto

_INVISIBLE = re.compile(r"[\x00-\x20\x7f-\xa0\u200b-\u200f\u2028-\u202f\u2060-\u206f\ufeff]+")
"""What browsers drop or skip when they read an address, and what hides in one."""
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")
_SAFE = re.compile(r"(?:https?://[^/?#]|mailto:[^/])", re.IGNORECASE)


class Target(Enum):
    """What may be done with a link's target."""

    LINK = auto()
    """It may be followed."""
    NAME = auto()
    """It is a place that a browser cannot go to from here, such as a file: shown, never a link."""
    NOTHING = auto()
    """Its scheme is not ours: what was written stays as it was written."""


def classify(target: str) -> Target:
    """Judge a target as a browser would read it, without white space and control characters."""
    bare = _INVISIBLE.sub("", target)
    if _SAFE.match(bare):
        return Target.LINK
    return Target.NOTHING if _SCHEME.match(bare) else Target.NAME
