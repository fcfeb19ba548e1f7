import json
from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from groupx.adapters.json_lines import InvalidLineError, decode_line, encode_line

LEAVES = (
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**64 - 1)
    | st.floats(allow_nan=False)
    | st.text()
)


@given(st.dictionaries(st.text(), LEAVES | st.lists(LEAVES, max_size=3), max_size=4))
@settings(max_examples=50)
def test_whatever_a_json_writer_makes_of_an_object_is_read(value):
    line = json.dumps(value)
    assert decode_line(line.encode()) == json.loads(line)


@given(st.binary())
def test_any_line_is_an_object_or_refused(line):
    with suppress(InvalidLineError):
        assert isinstance(decode_line(line), dict)


@given(st.lists(st.integers(0xD800, 0xDFFF), min_size=1))
def test_lone_surrogates_do_not_get_in(points):
    text = "".join(f"\\u{point:04x}" for point in points)
    read = decode_line(f'{{"text": "{text}"}}'.encode())["text"]
    read.encode("utf-8")


@pytest.mark.parametrize(
    "line", [b"", b"hello", b"[]", b"1", b'"x"', b'{"a": \xff}', b'{"a":' * 100_000, b"{}{}"]
)
def test_what_is_no_object_is_refused(line):
    with pytest.raises(InvalidLineError):
        decode_line(line)


def test_numbers_out_of_range_are_read_leniently():
    assert decode_line(b'{"n": 123456789012345678901234567890}') is not None
    assert str(decode_line(b'{"n": NaN}')["n"]) == "nan"


@given(st.dictionaries(st.text(st.characters(exclude_categories=["Cs"])), st.text("a\n\u2028")))
def test_a_frame_is_one_line(message):
    frame = encode_line(message)
    assert frame.endswith(b"\n")
    assert frame.count(b"\n") == 1
    assert decode_line(frame) == message


def test_halves_of_surrogate_pairs_do_not_get_out():
    message = {"params": {"text": "a\ud800b", "\udfff": [2**70]}}
    assert json.loads(encode_line(message)) == {"params": {"text": "a\ufffdb", "\ufffd": [2**70]}}
