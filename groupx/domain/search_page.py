"""What is asked of the index, and what comes back."""

import attrs

from groupx.domain.ids import ActorId, RoomId
from groupx.domain.wire import optional

MAX_HITS = 50
"""Of one page."""


@attrs.frozen(kw_only=True)
class SearchQuery:
    """A page of hits, the newest first."""

    text: str
    """As it was typed."""
    room_id: RoomId | None = None
    """None: the active room."""
    all_rooms: bool = False
    common: frozenset[str] | None = None
    """Beginnings of words that too many texts have, as the slice before found out."""
    cursor: int | None = None
    """Hits below this one; a page's `next_cursor`."""
    limit: int = 20


@attrs.frozen(kw_only=True)
class SearchHit:
    """One message, dispatch, memory or identity that was found."""

    kind: str
    id: str
    """Of its event, or of its record."""
    seq: int | None = optional()
    """The event to show it at; none for a record whose event is gone."""
    room_id: RoomId
    actor_id: ActorId
    excerpt_html: str
    """Safe HTML: escaped, with `<mark>` around what was hit."""
    at: str
    status: str | None = optional()
    """Of a record: active, superseded or retracted."""
    owner_actor_id: ActorId | None = optional()
    """Whose memory it is in, if not the room's; whom an identity is of."""


@attrs.frozen(kw_only=True)
class Indexing:
    """How much of the history the index knows, in events."""

    done: int
    total: int


@attrs.frozen(kw_only=True)
class SearchPage:
    """Hits, and the way to older ones."""

    results: tuple[SearchHit, ...]
    next_cursor: str | None = optional()
    indexing: Indexing | None = optional()
    """While older text is still missing from the index."""


@attrs.frozen(kw_only=True)
class SearchSlice(SearchPage):
    """What some milliseconds give of a page."""

    common: frozenset[str] = frozenset()
    """For the next slice."""
