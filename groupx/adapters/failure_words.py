"""What a program's own words about a failure mean: login, quota, or just a failed turn."""

import re

from groupx.domain.errors import ErrorCode

_WORDS = (
    (
        ErrorCode.NATIVE_QUOTA_EXCEEDED,
        r"quota|rate[ _-]?limit|usage limit|too many requests|\b429\b|billing|insufficient[ _]"
        r"(funds|credits?|balance)|out of credits?|payment required|\b402\b",
    ),
    (
        ErrorCode.NATIVE_LOGIN_REQUIRED,
        r"unauthori[sz]ed|unauthenticated|authenticat|auth_required|\b401\b|log ?in\b|logged out"
        r"|sign in|api[ _-]?key|credentials?\b|token (has )?expired|invalid token",
    ),
)

ADVICE = {
    ErrorCode.NATIVE_LOGIN_REQUIRED: "Log in with the program itself, then send the message again.",
    ErrorCode.NATIVE_QUOTA_EXCEEDED: "Wait, or raise the limit of that account, then send again.",
    ErrorCode.NATIVE_TURN_FAILED: "Nothing more will come of this turn; send the message again.",
    ErrorCode.NATIVE_REFUSED: "Rephrase the message, then send it again.",
}
"""What the user can do, by code."""


def classify_words(words: str) -> ErrorCode:
    """The code of a failure that the program described in `words`."""
    for code, pattern in _WORDS:
        if re.search(pattern, words, re.IGNORECASE):
            return code
    return ErrorCode.NATIVE_TURN_FAILED
