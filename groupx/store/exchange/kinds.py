"""The kinds of values that an export's lines hold: what fits, how it is stored and shown."""

import re
from collections.abc import Callable, Iterable
from datetime import datetime
from typing import Any, cast

import attrs
import orjson

from groupx.domain.event_types import DURABLE
from groupx.store.event_rows import load_json

MAX_NAME_CHARACTERS = 1_000
MAX_NAMES = 1_000
MAX_INTEGER = 2**63 - 1
PRIVATE_KEYS = frozenset(
    {"bindingId", "nativePayload", "nativeSessionId", "nativeTurnId", "sourceBindingId", "stderr"}
)
"""What bodies of older ledgers may hold and no export does."""
_PROVENANCE = ("sourceKind", "authorActorId", "subjectActorId", "sourceEventId", "labels")

_NAME = re.compile(rf"[^\x00-\x1f\x7f]{{1,{MAX_NAME_CHARACTERS}}}")

_DATABASE_ID = re.compile(r"database_[0-9a-f]{32}")


def _same(value: Any) -> Any:
    return value


@attrs.frozen
class Kind:
    """One kind of value. `name` completes "must be …"."""

    name: str
    fits: Callable[[Any], bool]
    """Of the JSON value."""
    store: Callable[[Any], Any] = _same
    """JSON value → column."""
    show: Callable[[Any], Any] = _same
    """Column → JSON value."""


def one_of(values: Iterable[str]) -> Kind:
    """A word of a closed list."""
    words = tuple(sorted(values))
    return Kind(f"one of {', '.join(words)}", lambda value: value in words)


def _is_name(value: Any) -> bool:
    return isinstance(value, str) and _NAME.fullmatch(value) is not None


def _is_database_id(value: Any) -> bool:
    return isinstance(value, str) and _DATABASE_ID.fullmatch(value) is not None


def _is_moment(value: Any) -> bool:
    if not isinstance(value, str) or len(value) > 40:
        return False
    try:
        datetime.fromisoformat(value)
    except ValueError:
        return False
    return True


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= MAX_INTEGER


def _are_names(value: Any) -> bool:
    if not isinstance(value, list):
        return False
    names = cast("list[Any]", value)
    return len(names) <= MAX_NAMES and all(map(_is_name, names))


def _dumped(value: Any) -> str:
    return orjson.dumps(value).decode()


def _public_body(text: str) -> Any:
    body = load_json(text)
    if isinstance(body, dict):
        fields = cast("dict[str, Any]", body)
        return {key: value for key, value in fields.items() if key not in PRIVATE_KEYS}
    return body


def _public_provenance(text: str) -> dict[str, Any]:
    found = load_json(text)
    fields: dict[str, Any] = cast("dict[str, Any]", found) if isinstance(found, dict) else {}
    return {key: fields[key] for key in _PROVENANCE if fields.get(key) is not None}


def _is_object(value: Any) -> bool:
    return isinstance(value, dict)


NAME = Kind("an id of 1 to 1000 characters, without control characters", _is_name)
DATABASE_ID = Kind("'database_' and 32 hexadecimal digits", _is_database_id)
TEXT = Kind("a text", lambda value: isinstance(value, str))
MOMENT = Kind("a time like 2026-01-31T09:05:00.123Z", _is_moment)
COUNT = Kind("a whole number from 0 to 2^63-1", _is_count)
FLAG = Kind("true or false", lambda value: isinstance(value, bool), int, bool)
NAMES = Kind("a list of at most 1000 ids", _are_names, _dumped, load_json)
BODY = Kind("an object", _is_object, _dumped, _public_body)
PROVENANCE = Kind("an object", _is_object, _dumped, _public_provenance)
RECORD = Kind("an object", _is_object, _dumped, load_json)
EVENT_TYPE = Kind(
    "a type of event that this GroupX stores",
    lambda value: isinstance(value, str) and value in DURABLE,
)
