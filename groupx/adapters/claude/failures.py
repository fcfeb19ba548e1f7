"""What the result of a failed turn means: login, quota, refusal, or just a failed turn."""

from groupx.adapters.failure_words import ADVICE, classify_words
from groupx.adapters.json_lines import Json, text_of, texts_in
from groupx.domain.errors import ErrorCode
from groupx.domain.text import excerpt

WORDS_CHARACTERS = 500
_BY_STATUS = {
    401: ErrorCode.NATIVE_LOGIN_REQUIRED,
    402: ErrorCode.NATIVE_QUOTA_EXCEEDED,
    403: ErrorCode.NATIVE_LOGIN_REQUIRED,
    429: ErrorCode.NATIVE_QUOTA_EXCEEDED,
}
_BY_NAME = {
    "authentication_failed": ErrorCode.NATIVE_LOGIN_REQUIRED,
    "billing_error": ErrorCode.NATIVE_QUOTA_EXCEEDED,
    "error_max_budget_usd": ErrorCode.NATIVE_QUOTA_EXCEEDED,
    "rate_limit": ErrorCode.NATIVE_QUOTA_EXCEEDED,
}
"""How the program names an API error, or the subtype of its result."""


def words_of(result: Json) -> str:
    """What a failed result says of its reason, bounded."""
    parts = [text_of(result.get("result")), *texts_in(result.get("errors"))]
    said = " · ".join(dict.fromkeys(part.strip(" .") for part in parts if part.strip(" .")))
    return excerpt(said or text_of(result.get("subtype")) or "no reason", WORDS_CHARACTERS)


def classify(result: Json, error: str | None) -> ErrorCode:
    """The code of a failed result; `error` is the program's name of the API's error."""
    if result.get("stop_reason") == "refusal":
        return ErrorCode.NATIVE_REFUSED
    status = result.get("api_error_status")
    if isinstance(status, int) and status in _BY_STATUS:
        return _BY_STATUS[status]
    for name in (error, text_of(result.get("subtype"))):
        if name in _BY_NAME:
            return _BY_NAME[name]
    return classify_words(words_of(result))


def explain(result: Json, code: ErrorCode) -> str:
    """What the user reads."""
    if code is ErrorCode.NATIVE_REFUSED:
        return "The program refused to go on with this message. Rephrase it, then send it again."
    return f"The program reported: {words_of(result)}. {ADVICE[code]}"
