"""Refusals of the web face: how they are said, and how they become a response."""

import traceback
from collections.abc import Mapping
from typing import Any

import attrs
import orjson
import structlog

from groupx.domain.errors import ErrorCode, GroupXError
from groupx.domain.text import excerpt, without_surrogates
from groupx.domain.wire import to_wire

Headers = tuple[tuple[str, str], ...]

_log = structlog.stdlib.get_logger("groupx.web")
_EXTRA_HEADERS: Mapping[ErrorCode, Headers] = {
    ErrorCode.UNAUTHORIZED: (("www-authenticate", "Bearer"),),
    ErrorCode.STORE_BUSY: (("retry-after", "1"),),
    ErrorCode.RUNTIME_STARTING: (("retry-after", "1"),),
}
_MAX_QUOTED = 64
_MAX_FRAMES = 6
_MAX_ERROR_TEXT = 300


@attrs.frozen(kw_only=True)
class Answer:
    """A whole response; the guards add the security headers."""

    status: int = 200
    content: bytes
    content_type: str = "application/json"
    headers: Headers = ()


def json_answer(value: Any, status: int = 200) -> Answer:
    """A record, or plain data, as JSON."""
    return wire_answer(to_wire(value), status)


def wire_answer(data: Any, status: int = 200) -> Answer:
    """Data that has its wire form already; it may hold encoded JSON as orjson.Fragment."""
    return Answer(status=status, content=orjson.dumps(data))


def error_answer(error: GroupXError, headers: Headers = ()) -> Answer:
    """The one error shape, with the status that `HTTP_STATUS` gives its code."""
    return Answer(
        status=error.http_status,
        content=orjson.dumps(error.to_wire(), default=str),
        headers=(*_EXTRA_HEADERS.get(error.code, ()), *headers),
    )


def invalid(message: str, **details: Any) -> GroupXError:
    """INVALID_ENVELOPE: the request itself is wrong, so nothing was done."""
    return GroupXError(
        ErrorCode.INVALID_ENVELOPE, f"{message} Nothing was done; correct it.", **details
    )


def quoted(text: str) -> str:
    """Text of a stranger, safe and short enough for a message."""
    return f"'{excerpt(without_surrogates(text), _MAX_QUOTED)}'"


def internal_error(where: str, error: Exception) -> GroupXError:
    """What the user hears of an unexpected exception; the bounded rest goes to the log."""
    log_failure(where, error)
    return GroupXError(
        ErrorCode.INTERNAL_ERROR,
        "GroupX failed while answering this request; whether it took effect is not known. "
        "Look at the room, then repeat it with the same clientCommandId. The log has the cause.",
    )


def log_failure(where: str, error: BaseException | None) -> None:
    """A diagnostic line: what failed and where, bounded; never locals, headers or bodies."""
    frames = [] if error is None else traceback.extract_tb(error.__traceback__)[-_MAX_FRAMES:]
    _log.error(
        "web failure",
        where=where,
        error=type(error).__name__,
        text=excerpt(without_surrogates(str(error)), _MAX_ERROR_TEXT),
        frames=[f"{frame.filename}:{frame.lineno} {frame.name}" for frame in frames],
    )
