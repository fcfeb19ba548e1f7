"""What narrows a search down: `from:`, `to:`, `before:`, `after:`, `has:`."""

import datetime
import re

QUOTES = '"“”„‟＂'
"""Of whatever keyboard, as a range for a character class."""

_FILTER = re.compile(
    rf"(?<!\S)(from|to|before|after|has)[:：](?:[{QUOTES}]([^{QUOTES}]+)[{QUOTES}]|([^\s{QUOTES}]+))",
    re.IGNORECASE,
)
_DAY = re.compile(r"(\d{4})(?:[-/](\d{1,2}))?(?:[-/](\d{1,2}))?")


def take_filters(text: str) -> tuple[str, dict[str, str]]:
    """The text without its filters, and these by name (`has:code` and `has:history` are names);
    times as the ledger writes them. One that says nothing stays in the text."""
    found: dict[str, str] = {}

    def take(match: re.Match[str]) -> str:
        name, value = match[1].lower(), match[2] or match[3]
        read = _value(name, value)
        if read is None:
            return match[0]
        found[f"has:{read}" if name == "has" else name] = read
        return " "

    return _FILTER.sub(take, text), found


def _value(name: str, value: str) -> str | None:
    if name == "has":
        return value.lower() if value.lower() in ("code", "history") else None
    if name in ("from", "to"):
        return value.removeprefix("@") or None
    day = _DAY.fullmatch(value)
    if day is not None:
        value = f"{day[1]}-{day[2] or 1:0>2}-{day[3] or 1:0>2}"
    try:
        when = datetime.datetime.fromisoformat(value)
    except ValueError:
        return None
    if when.tzinfo is not None:
        try:
            when = when.astimezone(datetime.UTC)
        except OverflowError:
            return None
    return when.strftime("%Y-%m-%dT%H:%M:%S")
