"""One room's history for people, by pages; how it looks is the face's business."""

import sqlite3
from collections.abc import Mapping
from typing import Any, Protocol, cast

import attrs

from groupx.domain.errors import ErrorCode, GroupXError
from groupx.store.event_rows import load_json
from groupx.store.exchange.entries import Entry, EntryReader, TranscriptEvent
from groupx.store.exchange.reading import Ask, Export, Row, RowsQuery, read_rows
from groupx.store.messages import withdrawal_key
from groupx.store.queries.rooms import active_room

_ROOM = "SELECT title FROM rooms WHERE room_id = ?"
_THROUGH = "SELECT coalesce(max(seq), 0) FROM events WHERE room_id = ?"
_NAMES = "SELECT actor_id, display_name FROM actors"
_EVENTS = f"""
SELECT e.seq, e.event_type, e.actor_id, e.actor_display_name, e.targets_json, e.occurred_at,
  e.body_json, e.event_type = 'message.created' AND EXISTS (
    SELECT 1 FROM events w
    WHERE w.room_id = e.room_id AND w.idempotency_key = '{withdrawal_key("' || e.event_id || '")}'
  )
FROM events e WHERE e.room_id = ? AND e.seq > ? AND e.seq <= ? ORDER BY e.seq LIMIT ?
"""


@attrs.frozen(kw_only=True)
class Opening:
    """What a transcript is of."""

    room_id: str
    title: str
    through_seq: int
    names: Mapping[str, str]


class Face(Protocol):
    """One way to write a transcript down."""

    def begin(self, opening: Opening) -> str:
        """What comes before the first entry."""
        ...

    def entry(self, entry: Entry) -> str:
        """One entry."""
        ...

    def end(self) -> str:
        """What comes after the last."""
        ...


def transcript_export(face: Face, *, room_id: str | None, reasoning: bool) -> Export:
    """The room (None: the active one) as of its newest event at the first read. NOT_FOUND."""
    opening: Opening = yield Ask(open_transcript, room_id)
    yield face.begin(opening).encode("utf-8", "replace")
    reader = EntryReader(opening.names, reasoning=reasoning)
    after = 0
    while True:
        query = RowsQuery(
            sql=_EVENTS, after=after, through=opening.through_seq, values=(opening.room_id,)
        )
        rows: list[Row] = yield Ask(read_rows, query)
        if not rows:
            break
        after = rows[-1][0]
        for row in rows:  # a page of texts may take long to render, so each is given on its own
            said = "".join(map(face.entry, reader.read(_event(row))))
            if said:
                yield said.encode("utf-8", "replace")
    last = "".join(map(face.entry, reader.rest()))
    yield (last + face.end()).encode("utf-8", "replace")


def open_transcript(conn: sqlite3.Connection, room_id: str | None) -> Opening:
    """What the room is called and how far it goes. NOT_FOUND."""
    found = active_room(conn) if room_id is None else room_id
    row = conn.execute(_ROOM, (found,)).fetchone()
    if row is None:
        raise GroupXError(
            ErrorCode.NOT_FOUND, f"There is no room '{found}', so nothing was exported."
        )
    return Opening(
        room_id=found,
        title=row[0],
        through_seq=conn.execute(_THROUGH, (found,)).fetchone()[0],
        names=dict(conn.execute(_NAMES).fetchall()),
    )


def _event(row: Row) -> TranscriptEvent:
    seq, kind, actor_id, author, to, at, body, withdrawn = row
    found: Any = load_json(body)
    return TranscriptEvent(
        seq=seq,
        type=kind,
        actor_id=actor_id,
        author=author,
        to=tuple(load_json(to)),
        at=at,
        body=cast("dict[str, Any]", found) if isinstance(found, dict) else {},
        withdrawn=bool(withdrawn),
    )
