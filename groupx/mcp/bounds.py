"""How much fits into a tool's result (MAX_RESULT_BYTES of JSON), and what is left for later."""

from typing import Any

import orjson

CONTENT_BYTES = 48 * 1024
"""For everything that was said; the rest of a result is what stands around it."""


def fitting(text: str, max_bytes: int) -> str:
    """The longest prefix, more or less, whose JSON has at most `max_bytes`."""
    text = text[:max_bytes]
    while (size := len(orjson.dumps(text))) > max_bytes:
        text = text[: len(text) * max_bytes // size - 1] if max_bytes > 2 else ""
    return text


def cut(content: str, whole: int, max_bytes: int, offset: int = 0) -> dict[str, Any]:
    """`content`, which begins at `offset` of `whole` characters, and how to read on."""
    shown = fitting(content, max_bytes)
    end = offset + len(shown)
    if end >= whole:
        return {"content": shown}
    return {"content": shown, "truncated": {"characters": whole, "readOn": {"offset": end}}}
