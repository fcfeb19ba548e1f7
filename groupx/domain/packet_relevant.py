"""The section of what the current message calls up: records that its own words are found in."""

from collections.abc import Collection, Mapping
from typing import Any

import attrs

from groupx.domain.ids import ActorId
from groupx.domain.packet_memories import Chosen, Kept, choose
from groupx.domain.search_records import telling_tokens

RELEVANT = "relevant_memory"
MAX_ENTRIES = 8
MAX_CHARACTERS = 6_000
"""Of the whole section."""
RECORDED_ID = 64
"""Characters of an id that are recorded: another program's may be long."""


@attrs.frozen(kw_only=True)
class RelevantQuery:
    """What is looked for, for which turn."""

    turn_id: str
    tokens: tuple[str, ...]


@attrs.frozen(kw_only=True)
class Relevant:
    """What was found that the target may know, the best match first."""

    kept: tuple[Kept, ...] = ()
    failed: bool = False
    """The look-up took too long, or the index is being filled: there may be more."""


def relevant_query(turn_id: str, text: str) -> RelevantQuery | None:
    """None where the text says nothing that could be looked for."""
    tokens = telling_tokens(text)
    return RelevantQuery(turn_id=turn_id, tokens=tokens) if tokens else None


def choose_relevant(
    found: Relevant, told: Collection[str], *, target: ActorId, mark: str, characters: int
) -> tuple[Chosen, Mapping[str, Any] | None]:
    """The best that fit, the newest first, and `{ids[], candidates, failed?}` for the record.

    `told` are the ids of records that other sections tell. None where nothing was found.
    """
    room = min(characters, MAX_CHARACTERS)
    best = tuple(it for it in found.kept if it.record_id not in told)
    taken = choose(RELEVANT, best, 0, target=target, mark=mark, characters=room, most=MAX_ENTRIES)
    newest = sorted(taken.kept, key=lambda it: (it.at, it.record_id), reverse=True)
    chosen = choose(RELEVANT, newest, 0, target=target, mark=mark, characters=room)
    if not best and not found.failed:
        return chosen, None
    record: dict[str, Any] = {
        "ids": [it.record_id[:RECORDED_ID] for it in chosen.kept],
        "candidates": len(best),
    }
    return chosen, {**record, "failed": True} if found.failed else record
