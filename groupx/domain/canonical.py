"""Hashes that must be the same everywhere: SHA-256 over RFC 8785 canonical JSON."""

import hashlib
from typing import Any

import rfc8785


def canonical_hash(value: Any) -> str:
    """Hex SHA-256 of `value`'s canonical JSON; ValueError when it has no such form."""
    return hashlib.sha256(rfc8785.dumps(value)).hexdigest()


def command_hash(command_type: str, request: dict[str, Any]) -> str:
    """The identity of a command's payload: its type and its parsed request; null is absence."""
    present = {key: value for key, value in request.items() if value is not None}
    return canonical_hash([command_type, present])


def text_hash(text: str) -> str:
    """Hex SHA-256 of `text` as UTF-8."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
