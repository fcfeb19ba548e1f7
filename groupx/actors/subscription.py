"""One reader's place in a room's stream of events."""

from collections.abc import Callable, Sequence
from typing import Generic, Protocol, TypeVar

import attrs

from groupx.actors.ring import Ring
from groupx.domain.commits import Frame
from groupx.domain.event_types import DELTAS

T = TypeVar("T")
Encode = Callable[[Sequence[Frame]], T]
"""How a face writes frames. A module-level function: its results are shared by identity."""


@attrs.frozen(kw_only=True)
class Slice(Generic[T]):
    """Consecutive frames of the ring, encoded for one room; payload None when it has none."""

    end: int
    through_seq: int
    payload: T | None


@attrs.frozen(kw_only=True)
class Replay:
    """Which transient frames of the ring a reader is told."""

    transients_from: int
    """A position: those from there on, since older ones do not tell how things stand now."""
    deltas: bool = False
    """Also the deltas before it: the reader has no other way to learn them."""

    def at(self, position: int) -> "Replay":
        """The same for a reader who stands at `position`; alike for all who have caught up."""
        return CAUGHT_UP if position >= self.transients_from else self

    def tells(self, frame: Frame, position: int) -> bool:
        """Whether the frame at this position is told."""
        return (
            frame.seq is not None
            or position >= self.transients_from
            or (self.deltas and frame.type in DELTAS)
        )


CAUGHT_UP = Replay(transients_from=0)


class Source(Protocol):
    """What is read from: the hub, as its readers know it."""

    ring: Ring
    visible: int
    released: str | None

    def slice(self, room_id: str, position: int, encode: Encode[T], replay: "Replay") -> Slice[T]:
        """The visible frames from `position`."""
        ...

    async def next_wake(self) -> None:
        """Until more may be visible."""
        ...


class Subscription:
    """Everything durable above `cursor`, in order, exactly once; of the rest what `replay` says.

    While `behind`, the reader takes pages above `cursor` from the store and reports each with
    `read_page`; otherwise `take` gives what is in the ring and `wait` waits for more.
    """

    def __init__(self, source: Source, room_id: str, cursor: int, replay: Replay) -> None:
        self._source = source
        self._room_id = room_id
        self._position = source.ring.after(cursor)
        self._replay = replay
        self.cursor = cursor

    @property
    def behind(self) -> bool:
        """Whether durable events above the cursor are no longer in the ring."""
        return not self._source.ring.holds_all_after(self.cursor)

    def read_page(self, frames: Sequence[Frame], floor: int) -> None:
        """Note a page of the store; `floor` is the ring's floor from before it was asked for."""
        self.cursor = max(self.cursor, (frames[-1].seq or 0) if frames else floor)

    def take(self, encode: Encode[T]) -> T | None:
        """The next frames of this room, encoded; None when there are none to show yet."""
        ring = self._source.ring
        self._position = max(self._position, ring.start)
        if ring.through_at(self._position) < self.cursor:
            self._position = max(self._position, ring.after(self.cursor))
        while self._position < self._source.visible:
            piece = self._source.slice(self._room_id, self._position, encode, self._replay)
            self._position = piece.end
            self.cursor = max(self.cursor, piece.through_seq)
            if piece.payload is not None:
                return piece.payload
        return None

    async def wait(self) -> None:
        """Until `take`, the store or the hub's release has something for this reader."""
        source = self._source
        while source.released is None and self._position >= source.visible and not self.behind:
            await source.next_wake()
