"""The bounded projection of a tool call that is shown and kept."""

from typing import Any

import orjson

from groupx.domain.limits import MAX_TOOL_RECORD_BYTES
from groupx.domain.text import cut_utf8

NAME_BYTES, TEXT_BYTES, INPUT_BYTES, MAX_PATHS = 200, 1800, 900, 8


def within_bound(details: dict[str, Any]) -> dict[str, Any]:
    """At most 4 KiB as JSON: escapes can make it six times longer than its text."""
    for key in ("input", "text", "paths"):
        if len(orjson.dumps(details)) <= MAX_TOOL_RECORD_BYTES:
            break
        value = details.pop(key, None)
        if isinstance(value, str):
            details[key] = cut_utf8(value, TEXT_BYTES // 6)[0]
    return details
