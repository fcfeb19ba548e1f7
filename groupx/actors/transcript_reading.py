"""Reading what a packet is made of: newest first, page by page, until no packet could hold more."""

from collections.abc import Iterable

import attrs

from groupx.actors.mailbox import ActorRef
from groupx.actors.messages import READ_DEADLINE_MS, Read, ToStore
from groupx.domain.errors import ErrorCode, GroupXError
from groupx.domain.packet_cuts import LONGEST, SHORTEST, named, shortened
from groupx.domain.packet_entries import SMALLEST_FRAME
from groupx.domain.packet_inputs import (
    PacketInputs,
    PacketQuery,
    SaidQuery,
    TranscriptEntry,
    chain_above,
)
from groupx.domain.packet_relevant import Relevant, relevant_query
from groupx.store.queries.packet_inputs import packet_head
from groupx.store.queries.relevant import relevant
from groupx.store.queries.transcript_pages import answers_page, chain_page, said_page

RELEVANT_DEADLINE_MS = 50
ABOVE_ALL = 2**63 - 1
"""No event has this seq."""


async def read_inputs(
    store: ActorRef[ToStore], query: PacketQuery, max_characters: int
) -> PacketInputs:
    """Everything for one packet of at most `max_characters`; between pages, writers go first.

    Raises NOT_FOUND, STORE_BUSY, STORE_UNAVAILABLE.
    """
    inputs = await store.ask(Read(packet_head, query, READ_DEADLINE_MS))
    inputs = await _with_relevant(store, inputs)
    inputs = await _with_chain(store, inputs, query, max_characters)
    inputs = await _with_later_answers(store, inputs, max_characters)
    return await _with_transcript(store, inputs, max_characters)


async def _with_relevant(store: ActorRef[ToStore], inputs: PacketInputs) -> PacketInputs:
    """With what the current message calls up; a turn goes on without it when that takes long."""
    query = relevant_query(inputs.turn_id, inputs.spoken_of())
    if query is None:
        return inputs
    try:
        found = await store.ask(Read(relevant, query, RELEVANT_DEADLINE_MS))
    except GroupXError as error:
        if error.code is not ErrorCode.STORE_BUSY:
            raise
        found = Relevant(failed=True)
    return attrs.evolve(inputs, relevant=found)


async def _with_chain(
    store: ActorRef[ToStore], inputs: PacketInputs, query: PacketQuery, max_characters: int
) -> PacketInputs:
    """With all of the chain that a packet could hold when the session's own links are named."""
    onward = chain_above(inputs.source, inputs.target_actor_id, query.native_session_id)
    chain: tuple[TranscriptEntry, ...] = ()
    while onward is not None and sum(map(_cost, chain)) <= max_characters:
        page = await store.ask(Read(chain_page, onward, READ_DEADLINE_MS))
        chain, onward = page.entries + chain, page.onward
        if sum(map(_cost, chain)) > max_characters:
            chain = tuple(map(named, chain))
    return attrs.evolve(inputs, reply_chain=chain)


async def _with_later_answers(
    store: ActorRef[ToStore], inputs: PacketInputs, max_characters: int
) -> PacketInputs:
    if inputs.session_knows_cursor:
        return inputs
    lower, upper = max(inputs.lower_seq, inputs.context_through_seq), ABOVE_ALL
    answers: tuple[TranscriptEntry, ...] = ()
    while upper > lower + 1 and _least(answers) <= max_characters:
        query = SaidQuery(
            room_id=inputs.room_id,
            target_actor_id=inputs.target_actor_id,
            lower_seq=lower,
            upper_seq=upper,
        )
        page = await store.ask(Read(answers_page, query, READ_DEADLINE_MS))
        answers = tuple(shortened(it, LONGEST) for it in page.entries) + answers
        upper = page.complete_after_seq + 1
    return attrs.evolve(inputs, later_answers=answers)


async def _with_transcript(
    store: ActorRef[ToStore], inputs: PacketInputs, max_characters: int
) -> PacketInputs:
    characters = _least(inputs.later_answers)
    while inputs.complete_after_seq > inputs.lower_seq and characters <= max_characters:
        query = SaidQuery(
            room_id=inputs.room_id,
            target_actor_id=inputs.target_actor_id,
            lower_seq=inputs.lower_seq,
            upper_seq=inputs.complete_after_seq + 1,
        )
        page = await store.ask(Read(said_page, query, READ_DEADLINE_MS))
        unread = [it for it in page.entries if not inputs.has_already(it)]
        characters += _least(unread)
        inputs = attrs.evolve(
            inputs,
            transcript=tuple(shortened(it, LONGEST) for it in page.entries) + inputs.transcript,
            complete_after_seq=page.complete_after_seq,
        )
    return inputs


def _least(entries: Iterable[TranscriptEntry]) -> int:
    """What they take of a packet, at least, when long ones are cut."""
    return sum(_cost(shortened(it, SHORTEST)) for it in entries)


def _cost(entry: TranscriptEntry) -> int:
    """What the entry takes of a packet, at least."""
    return SMALLEST_FRAME + len(entry.content)
