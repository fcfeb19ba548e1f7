"""The context packet: what an agent is told for one turn. Pure: same input, same text."""

from collections.abc import Mapping
from typing import Any

import attrs


@attrs.frozen(kw_only=True)
class Packet:
    """The text for one turn, and what the claim must check it against."""

    text: str
    context_through_seq: int
    summary_through_seq: int | None = None
    reset_through_seq: int = 0
    record: Mapping[str, Any]
    """`{characters, sections[{name, characters, entries}], omitted[{section, count}]}`."""
