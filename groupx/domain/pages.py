"""What is asked of the ledger's history, and what comes back: bounded pages of encoded events."""

import attrs

from groupx.domain.commits import Frame
from groupx.domain.ids import ActorId, RoomId
from groupx.domain.limits import MAX_BOOTSTRAP_BYTES, MAX_PAGE_EVENTS
from groupx.domain.views import LaneView, TurnView
from groupx.domain.wire import optional


@attrs.frozen(kw_only=True)
class RoomView:
    """One room; exactly one is active, all others are read-only."""

    room_id: RoomId
    title: str
    active: bool
    created_at: str
    archived_at: str | None = optional()


@attrs.frozen(kw_only=True)
class EventsAfter:
    """The next events above a cursor, of one room or of all."""

    after_seq: int
    room_id: RoomId | None = None
    limit: int = MAX_PAGE_EVENTS


@attrs.frozen(kw_only=True)
class HistoryQuery:
    """A page of events: under `before_seq`, above `after_seq`, around one; or the newest."""

    room_id: RoomId | None = None
    """None = the active room."""
    before_seq: int | None = None
    after_seq: int | None = None
    around: str | None = None
    """An event id."""
    limit: int = 100


@attrs.frozen(kw_only=True)
class HistoryPage:
    """Events ascending; `previous_before_seq` asks for the page before, None when there is none."""

    room_id: RoomId
    events: tuple[Frame, ...]
    previous_before_seq: int | None
    through_seq: int
    """The room's newest seq, 0 for an empty room."""
    endings: tuple[Frame, ...] = ()
    """How turns ended that this page tells of and that ended after it."""

    @property
    def next_after_seq(self) -> int | None:
        """Asks for the page after; None when there is none."""
        last = self.events[-1].seq if self.events else None
        return last if last is not None and last < self.through_seq else None


@attrs.frozen(kw_only=True)
class BootstrapQuery:
    """The room as one snapshot."""

    room_id: RoomId | None = None
    max_events: int = MAX_PAGE_EVENTS
    max_bytes: int = MAX_BOOTSTRAP_BYTES


@attrs.frozen(kw_only=True)
class LaneSnapshot:
    """One agent's queue as the ledger has it."""

    actor_id: ActorId
    lane: LaneView
    paused: bool
    reason: str | None = None
    packet_characters: int | None = None
    """Of the agent's latest packet in its present context."""


@attrs.frozen(kw_only=True)
class Bootstrap:
    """What a face shows first, from one read."""

    page: HistoryPage
    room: RoomView
    """The one that all of it is about."""
    rooms: tuple[RoomView, ...]
    turns: tuple[TurnView, ...]
    """Open turns: each lane's active one, then its queue from the front, bounded."""
    lanes: tuple[LaneSnapshot, ...]
