"""Strict reading of what a request carries: every field is named in a schema or refused."""

import json
from collections.abc import Callable, Mapping
from contextlib import suppress
from datetime import date
from typing import Any, cast
from urllib.parse import parse_qsl

import attrs

from groupx.domain.commands import SENDER_FIELDS
from groupx.domain.errors import ErrorCode, GroupXError
from groupx.domain.limits import MAX_REQUEST_BYTES, MAX_TARGETS
from groupx.domain.supervision import MAX_OBSERVERS, MODE, Supervision
from groupx.domain.text import has_lone_surrogate
from groupx.web.errors import invalid, quoted

MAX_DEPTH = 16
MAX_ID_CHARACTERS = 200
MAX_QUERY_FIELDS = 16


@attrs.frozen
class Field:
    """One field: how its value is read, and whether it must be there (null = absent)."""

    read: Callable[[str, Any], Any]
    required: bool = True


Schema = Mapping[str, Field]


def text(*, most: int | None = None, required: bool = True) -> Field:
    """A non-empty string of at most `most` code points that can be written as UTF-8."""

    def read(name: str, value: Any) -> str:
        if not isinstance(value, str):
            raise invalid(f"'{name}' must be a string.", field=name)
        if not value or (most is not None and len(value) > most):
            bound = "may not be empty" if not value else f"may have at most {most} characters"
            raise invalid(f"'{name}' {bound}.", field=name)
        if has_lone_surrogate(value):
            raise invalid(f"'{name}' holds half of a surrogate pair.", field=name)
        return value

    return Field(read, required)


def identifier(*, required: bool = True) -> Field:
    """An id of ours or of the client's."""
    return text(most=MAX_ID_CHARACTERS, required=required)


def texts(*, most: int) -> Field:
    """A list of 1 to `most` ids."""
    item = identifier()

    def read(name: str, value: Any) -> tuple[str, ...]:
        if not isinstance(value, list):
            raise invalid(f"'{name}' must be a list of strings.", field=name)
        values = cast("list[Any]", value)
        if not 1 <= len(values) <= most:
            raise invalid(f"'{name}' must have 1 to {most} entries.", field=name)
        return tuple(item.read(f"{name}[{index}]", entry) for index, entry in enumerate(values))

    return Field(read)


def record(schema: Schema, make: Callable[..., Any]) -> Field:
    """An optional JSON object with the fields of `schema`, as what `make` makes of them."""

    def read(name: str, value: Any) -> Any:
        if not isinstance(value, dict):
            raise invalid(f"'{name}' must be a JSON object.", field=name)
        return make(**_read(cast("dict[str, Any]", value), schema, f"field in '{name}'"))

    return Field(read, required=False)


def document() -> Field:
    """A JSON object that is read elsewhere."""

    def read(name: str, value: Any) -> dict[str, Any]:
        if not isinstance(value, dict):
            raise invalid(f"'{name}' must be a JSON object.", field=name)
        return cast("dict[str, Any]", value)

    return Field(read)


def flag(*, required: bool = False) -> Field:
    """True or false."""

    def read(name: str, value: Any) -> bool:
        if not isinstance(value, bool):
            raise invalid(f"'{name}' must be true or false.", field=name)
        return value

    return Field(read, required)


def choice(*words: str) -> Field:
    """One of `words`, which must be there."""
    return Field(word(*words).read)


def whole(*, least: int, most: int) -> Field:
    """A JSON whole number."""

    def read(name: str, value: Any) -> int:
        if type(value) is not int or not least <= value <= most:
            raise invalid(f"'{name}' must be a whole number from {least} to {most}.", field=name)
        return value

    return Field(read)


def word(*words: str) -> Field:
    """An optional one of `words`; used in queries."""

    def read(name: str, value: Any) -> str:
        if value not in words:
            raise invalid(f"'{name}' must be one of {', '.join(words)}.", field=name)
        return value

    return Field(read, required=False)


def day() -> Field:
    """An optional day, as `2026-02-01`; used in queries."""

    def read(name: str, value: Any) -> str:
        with suppress(ValueError):
            if date.fromisoformat(str(value)).isoformat() == value:
                return str(value)
        raise invalid(f"'{name}' must be a day, as 2026-02-01.", field=name)

    return Field(read, required=False)


