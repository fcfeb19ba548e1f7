"""What proves a label: who was seen, in which run and case, and what was seen."""

import hashlib
from collections.abc import Sequence

import attrs


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
    sha256: str
    """Of the observation."""


def digest(observation: Sequence[str]) -> str:
    """SHA-256 of an observation: its lines in UTF-8, LF after each."""
    return hashlib.sha256("".join(f"{line}\n" for line in observation).encode()).hexdigest()
