"""What a program's error means: login, quota, or just a failed turn."""

import re
from typing import cast

from groupx.adapters.failure_words import ADVICE, classify_words
from groupx.adapters.json_lines import is_object
from groupx.adapters.jsonrpc import RpcError
from groupx.domain.errors import ErrorCode
from groupx.domain.text import excerpt

AUTH_REQUIRED = -32000
REQUEST_CANCELLED = -32800
RESOURCE_NOT_FOUND = -32002
INTERNAL_ERROR = -32603
MESSAGE_CHARACTERS = 500


def words_of(error: RpcError) -> str:
    """The error's message with what its data adds, bounded."""
    parts = [text.rstrip(" .") for text in (error.message, *_texts(error.data, depth=3))]
    return excerpt(" · ".join(dict.fromkeys(part for part in parts if part)), MESSAGE_CHARACTERS)


def _texts(value: object, *, depth: int) -> list[str]:
    if isinstance(value, str | int) and not isinstance(value, bool):
        return [str(value)]
    if depth == 0:
        return []
    if is_object(value):
        inner: list[object] = list(value.values())
    else:
        inner = cast("list[object]", value) if isinstance(value, list) else []
    return [text for item in inner for text in _texts(item, depth=depth - 1)]


def classify(error: RpcError) -> ErrorCode:
    """The code of an error that ended a turn or a handshake."""
    if error.code == AUTH_REQUIRED:
        return ErrorCode.NATIVE_LOGIN_REQUIRED
    return classify_words(words_of(error))


def forgets_session(error: RpcError) -> bool:
    """Whether the program says that it does not know our session."""
    forgotten = r"unknown session ?id|session (was )?not found|no such session"
    return error.code == RESOURCE_NOT_FOUND or bool(
        re.search(forgotten, words_of(error), re.IGNORECASE)
    )


def explain(error: RpcError) -> str:
    """What the user reads when the program answered a prompt with `error`."""
    return f"The program reported: {words_of(error)}. {ADVICE[classify(error)]}"
