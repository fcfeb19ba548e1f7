"""Who gets to know that a called turn has ended: the call that waits, or a turn of its own."""

from typing import Literal

import attrs

ClaimOwner = Literal["inline", "callback"]
ClaimState = Literal["open", "inline", "queued", "cancelled"]


@attrs.frozen(kw_only=True)
class CompletionClaim:
    """The claim on one child turn's end, made because its caller asked to be woken.

    | state | owner | |
    |---|---|---|
    | open | None | the child runs, and nobody waits for it |
    | open | inline | the child runs, and a call of the waiter waits for it |
    | inline | inline | the waiting call has it: no callback |
    | queued | callback | a callback turn was queued |
    | cancelled | inline | the callback was taken back before it ran, since a call came for it |
    | cancelled | callback | a limit was reached or the room was left: there is no callback |

    A limit is not the last word: when the user lets the callback go on, it is `queued` after all.
    """

    child_turn_id: str
    waiter_turn_id: str
    owner: ClaimOwner | None
    callback_turn_id: str | None
    state: ClaimState


@attrs.frozen(kw_only=True)
class ClaimInline:
    """A call of the running turn `by_turn_id` waits for these turns, or takes what they gave."""

    child_turn_ids: tuple[str, ...]
    by_turn_id: str


@attrs.frozen(kw_only=True)
class ReleaseInline:
    """That call waits no longer (its time is over, or it was cancelled)."""

    child_turn_ids: tuple[str, ...]
    by_turn_id: str
