"""The ring alone: positions, bounds, and what its readers cost."""

from collections import deque

from groupx.actors.ring import Ring
from groupx.domain.commits import Frame


class FromTheStart(deque):
    def __iter__(self):
        raise AssertionError("thousands of entries stepped over for one reader")


def test_a_reader_near_the_end_steps_over_nothing():
    ring = Ring(4_096, 1_000_000)
    for seq in range(1, 5_001):
        ring.append(Frame(seq, "room:main", "t", b"x"))
    ring._entries = FromTheStart(ring._entries)
    assert [frame.seq for frame in ring.frames(4_998, ring.end)] == [4_999, 5_000]
    assert len(list(ring.frames(ring.start, ring.end))) == 4_096
