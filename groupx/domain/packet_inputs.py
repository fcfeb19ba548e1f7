"""Everything the ledger knows that one turn's context packet is made of, and how it is read.

First the head in one snapshot, then pages of what was said: a long room is many short reads.
What was said under the source's seq never changes, except that a message may be withdrawn.
"""

from collections.abc import Mapping
from typing import Literal

import attrs

from groupx.domain.commands import TriggerKind
from groupx.domain.ids import ActorId, RoomId
from groupx.domain.packet_memories import PacketMemories
from groupx.domain.packet_relevant import Relevant
from groupx.domain.supervision import PairedTurn


@attrs.frozen(kw_only=True)
class PacketQuery:
    """For which turn, and into which native session."""

    turn_id: str
    native_session_id: str | None
    """The session that will get the packet; None = one that has seen nothing."""


@attrs.frozen(kw_only=True)
class TranscriptEntry:
    """One thing that was said: a `message.created` or an `operator.dispatch`."""

    event_id: str
    seq: int
    type: Literal["message.created", "operator.dispatch"]
    actor_id: ActorId
    """Who wrote the event. Of a retry this is who clicked; the words are `forwarded`'s author's."""
    actor_name: str
    """As it was when the event was written."""
    occurred_at: str
    to: tuple[ActorId, ...] = ()
    content: str
    characters: int | None = None
    """Of the whole, when `content` is only the beginning of it."""
    kind: str | None = None
    """`retry`, `continue`, `steer`, `callback`, `supervision.watch`, or None for plain speech."""
    reply_to_event_id: str | None = None
    forwarded_event_id: str | None = None
    turn_id: str | None = None
    """Of a response: the turn that it answers."""
    source_kind: str | None = None
    """The provenance's sourceKind: web, adapter, mcp, operator, …"""
    withdrawn: bool = False
    own_response: bool = False
    """The packet's target said this in one of its own turns."""
    own_source: bool = False
    """The target got this as the current message of an own turn whose delivery is proven."""
    in_session: bool = False
    """Of a link of the reply chain: the packet's very session was sent this, or said it."""


@attrs.frozen(kw_only=True)
class SaidQuery:
    """The newest page of what was said in (lower, upper), for this target."""

    room_id: RoomId
    target_actor_id: ActorId
    lower_seq: int
    upper_seq: int


@attrs.frozen(kw_only=True)
class SaidPage:
    """Everything that was said above `complete_after_seq` and under the query's `upper_seq`."""

    entries: tuple[TranscriptEntry, ...]
    """Ascending."""
    complete_after_seq: int


@attrs.frozen(kw_only=True)
class ChainQuery:
    """The next links of a reply chain: `event_id`, what that answers, and so on."""

    target_actor_id: ActorId
    native_session_id: str | None
    """Of the session that will get the packet."""
    event_id: str
    before_seq: int
    """A link is older than what answers it; anything else ends the chain."""


@attrs.frozen(kw_only=True)
class ChainPage:
    """Some links, and where the chain goes on."""

    entries: tuple[TranscriptEntry, ...]
    """Oldest first."""
    onward: ChainQuery | None


@attrs.frozen(kw_only=True)
class ActiveSummary:
    """The room's checkpoint: it covers everything up to `through_seq`."""

    summary_id: str
    from_seq: int
    through_seq: int
    at: str
    """Of the newest thing that it covers: what was said while it was made is later than it."""
    content: str
    generator_actor_id: ActorId


@attrs.frozen(kw_only=True)
class WatchedPair:
    """Of an observer's turn: whom it watches, and what they were told to do."""

    pair_id: str
    workers: tuple[PairedTurn, ...]
    """Those that the pair has now; steers may add more."""
    observers: tuple[PairedTurn, ...]
    task: tuple[TranscriptEntry, ...]
    """The workers' message; before it what it forwards, if it does."""


@attrs.frozen(kw_only=True)
class PacketInputs:
    """One turn's packet, before any choice of what fits.

    Every transcript seq in (`complete_after_seq`, `context_through_seq`] is in `transcript`, except
    withdrawn and empty messages, watch briefs, and retry copies meant for others.
    """

    turn_id: str
    room_id: RoomId
    target_actor_id: ActorId
    target_name: str
    trigger_kind: TriggerKind
    hop_count: int
    parent_turn_id: str | None
    root_correlation_id: str
    source: TranscriptEntry
    """The current message."""
    forwarded: TranscriptEntry | None = None
    """What `source` forwards or sends again; its author is read from here."""
    queued_seq: int = 0
    """Of the turn, where more was said after `source` before it was queued; else 0."""
    last_delivered_seq: int = 0
    """The target's delivery cursor in this room."""
    session_knows_cursor: bool = False
    """Whether the delivery that the cursor stands for, the target's newest proven one, went into
    the query's native session."""
    reset_through_seq: int = 0
    summary: ActiveSummary | None = None
    """Only above the reset floor, and not beyond what the packet goes through."""
    later_summary: ActiveSummary | None = None
    """The room's checkpoint where it tells of more than was said before the current message."""
    lower_seq: int = 0
    """What the packet's delta starts above: the cursor for a session that knows it, else the
    summary's end; never under the reset floor."""
    complete_after_seq: int = 0
    """Where reading backwards stopped: `lower_seq` unless no packet could hold more."""
    transcript: tuple[TranscriptEntry, ...] = ()
    """Ascending; the source itself only where others followed it before the turn was queued."""
    later_answers: tuple[TranscriptEntry, ...] = ()
    """Ascending: what the target answered to others while `source` waited. Only for a session that
    does not know the cursor, which has none of them: no later packet tells it of them."""
    reply_chain: tuple[TranscriptEntry, ...] = ()
    """What `source` answers, whole, oldest first."""
    watched: WatchedPair | None = None
    """Only in an observer's turn."""
    memories: PacketMemories = PacketMemories()
    """As the target's memory policy lets it have them."""
    relevant: Relevant = Relevant()
    """What the current message's words were found in."""
    names: Mapping[ActorId, str] = attrs.field(factory=dict[ActorId, str])
    """Current display names of everybody known to the ledger."""

    @property
    def context_through_seq(self) -> int:
        """What a delivered packet brings the target's cursor to."""
        return max(self.source.seq, self.queued_seq)

    def spoken_of(self) -> str:
        """What the turn is about: the current message and what it forwards; for an observer the
        task of those it watches."""
        said = (self.source, self.forwarded) if self.watched is None else self.watched.task
        return "\n".join(it.content for it in said if it is not None and not it.withdrawn)

    def up_to_later_summary(self) -> "PacketInputs | None":
        """The same with `later_summary` in the place of everything that it covers; the packet then
        goes through its end. None where there is no such checkpoint."""
        later = self.later_summary
        if later is None:
            return None
        lower_seq = max(self.lower_seq, later.through_seq)
        return attrs.evolve(
            self,
            summary=later,
            later_summary=None,
            queued_seq=later.through_seq,
            lower_seq=lower_seq,
            complete_after_seq=lower_seq,
            transcript=(),
        )

    def has_already(self, entry: TranscriptEntry) -> bool:
        """Whether the session said this itself, or was sent it as its task."""
        return self.session_knows_cursor and (entry.own_response or entry.own_source)


def chain_above(
    entry: TranscriptEntry, target: ActorId, native_session_id: str | None
) -> ChainQuery | None:
    """Where the reply chain of `entry` begins; None when it answers nothing."""
    above = entry.reply_to_event_id
    if above is None:
        return None
    return ChainQuery(
        target_actor_id=target,
        native_session_id=native_session_id,
        event_id=above,
        before_seq=entry.seq,
    )
