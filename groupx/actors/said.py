"""What can be said at all, whoever says it."""

from groupx.domain.errors import ErrorCode, GroupXError
from groupx.domain.text import has_lone_surrogate, is_blank


def check_text(content: str) -> None:
    """INVALID_ENVELOPE for what is not text, or says nothing."""
    if has_lone_surrogate(content):
        raise GroupXError(
            ErrorCode.INVALID_ENVELOPE,
            "The message holds half of a surrogate pair, which is not text; nothing was sent.",
        )
    if is_blank(content):
        raise GroupXError(
            ErrorCode.INVALID_ENVELOPE,
            "The message is blank, so there is nothing to say; nothing was sent.",
        )
