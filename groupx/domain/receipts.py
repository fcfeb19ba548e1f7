"""How far a message came with each of those it woke."""

from typing import Literal

import attrs

from groupx.domain.ids import ActorId
from groupx.domain.wire import optional

ReceiptState = Literal["recorded", "applied", "completed", "failed", "cancelled"]
"""`received` is never seen by itself: a message and its turns are stored in one transaction."""


@attrs.frozen(kw_only=True)
class InputReceipt:
    """One target's state of a message. `applied_at` is set only where the native turn that holds
    the message is proven to have begun; an interrupted turn shows as failed."""

    source_event_id: str
    target_actor_id: ActorId
    turn_id: str
    state: ReceiptState
    received_at: str
    recorded_at: str
    applied_at: str | None = optional()
    completed_at: str | None = optional()


@attrs.frozen(kw_only=True)
class ReceiptQuery:
    """Of one message; of one target, or of all."""

    source_event_id: str
    target_actor_id: ActorId | None = None
