"""How much was said since the last checkpoint or reset, in slices that no writer waits long for."""

import sqlite3

import attrs

from groupx.domain.context_view import ContextStart, SaidSize
from groupx.domain.event_types import TRANSCRIPT
from groupx.domain.ids import RoomId
from groupx.domain.supervision import WATCH_BRIEF
from groupx.store.context_floor import reset_floor
from groupx.store.event_rows import readable
from groupx.store.queries.rooms import active_room
from groupx.store.summary_rows import active_summary

SLICE_SEQS = 2_000
"""How many events one slice looks through."""

_FIRST = "SELECT coalesce(min(seq), 0) FROM events WHERE room_id = ?"
_NEWEST = "SELECT coalesce(max(seq), 0) FROM events WHERE room_id = ?"
_CONTENT = f"coalesce(length(json_extract({readable('e.body_json')}, '$.content')), 0)"
_COUNTS = f"""e.event_type IN {tuple(sorted(TRANSCRIPT))}
  AND coalesce(json_extract(e.body_json, '$.kind'), '') NOT IN ('{WATCH_BRIEF}', 'retry')"""
_SAID = f"""
SELECT count(*), coalesce(sum(characters), 0) FROM (
  SELECT {_CONTENT} AS characters FROM events e
  WHERE e.room_id = :room AND e.seq > :after AND e.seq <= :through AND {_COUNTS})
WHERE characters > 0
"""
_TAKEN_BACK = f"""
SELECT count(*), coalesce(sum(characters), 0) FROM (
  SELECT {_CONTENT} AS characters
  FROM events w CROSS JOIN events e ON e.event_id = json_extract(w.body_json, '$.messageEventId')
  WHERE w.room_id = :room AND w.seq > :after AND w.seq <= :through
    AND w.event_type = 'message.withdrawn' AND e.seq > :base AND {_COUNTS})
WHERE characters > 0
"""


@attrs.frozen(kw_only=True)
class SizeQuery:
    """One slice: (after_seq, through_seq], at most SLICE_SEQS long, of what lies above `base_seq`.

    What is withdrawn in it may have been said in an earlier slice.
    """

    room_id: RoomId
    base_seq: int
    after_seq: int
    through_seq: int


def context_start(conn: sqlite3.Connection, _: None) -> ContextStart:
    """Of the active room."""
    room_id = active_room(conn)
    floor = reset_floor(conn, room_id)
    summary = active_summary(conn, room_id, above=floor)
    return ContextStart(
        room_id=room_id,
        reset_through_seq=floor,
        summary_through_seq=summary and summary.through_seq,
        summary_characters=0 if summary is None else len(summary.content),
        first_seq=conn.execute(_FIRST, (room_id,)).fetchone()[0],
        newest_seq=conn.execute(_NEWEST, (room_id,)).fetchone()[0],
    )


def said_size(conn: sqlite3.Connection, query: SizeQuery) -> SaidSize:
    """What was said in the slice, less what was withdrawn in it; either may be the greater.

    Only transcript; no watch briefs, and no copies of what is sent again.
    """
    values = {
        "room": query.room_id, "base": query.base_seq,
        "after": query.after_seq, "through": query.through_seq,
    }  # fmt: skip
    messages, characters = conn.execute(_SAID, values).fetchone()
    taken, taken_characters = conn.execute(_TAKEN_BACK, values).fetchone()
    return SaidSize(messages=messages - taken, characters=characters - taken_characters)
