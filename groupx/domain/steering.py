"""Steering: what an observer asks for, and how it is answered."""

from typing import Literal

import attrs

from groupx.domain.commands import CommandKey, QueuedTurnAnswer
from groupx.domain.errors import ErrorCode, GroupXError
from groupx.domain.ids import ActorId
from groupx.domain.limits import Limits
from groupx.domain.roster import RosterEntry
from groupx.domain.text import is_blank
from groupx.domain.turns import TurnStatus

SteerAction = Literal["nudge", "interrupt"]
MAX_REASON_CHARACTERS = 500


@attrs.frozen(kw_only=True)
class SteerCommand:
    """Guidance for a worker out of a watch turn; `interrupt` also stops the subject's turn."""

    key: CommandKey
    actor_id: ActorId
    watch_turn_id: str
    subject_turn_id: str | None
    """None: the pair's one open worker."""
    action: SteerAction
    reason: str
    content: str
    roster: tuple[RosterEntry, ...]
    limits: Limits
    transport: str = "structured"


@attrs.frozen(kw_only=True)
class Steered:
    """What a steer did. The same object for a repeated command."""

    message_event_id: str
    steered_event_id: str
    pair_id: str
    action: SteerAction
    subject_turn_id: str
    subject_actor_id: ActorId
    subject_status: TurnStatus
    """Right after the steer."""
    next_turn: QueuedTurnAnswer
    """The worker's turn about the guidance; it belongs to the pair and can be watched."""
    steer_count: int
    """Steers of this subject so far, with this one."""
    steer_limit: int


def check_reason(reason: str) -> None:
    """INVALID_ENVELOPE for one that says nothing, or too much to be shown."""
    if not is_blank(reason) and len(reason) <= MAX_REASON_CHARACTERS:
        return
    raise GroupXError(
        ErrorCode.INVALID_ENVELOPE,
        f"A steer has a reason of 1 to {MAX_REASON_CHARACTERS} characters, which the room is "
        "shown; nothing was sent.",
        field="reason",
    )
