"""Long things that were said, cut where a packet could not hold all that is unread otherwise."""

from collections.abc import Iterator

import attrs

from groupx.domain.packet_inputs import PacketInputs, TranscriptEntry

LONGEST = 131_072
"""What is held of one entry at most: as much as a person may say at once."""
CUTS = (32_000, 8_000, 2_000)
"""How much is shown of each entry, tried in this order when the whole does not fit."""
SHORTEST = CUTS[-1]


def shortened(entry: TranscriptEntry, most: int) -> TranscriptEntry:
    """At most `most` characters of it; it then says how many the whole has."""
    if len(entry.content) <= most:
        return entry
    whole = entry.characters or len(entry.content)
    return attrs.evolve(entry, content=entry.content[:most], characters=whole)


def named(entry: TranscriptEntry) -> TranscriptEntry:
    """Of what the session has already, only that it is meant."""
    return shortened(entry, 0) if entry.in_session else entry


def with_chain_named(inputs: PacketInputs) -> PacketInputs:
    """The inputs with no more of the reply chain than the session needs to be told."""
    return attrs.evolve(inputs, reply_chain=tuple(map(named, inputs.reply_chain)))


def ever_shorter(inputs: PacketInputs) -> Iterator[PacketInputs]:
    """The inputs as they are, then with ever less of each long unread entry; at last the same with
    what this session has already of the reply chain only named."""
    yield from _less_unread(inputs)
    brief = with_chain_named(inputs)
    if brief != inputs:
        yield from _less_unread(brief)


def _less_unread(inputs: PacketInputs) -> Iterator[PacketInputs]:
    yield inputs
    for most in CUTS:
        transcript = tuple(shortened(entry, most) for entry in inputs.transcript)
        answers = tuple(shortened(entry, most) for entry in inputs.later_answers)
        yield attrs.evolve(inputs, transcript=transcript, later_answers=answers)


def cut_note(entry: TranscriptEntry) -> str | None:
    """What the reader is told of an entry that was cut."""
    if entry.characters is None:
        return None
    shown = len(entry.content)
    if entry.in_session and not shown:
        return "already in your session"
    return (
        f"cut, {shown} of {entry.characters} characters are shown; the tool read with this id as "
        f"eventId and offset {shown} tells the rest"
    )
