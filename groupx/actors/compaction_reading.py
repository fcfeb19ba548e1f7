"""Reading what a compaction is made of, page by page: between pages, writers go first."""

import attrs

from groupx.actors.mailbox import ActorRef
from groupx.actors.messages import READ_DEADLINE_MS, Read, ToStore
from groupx.actors.steadfast import insist
from groupx.domain.compaction import BLOCK_CHARACTERS, MAX_ENTRY_CHARACTERS, Block, BlockQuery
from groupx.domain.context_view import ENTRY_FRAME_CHARACTERS
from groupx.domain.packet_inputs import SaidQuery, TranscriptEntry
from groupx.domain.side_task import NOBODY
from groupx.store.queries.compaction import Standing, block_page
from groupx.store.queries.transcript_pages import said_page


@attrs.frozen(kw_only=True)
class Tail:
    """Which of the newest messages stay word for word: as many as both bounds allow."""

    upper_seq: int
    """Messages above it are not looked at, and stay as well."""
    characters: int | None = None
    messages: int | None = None

    def is_over(self, characters: int, messages: int) -> bool:
        """Whether so much is more than may stay."""
        over = self.characters is not None and characters > self.characters
        return over or (self.messages is not None and messages > self.messages)


async def compact_through(store: ActorRef[ToStore], standing: Standing, tail: Tail) -> int | None:
    """The seq that a checkpoint may go up to; None when all above the present one stays."""
    characters = messages = 0
    upper = tail.upper_seq + 1
    while upper > standing.covered_seq + 1:
        query = SaidQuery(
            room_id=standing.room_id,
            target_actor_id=NOBODY,
            lower_seq=standing.covered_seq,
            upper_seq=upper,
        )
        page = await insist(store, Read(said_page, query, READ_DEADLINE_MS))
        for entry in reversed(page.entries):
            characters += len(entry.content) + ENTRY_FRAME_CHARACTERS
            messages += 1
            if tail.is_over(characters, messages):
                return entry.seq
        upper = page.complete_after_seq + 1
    return None


async def read_block(store: ActorRef[ToStore], query: BlockQuery) -> Block:
    """As much of what was said, from the oldest on, as one pass takes."""
    entries: tuple[TranscriptEntry, ...] = ()
    after, room = query.after_seq, BLOCK_CHARACTERS
    while after < query.through_seq:
        onward = attrs.evolve(query, after_seq=after, characters=room)
        page = await insist(store, Read(block_page, onward, READ_DEADLINE_MS))
        if page.through_seq == after:
            break
        entries, after = entries + page.entries, page.through_seq
        room -= sum(min(len(it.content), MAX_ENTRY_CHARACTERS) for it in page.entries)
        if room <= 0:
            break
    return Block(entries=entries, through_seq=after)
