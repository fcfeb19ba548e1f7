"""How full an agent's context is: counted by GroupX, or told by the program itself."""

from typing import Literal

import attrs

from groupx.domain.ids import ActorId, RoomId
from groupx.domain.wire import optional

MAX_TOKENS = 2**53
"""Greater numbers are no counts, and would not survive JSON."""

UsageSource = Literal["turn", "watch", "rollup", "compaction", "assistant"]
"""Which kind of request was measured; those of different kinds never overwrite one another."""
UsageTracker = Literal["packet", "native"]
"""Who measured last: the packet builder, or the native program."""


@attrs.frozen(kw_only=True)
class Usage:
    """Tokens as the program reported them; what it did not say stays None."""

    input_tokens: int | None = optional()
    output_tokens: int | None = optional()
    total_tokens: int | None = optional()
    context_used: int | None = optional()
    """Tokens in the program's context window after the turn."""
    context_size: int | None = optional()

    def plausible(self) -> "Usage":
        """Without the numbers that no counter can have shown; of those nothing is known."""
        return attrs.evolve(
            self,
            **{
                name: None
                for name, count in attrs.asdict(self).items()
                if count is not None and not 0 <= count <= MAX_TOKENS
            },
        )


@attrs.frozen(kw_only=True)
class RecordUsage:
    """One measured request: the characters sent, the tokens reported; None = unknown."""

    actor_id: ActorId
    source: UsageSource
    tracker: UsageTracker
    characters: int | None = None
    tokens: int | None = None
    room_id: RoomId | None = None
    """None = the active room."""
    new_epoch: bool = False
    """Whether it went into a context that knows nothing of the ones before: a new session."""


def side_usage(
    source: UsageSource, actor_id: ActorId, room_id: RoomId, characters: int, tokens: int | None
) -> RecordUsage:
    """Of one prompt beside the room, which always goes into a session of its own."""
    return RecordUsage(
        actor_id=actor_id,
        source=source,
        tracker="packet" if tokens is None else "native",
        characters=characters,
        tokens=tokens,
        room_id=room_id,
        new_epoch=True,
    )


@attrs.frozen(kw_only=True)
class ContextUsage:
    """The latest measure of one kind of an agent's requests, within one epoch of its context.

    An epoch ends with a context reset, a new checkpoint and a new native session; until the
    next request nothing is known of the new one.
    """

    actor_id: ActorId
    source: UsageSource
    tracker: UsageTracker
    characters: int | None
    tokens: int | None = optional()
    epoch: int
    revision: int
    updated_at: str
