"""What a compaction reads: where the room's context stands, and its messages from the oldest on."""

import sqlite3

import attrs

from groupx.domain.compaction import (
    BLOCK_CHARACTERS,
    MAX_ENTRY_CHARACTERS,
    Block,
    BlockQuery,
    is_material,
)
from groupx.domain.event_types import TRANSCRIPT
from groupx.domain.ids import RoomId
from groupx.domain.limits import MAX_PAGE_EVENTS
from groupx.domain.packet_inputs import ActiveSummary, TranscriptEntry
from groupx.store.context_floor import reset_floor
from groupx.store.queries.rooms import active_room
from groupx.store.queries.transcript_pages import PAGE_SEQS
from groupx.store.summary_rows import active_summary
from groupx.store.transcript import ENTRY, WATCH, read_entry

_NEWEST = "SELECT coalesce(max(seq), 0) FROM events WHERE room_id = ?"
_FORWARDS = (
    ENTRY + " WHERE e.room_id = :room AND e.seq > :after AND e.seq <= :through"
    f" AND e.event_type IN {tuple(sorted(TRANSCRIPT))} ORDER BY e.seq LIMIT :limit"
)


@attrs.frozen(kw_only=True)
class Standing:
    """A room's checkpoint, the seq under which nothing counts any more, and its newest seq."""

    room_id: RoomId
    floor_seq: int
    summary: ActiveSummary | None
    newest_seq: int

    @property
    def covered_seq(self) -> int:
        """Everything up to it is in the checkpoint, or given up by a reset."""
        return self.floor_seq if self.summary is None else self.summary.through_seq


def standing(conn: sqlite3.Connection, room_id: RoomId | None) -> Standing:
    """Of a room; None = the active one."""
    room_id = room_id or active_room(conn)
    floor = reset_floor(conn, room_id)
    return Standing(
        room_id=room_id,
        floor_seq=floor,
        summary=active_summary(conn, room_id, above=floor),
        newest_seq=conn.execute(_NEWEST, (room_id,)).fetchone()[0],
    )


def block_page(conn: sqlite3.Connection, query: BlockQuery) -> Block:
    """Some of what was said, the oldest first; of each message only its beginning counts.

    It ends with what one pass takes, or at a page's end: `through_seq` says where.
    """
    through = min(query.through_seq, query.after_seq + PAGE_SEQS)
    values = {
        "room": query.room_id, "target": "", "after": query.after_seq, "through": through,
        "limit": MAX_PAGE_EVENTS,
    }  # fmt: skip
    entries: list[TranscriptEntry] = []
    size = 0
    for number, row in enumerate(conn.execute(_FORWARDS, values), start=1):
        item = read_entry(row, "")
        size += min(len(item.content), MAX_ENTRY_CHARACTERS)
        if size > query.characters and (entries or query.characters < BLOCK_CHARACTERS):
            through = item.seq - 1
            break
        if is_material(item) and item.kind != WATCH:
            entries.append(item)
        if number == MAX_PAGE_EVENTS:
            through = item.seq
            break
    return Block(entries=tuple(entries), through_seq=through)
