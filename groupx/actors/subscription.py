"""One reader's place in a room's stream of events."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, TypeVar

from groupx.domain.commits import Frame

if TYPE_CHECKING:
    from groupx.actors.event_hub import EventHub

T = TypeVar("T")
Encode = Callable[[Sequence[Frame]], T]
"""How a face writes frames. A module-level function: its results are shared by identity."""


class Subscription:
    """Everything durable above `cursor`, in order, exactly once; transient events since it began.

    While `behind`, the reader takes pages above `cursor` from the store and reports each with
    `read_page`; otherwise `take` gives what is in the ring and `wait` waits for more.
    """

    def __init__(self, hub: "EventHub", room_id: str, cursor: int, transients_from: int) -> None:
        self._hub = hub
        self._room_id = room_id
        self._position = hub.ring.after(cursor)
        self._transients_from = transients_from
        self.cursor = cursor

    @property
    def behind(self) -> bool:
        """Whether durable events above the cursor are no longer in the ring."""
        return not self._hub.ring.holds_all_after(self.cursor)

    def read_page(self, frames: Sequence[Frame], floor: int) -> None:
        """Note a page of the store; `floor` is the ring's floor from before it was asked for."""
        self.cursor = max(self.cursor, (frames[-1].seq or 0) if frames else floor)

    def take(self, encode: Encode[T]) -> T | None:
        """The next frames of this room, encoded; None when there are none to show yet."""
        ring = self._hub.ring
        self._position = max(self._position, ring.start)
        if ring.through_at(self._position) < self.cursor:
            self._position = max(self._position, ring.after(self.cursor))
        while self._position < self._hub.visible:
            piece = self._hub.slice(
                self._room_id, self._position, encode, transients_from=self._transients_from
            )
            self._position = piece.end
            self.cursor = max(self.cursor, piece.through_seq)
            if piece.payload is not None:
                return piece.payload
        return None

    async def wait(self) -> None:
        """Until `take`, the store or the hub's release has something for this reader."""
        hub = self._hub
        while hub.released is None and self._position >= hub.visible and not self.behind:
            await hub.next_wake()
