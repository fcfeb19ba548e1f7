"""Python records ↔ wire JSON: snake_case attrs classes become camelCase objects."""

import functools
from collections.abc import Mapping
from enum import Enum
from typing import Any, cast

import attrs

_OMIT_NONE = {"groupx.omit_none": True}
_PLAIN = frozenset({str, int, float, bool})
INTERNAL = {"groupx.internal": True}
"""Metadata of a field that never leaves the process."""


def optional() -> Any:
    """A field that is left out of the wire object when it is None (the spec's `name?`)."""
    return attrs.field(default=None, metadata=_OMIT_NONE)


@functools.cache
def camel(name: str) -> str:
    """`reply_to_event_id` → `replyToEventId`."""
    head, *rest = name.split("_")
    return head + "".join(part.capitalize() for part in rest)


@functools.cache
def _plan(cls: type[Any]) -> tuple[tuple[str, str, bool], ...] | None:
    """Field, key, and whether None is left out; None for what is no record."""
    if not attrs.has(cls):
        return None
    return tuple(
        (field.name, camel(field.name), "groupx.omit_none" in field.metadata)
        for field in attrs.fields(cls)
        if "groupx.internal" not in field.metadata
    )


def to_wire(value: Any) -> Any:
    """Plain JSON data for an attrs record; mappings keep their keys, sequences become lists."""
    if value is None or type(value) in _PLAIN:
        return value
    plan = _plan(cast("type[Any]", type(value)))
    if plan is not None:
        out: dict[str, Any] = {}
        for name, key, omit in plan:
            item = getattr(value, name)
            if item is None and omit:
                continue
            out[key] = to_wire(item)
        return out
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, str | int | float):
        return value
    if isinstance(value, Mapping):
        items = cast("Mapping[str, Any]", value)
        return {str(key): to_wire(item) for key, item in items.items()}
    return [to_wire(item) for item in value]
