"""One line of a native program ↔ one JSON object."""

import json
from typing import Any, TypeGuard, cast

import orjson

from groupx.domain.text import excerpt, without_surrogates

Json = dict[str, Any]
EXCERPT_CHARACTERS = 300


class InvalidLineError(Exception):
    """The line is not a JSON object in UTF-8; the message quotes its beginning."""

    def __init__(self, line: bytes) -> None:
        super().__init__(excerpt(line[:2000].decode("utf-8", "replace"), EXCERPT_CHARACTERS))


def is_object(value: object) -> TypeGuard[Json]:
    """Whether a parsed value is a JSON object."""
    return isinstance(value, dict)


def objects_in(value: object) -> list[Json]:
    """The objects of a parsed list; empty when it is none."""
    if not isinstance(value, list):
        return []
    return [item for item in cast("list[object]", value) if is_object(item)]


def texts_in(value: object) -> list[str]:
    """The strings of a parsed list; empty when it is none."""
    if not isinstance(value, list):
        return []
    return [item for item in cast("list[object]", value) if isinstance(item, str)]


def text_of(value: object) -> str:
    """A parsed string; empty when it is none."""
    return value if isinstance(value, str) else ""


def object_of(value: object) -> Json:
    """A parsed object; empty when it is none."""
    return value if is_object(value) else {}


def render(value: object) -> str:
    """A parsed value as JSON; in words where it is nested too deeply or its numbers are too long
    to be written."""
    try:
        return orjson.dumps(value).decode()
    except orjson.JSONEncodeError:
        return "(too deep or too large to show)"


def quote(value: object) -> str:
    """A parsed value of any kind and size, as it is quoted in a message."""
    return excerpt(render(value), EXCERPT_CHARACTERS)


def decode_line(line: bytes) -> Json:
    """Parse one line. Lone surrogates become U+FFFD; what orjson refuses, the stdlib may accept.

    Raises InvalidLineError.
    """
    try:
        value: object = orjson.loads(line)
    except orjson.JSONDecodeError:
        value = _decode_leniently(line)
    if not is_object(value):
        raise InvalidLineError(line)
    return value


def _decode_leniently(line: bytes) -> object:
    try:
        value = json.loads(line.decode("utf-8"))
        return json.loads(without_surrogates(json.dumps(value, ensure_ascii=False)))
    except (ValueError, RecursionError) as error:
        raise InvalidLineError(line) from error


def encode_line(message: Json) -> bytes:
    """One frame, LF included. Lone surrogates, which no program could read, become U+FFFD."""
    try:
        return orjson.dumps(message) + b"\n"
    except orjson.JSONEncodeError:
        return without_surrogates(json.dumps(message, ensure_ascii=False)).encode() + b"\n"
