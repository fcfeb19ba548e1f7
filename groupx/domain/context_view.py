"""How full a room's context is: what a session that knows nothing yet would have to be told."""

from collections.abc import Sequence

import attrs

from groupx.domain.compaction_state import CompactionView
from groupx.domain.context_usage import ContextUsage
from groupx.domain.ids import RoomId
from groupx.domain.limits import SOFT_CONTEXT_SHARE, Limits
from groupx.domain.wire import optional

PACKET_FRAME_CHARACTERS = 1_500
"""What a packet has before anything was said: its note, and who the target is."""
ENTRY_FRAME_CHARACTERS = 240
"""What an entry takes beside its content, at most for ids of ordinary length."""
KEPT_WORD_FOR_WORD = 12
"""So many of the newest messages a compaction that the user asks for leaves as they are."""


@attrs.frozen(kw_only=True)
class ContextStart:
    """From where on the room's context is counted."""

    room_id: RoomId
    reset_through_seq: int
    """0 = it was never reset."""
    summary_through_seq: int | None
    summary_characters: int
    first_seq: int
    """The room's oldest event; 0 = it has none."""
    newest_seq: int

    @property
    def base_seq(self) -> int:
        """Everything up to it is covered by the checkpoint or given up by a reset."""
        return max(self.reset_through_seq, self.summary_through_seq or 0)


@attrs.frozen(kw_only=True)
class SaidSize:
    """How much was said; what was withdrawn since is not in it."""

    messages: int = 0
    characters: int = 0

    def plus(self, other: "SaidSize") -> "SaidSize":
        """Both together."""
        return SaidSize(
            messages=self.messages + other.messages,
            characters=self.characters + other.characters,
        )


@attrs.frozen(kw_only=True)
class ContextView:
    """Estimated in characters, never in tokens, and rather too much than too little."""

    estimated_characters: int
    """Of the checkpoint and all that was said after it, with what frames it in a packet."""
    max_characters: int
    compaction_trigger_characters: int
    utilization_percent: float
    uncompacted_message_count: int
    summary_through_seq: int | None = optional()
    reset_through_seq: int | None = optional()
    compactable: bool
    """Whether there is more than a compaction by hand leaves word for word."""
    by_source: Sequence[ContextUsage]
    compaction: CompactionView | None = optional()
    """The last one since GroupX started."""


def context_view(
    start: ContextStart,
    said: SaidSize,
    usage: Sequence[ContextUsage],
    limits: Limits,
    compaction: CompactionView | None = None,
) -> ContextView:
    """Of one room, after `said` was counted above the start's base."""
    entries = said.messages + (start.summary_through_seq is not None)
    estimated = (
        PACKET_FRAME_CHARACTERS
        + start.summary_characters
        + said.characters
        + ENTRY_FRAME_CHARACTERS * entries
    )
    hard = limits.context_characters
    return ContextView(
        estimated_characters=estimated,
        max_characters=hard,
        compaction_trigger_characters=int(hard * SOFT_CONTEXT_SHARE),
        utilization_percent=round(100 * estimated / hard, 1),
        uncompacted_message_count=said.messages,
        summary_through_seq=start.summary_through_seq,
        reset_through_seq=start.reset_through_seq or None,
        compactable=said.messages > KEPT_WORD_FOR_WORD,
        by_source=usage,
        compaction=compaction,
    )
