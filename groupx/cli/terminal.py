"""Text on a terminal: what somebody said must not act on who reads it."""

import os
import re

import click

_ACTS = re.compile(r"[\x00-\x1f\x7f-\x9f\s\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]+")
"""What a terminal obeys, what turns the order of what it shows, and what breaks a line."""


def one_line(text: str) -> str:
    """The same in one line, with a blank for each run of what would act."""
    return _ACTS.sub(" ", text).strip()


def bold(text: str) -> str:
    """For `click.echo`, which leaves it out in a pipe; plain where no colours are wanted."""
    plain = os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
    return text if plain else click.style(text, bold=True)


def as_typed(argument: str) -> str:
    """An argument whose bytes the locale could not read, as what a terminal sends: UTF-8."""
    return os.fsencode(argument).decode("utf-8", "replace")
