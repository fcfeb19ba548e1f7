import tracemalloc
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groupx.process.framing import LineFramer, LineTooLong

PIECES = st.sampled_from([b"", b"a", b"\n", b"\r\n", b"bcdef", "\u2028".encode(), b"\x00", b"\x85"])


def cut(data: bytes, places: list[int]) -> list[bytes]:
    edges = [0, *sorted(place % (len(data) + 1) for place in places), len(data)]
    return [data[start:end] for start, end in pairwise(edges)]


def model(data: bytes, bound: int) -> list[bytes | LineTooLong]:
    *lines, rest = data.split(b"\n")
    if rest:
        lines.append(rest)
    return [line if len(line) <= bound else LineTooLong(len(line)) for line in lines]


@given(
    st.lists(PIECES, max_size=40).map(b"".join), st.lists(st.integers(0, 200)), st.integers(1, 9)
)
def test_any_cut_gives_the_lines_of_the_whole(data: bytes, places: list[int], bound: int):
    framer = LineFramer(bound)
    lines = [line for chunk in cut(data, places) for line in framer.feed(chunk)]
    if (rest := framer.finish()) is not None:
        lines.append(rest)
    assert lines == model(data, bound)
    assert framer.finish() is None


def test_only_lf_ends_a_line():
    text = "a\u2028b\u0085c\rd\x00e\x0b\x0cf\r"
    assert LineFramer().feed(text.encode() + b"\n") == [text.encode()]


def test_a_character_may_be_split_between_chunks():
    framer = LineFramer()
    whole = "日本\n".encode()
    assert [line for byte in whole for line in framer.feed(bytes([byte]))] == [whole[:-1]]


@pytest.mark.slow
def test_a_huge_line_costs_little_and_the_next_one_is_read():
    framer = LineFramer(1024 * 1024)
    chunk = b"x" * 65536
    tracemalloc.start()
    for _ in range(1024):
        assert framer.feed(chunk) == []
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert framer.feed(b"y\nnext\n") == [LineTooLong(64 * 1024 * 1024 + 1), b"next"]
    assert peak < 4 * 1024 * 1024