def number(*, least: int, most: int) -> Field:
    """An optional whole number, in decimal digits; used in queries."""

    def read(name: str, value: Any) -> int:
        digits = str(value)
        if not (digits.isascii() and digits.isdigit() and len(digits) <= len(str(most))):
            raise invalid(f"'{name}' must be a whole number.", field=name)
        if not least <= int(digits) <= most:
            raise invalid(f"'{name}' must be from {least} to {most}.", field=name)
        return int(digits)

    return Field(read, required=False)


COMMAND = {"clientCommandId": identifier()}
TARGETS = texts(most=MAX_TARGETS)
SUPERVISION = record({"observers": texts(most=MAX_OBSERVERS), "mode": choice(MODE)}, Supervision)
MAX_SEQ = 2**63 - 1


def read_body(raw: bytes, schema: Schema) -> dict[str, Any]:
    """The fields of a JSON object, by wire name; absent optional ones are left out.

    Raises INVALID_ENVELOPE, SENDER_FIELD_FORBIDDEN.
    """
    fields = _json_object(raw)
    for name in fields:
        if name in SENDER_FIELDS:
            raise GroupXError(
                ErrorCode.SENDER_FIELD_FORBIDDEN,
                f"'{name}' may not be sent: GroupX knows who speaks. Nothing was done; "
                "leave it out.",
                field=name,
            )
    return _read(fields, schema, "field")


def read_query(raw: bytes, schema: Schema) -> dict[str, Any]:
    """The parameters of a query string, each at most once. Raises INVALID_ENVELOPE."""
    try:
        pairs = parse_qsl(
            raw.decode("ascii"),
            keep_blank_values=True,
            strict_parsing=bool(raw),
            errors="strict",
            max_num_fields=MAX_QUERY_FIELDS,
        )
    except ValueError:
        raise invalid("The query string cannot be read.") from None
    return _read(once(pairs), schema, "query parameter")


def _read(found: Mapping[str, Any], schema: Schema, kind: str) -> dict[str, Any]:
    for name in found:
        if name not in schema:
            raise invalid(f"There is no {kind} {quoted(name)} here.", field=quoted(name)[1:-1])
    values: dict[str, Any] = {}
    for name, field in schema.items():
        value = found.get(name)
        if value is not None:
            values[name] = field.read(name, value)
        elif field.required:
            raise invalid(f"The {kind} '{name}' is missing.", field=name)
    return values


def _json_object(raw: bytes) -> dict[str, Any]:
    assert len(raw) <= MAX_REQUEST_BYTES
    try:
        value = json.loads(raw.decode("utf-8"), object_pairs_hook=once, parse_constant=_no_constant)
    except GroupXError:
        raise
    except RecursionError:
        raise _too_deep() from None
    except ValueError:
        raise invalid("The body is not JSON in UTF-8.") from None
    if not isinstance(value, dict):
        raise invalid("The body must be a JSON object.")
    fields = cast("dict[str, Any]", value)
    _refuse_depth(fields)
    return fields


def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An `object_pairs_hook` that takes no key twice. Raises INVALID_ENVELOPE."""
    values = dict(pairs)
    if len(values) < len(pairs):
        raise invalid("A field is given twice.")
    return values


def _no_constant(name: str) -> Any:
    raise invalid(f"{name} is not JSON.")


def _refuse_depth(value: dict[str, Any]) -> None:
    level: list[Any] = [value]
    for _ in range(MAX_DEPTH):
        below: list[Any] = []
        for container in level:
            children = _children(container)
            below += [child for child in children if isinstance(child, dict | list)]
        if not below:
            return
        level = below
    raise _too_deep()


def _children(container: Any) -> list[Any]:
    if isinstance(container, dict):
        return list(cast("dict[str, Any]", container).values())
    return cast("list[Any]", container)


def _too_deep() -> GroupXError:
    return invalid(f"The body is nested deeper than {MAX_DEPTH} levels.")
