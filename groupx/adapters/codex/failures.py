"""What a failed turn or a refused request of Codex means."""

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from types import MappingProxyType

import attrs

from groupx.adapters.failure_words import ADVICE, classify_words
from groupx.adapters.json_lines import Json, is_object, object_of, quote, text_of
from groupx.adapters.jsonrpc import RpcError
from groupx.domain.errors import ErrorCode
from groupx.domain.text import excerpt

MESSAGE_CHARACTERS = 500
CONTEXT_EXCEEDED = "contextWindowExceeded"
CONNECTION_KINDS = frozenset(
    {
        "httpConnectionFailed",
        "responseStreamConnectionFailed",
        "responseStreamDisconnected",
        "responseTooManyFailedAttempts",
    }
)
_BY_KIND: Mapping[str, ErrorCode] = MappingProxyType(
    {
        "unauthorized": ErrorCode.NATIVE_LOGIN_REQUIRED,
        "usageLimitExceeded": ErrorCode.NATIVE_QUOTA_EXCEEDED,
        "rateLimitExceeded": ErrorCode.NATIVE_QUOTA_EXCEEDED,
        "sessionBudgetExceeded": ErrorCode.NATIVE_QUOTA_EXCEEDED,
        "cyberPolicy": ErrorCode.NATIVE_REFUSED,
        "bioPolicy": ErrorCode.NATIVE_REFUSED,
        "misalignmentPolicyViolation": ErrorCode.NATIVE_REFUSED,
        "inferenceHookDenied": ErrorCode.NATIVE_REFUSED,
    }
)
_BY_STATUS: Mapping[int, ErrorCode] = MappingProxyType(
    {
        401: ErrorCode.NATIVE_LOGIN_REQUIRED,
        403: ErrorCode.NATIVE_LOGIN_REQUIRED,
        402: ErrorCode.NATIVE_QUOTA_EXCEEDED,
        429: ErrorCode.NATIVE_QUOTA_EXCEEDED,
    }
)
_NO_KEY = r"missing environment variable"


@attrs.frozen(kw_only=True)
class Failure:
    """Why a turn failed, for the user."""

    code: ErrorCode
    message: str
    thread_usable: bool = True


def failure_of(error: Json, limits: Json) -> Failure:
    """A failed turn's `error`; `limits` is the latest `rateLimits` snapshot, for the reset time."""
    kind, status = _kind_of(error.get("codexErrorInfo"))
    said = [text_of(error.get("message")), text_of(error.get("additionalDetails"))]
    words = excerpt(" · ".join(filter(None, said)) or kind or "no reason", MESSAGE_CHARACTERS)
    reported = f"The program reported: {words.rstrip('.')}."
    if kind == CONTEXT_EXCEEDED:
        return Failure(
            code=ErrorCode.NATIVE_TURN_FAILED,
            message=f"{reported} Its conversation is too long for its model; it will be started "
            "anew with a new one. Send the message again.",
            thread_usable=False,
        )
    code = _BY_STATUS.get(status) or _BY_KIND.get(kind) or _by_words(words)
    advice = ADVICE[code]
    if code is ErrorCode.NATIVE_QUOTA_EXCEEDED and (reset := reset_time(limits)) is not None:
        advice = f"The limit is lifted at {reset}; send the message again then."
    elif code is ErrorCode.NATIVE_TURN_FAILED and kind in CONNECTION_KINDS:
        advice = "Check the connection to its model, then send the message again."
    return Failure(code=code, message=f"{reported} {advice}")


def refusal_of(error: RpcError) -> Failure:
    """An error in answer to `turn/start`."""
    details = object_of(error.data)
    words = excerpt(error.message, MESSAGE_CHARACTERS).rstrip(".")
    if details.get("input_error_code") == "input_too_large":
        return Failure(
            code=ErrorCode.NATIVE_TURN_FAILED,
            message=f"The program takes at most {quote(details.get('max_chars'))} characters, and "
            f"this turn has {quote(details.get('actual_chars'))}. It did not begin. Lower "
            "limits.contextCharacters, then send the message again.",
        )
    forgotten = re.search(r"thread not found|not loaded", words, re.IGNORECASE) is not None
    code = _by_words(words)
    return Failure(
        code=code,
        message=f"The program reported: {words}. {ADVICE[code]}",
        thread_usable=not forgotten,
    )


def _by_words(words: str) -> ErrorCode:
    if re.search(_NO_KEY, words, re.IGNORECASE):
        return ErrorCode.NATIVE_LOGIN_REQUIRED
    return classify_words(words)


def _kind_of(info: object) -> tuple[str, int]:
    """The kind of a `codexErrorInfo` and the HTTP status in it, 0 where there is none."""
    if not is_object(info) or not info:
        return text_of(info), 0
    kind, inner = next(iter(info.items()))
    status = object_of(inner).get("httpStatusCode")
    return kind, status if isinstance(status, int) else 0


def reset_time(limits: Json) -> str | None:
    """When the exhausted limits are lifted, in UTC; None when it was not said."""
    times: list[int] = []
    for window in (object_of(limits.get(name)) for name in ("primary", "secondary")):
        used, resets = window.get("usedPercent"), window.get("resetsAt")
        if isinstance(used, int | float) and used >= 100 and isinstance(resets, int):
            times.append(resets)
    try:
        return datetime.fromtimestamp(max(times), UTC).strftime("%Y-%m-%d %H:%M UTC")
    except (ValueError, OverflowError, OSError):
        return None
