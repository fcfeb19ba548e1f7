"""A row ↔ its line of an export. There is one way to write a row, and no other is read."""

from collections.abc import Mapping, Sequence
from typing import Any, cast

import orjson

from groupx.domain.text import excerpt
from groupx.store.exchange.sections import Field, Section

MAX_LINE_BYTES = 8 * 1024 * 1024
_SHOWN_CHARACTERS = 80


class WrongLineError(ValueError):
    """A line that no export has; the text says what was found."""


def line_of(section: Section, row: Sequence[Any]) -> bytes:
    """The line of a row that `section.read` gave (without its rowid), with its line feed."""
    line: dict[str, Any] = {"line": section.line}
    for field, value in zip(section.fields, row, strict=True):
        if value is None:
            continue
        group, _, key = field.key.rpartition(".")
        target = line.setdefault(group, {}) if group else line
        target[key] = field.kind.show(value)
    return encode(line)


def encode(line: Mapping[str, Any]) -> bytes:
    """One line, with its line feed."""
    return orjson.dumps(line, option=orjson.OPT_APPEND_NEWLINE)


def parse(raw: bytes) -> dict[str, Any]:
    """The object in a whole line, line feed included. WrongLineError."""
    if len(raw) > MAX_LINE_BYTES:
        raise WrongLineError(f"it is longer than {MAX_LINE_BYTES} bytes")
    if not raw.endswith(b"\n"):
        raise WrongLineError("it is cut: the line feed at its end is missing")
    try:
        value = orjson.loads(raw)
    except (orjson.JSONDecodeError, RecursionError) as error:
        raise WrongLineError(f"it is not JSON in UTF-8 ({error})") from None
    if not isinstance(value, dict):
        raise WrongLineError(f"it is not an object but {shown(value)}")
    return cast("dict[str, Any]", value)


def row_of(section: Section, line: Mapping[str, Any], raw: bytes) -> dict[str, Any]:
    """The columns of a parsed line, by name. WrongLineError."""
    values = _flat(section, line)
    row: dict[str, Any] = {}
    for field in section.fields:
        row[field.column] = _column(field, values.pop(field.key, None))
    if values:
        raise WrongLineError(f"a {section.line} has no field {shown(next(iter(values)))}")
    wrong = section.rule(row) if section.rule else None
    if wrong is not None:
        raise WrongLineError(wrong)
    if line_of(section, list(row.values())) != raw:
        raise WrongLineError(
            "it is not written as an export writes it (a field twice or in another order, spaces, "
            "another form of a number, or something private)"
        )
    return row


def shown(value: Any) -> str:
    """What was found, short."""
    try:
        text = orjson.dumps(value).decode()
    except TypeError:
        text = type(value).__name__
    return excerpt(text, _SHOWN_CHARACTERS)


def _column(field: Field, value: Any) -> Any:
    if value is None:
        if field.optional:
            return None
        raise WrongLineError(f"'{field.key}' is missing")
    if not field.kind.fits(value):
        raise WrongLineError(f"'{field.key}' must be {field.kind.name}; found {shown(value)}")
    try:
        return field.kind.store(value)
    except (TypeError, RecursionError):  # orjson reads deeper than it writes
        raise WrongLineError(f"'{field.key}' is nested too deeply") from None


def _flat(section: Section, line: Mapping[str, Any]) -> dict[str, Any]:
    """The values by their fields' keys."""
    groups = {field.key.partition(".")[0] for field in section.fields if "." in field.key}
    values: dict[str, Any] = {}
    for key, value in line.items():
        if key in groups:
            if not isinstance(value, dict):
                raise WrongLineError(f"'{key}' must be an object; found {shown(value)}")
            inner = cast("dict[str, Any]", value)
            values |= {f"{key}.{name}": item for name, item in inner.items()}
        elif key != "line":
            values[key] = value
    return values
