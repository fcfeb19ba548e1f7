"""The newest events of the rooms, already encoded, within a bound of count and bytes."""

from collections import deque
from collections.abc import Iterator

import attrs

from groupx.domain.commits import Frame


@attrs.frozen
class _Entry:
    frame: Frame
    through_seq: int
    """The newest durable seq at or before this entry."""


class Ring:
    """Frames by position: 0 is the first one ever appended, `end` the next one.

    A place in the ring is the pair (position, seq): positions order everything, seqs tell
    what the store holds too.
    """

    def __init__(self, max_frames: int, max_bytes: int) -> None:
        self._max_frames = max_frames
        self._max_bytes = max_bytes
        self._entries: deque[_Entry] = deque()
        self._bytes = 0
        self.start = 0
        self.end = 0
        self.through_seq: int | None = None
        """The newest durable seq; None until the first one is known."""
        self.floor = 0
        """The ring holds every durable frame above this seq (once `through_seq` is known)."""

    def learn(self, through_seq: int) -> None:
        """The newest seq of the store, if no durable frame has told it yet."""
        if self.through_seq is None:
            self.through_seq = self.floor = through_seq

    def append(self, frame: Frame) -> None:
        """Add one frame; the oldest ones leave when it is over a bound."""
        if frame.seq is not None:
            self.learn(frame.seq - 1)
            self.through_seq = frame.seq
        self._entries.append(_Entry(frame, self.through_seq or 0))
        self._bytes += len(frame.data)
        self.end += 1
        while len(self._entries) > self._max_frames or self._bytes > self._max_bytes:
            oldest = self._entries.popleft()
            self._bytes -= len(oldest.frame.data)
            self.start += 1
            if oldest.frame.seq is not None:
                self.floor = oldest.frame.seq

    def holds_all_after(self, seq: int) -> bool:
        """Whether no durable frame above `seq` has left the ring."""
        return seq >= self.floor

    def through_at(self, position: int) -> int:
        """The newest durable seq before `position` (`start` ≤ position ≤ `end`)."""
        if position == self.start:
            return self.floor
        return self._entries[position - self.start - 1].through_seq

    def after(self, seq: int) -> int:
        """The first position behind every durable frame up to `seq`."""
        low, high = 0, len(self._entries)
        while low < high:
            middle = (low + high) // 2
            if self._entries[middle].through_seq < seq:
                low = middle + 1
            else:
                high = middle
        if low < len(self._entries) and self._entries[low].frame.seq == seq:
            low += 1
        return self.start + low

    def frames(self, position: int, end: int) -> Iterator[Frame]:
        """The frames from `position` (not before `start`) up to `end`."""
        # By index: the readers stand near the end, and an iterator would begin at the start.
        for place in range(position - self.start, end - self.start):
            yield self._entries[place].frame
