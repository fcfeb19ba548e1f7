"""What proves a label: who was seen, in which run and case, and what was seen."""

import hashlib
import json
from typing import Any

import attrs

from groupx.domain.wire import to_wire


class EvidenceRefused(Exception):
    """A report claims what its evidence does not prove; the message says which and why."""


@attrs.frozen(kw_only=True)
class Subject:
    """Which program was looked at, and how it was set."""

    driver: str
    program: str
    version: str | None
    profile: str
    """The mode and the arguments that it was given."""


@attrs.frozen(kw_only=True)
class Evidence:
    """One case's proof. `observation` is bounded, and without paths and secrets."""

    run_id: str
    case: str
    at: str
    """UTC, ISO 8601."""
    subject: Subject
    argv: tuple[str, ...]
    """The shape of what was started."""
    observation: tuple[str, ...]
    sha256: str = ""
    """Of the case's whole report, this one left empty (see `digest`)."""


def digest(record: Any) -> str:
    """SHA-256 of a record as JSON: ASCII, keys sorted, no blanks."""
    text = json.dumps(to_wire(record), sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()
