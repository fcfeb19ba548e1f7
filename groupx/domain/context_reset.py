"""A context reset: from where on the room's context begins again, and what it does to sessions."""

import attrs

from groupx.domain.commands import CommandKey
from groupx.domain.ids import ActorId, RoomId


@attrs.frozen(kw_only=True)
class ResetContext:
    """Let no later packet, measure or checkpoint of the active room reach back beyond now."""

    key: CommandKey
    by: ActorId
    reset_native_sessions: bool = False
    """Whether every agent begins a new native session too, once it is idle."""


@attrs.frozen(kw_only=True)
class ContextReset:
    """Context starts above `through_seq`."""

    through_seq: int
    changed: bool
    """False: nothing was said since the reset before, which still holds as it was, and sessions
    that were to be renewed were renewed by it."""


@attrs.frozen(kw_only=True)
class SessionEra:
    """What a native session belongs to; one of an earlier era is left when its agent is idle."""

    room_id: RoomId
    """The active room."""
    reset_id: str | None
    """The last reset that renewed native sessions."""
