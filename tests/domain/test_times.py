"""Ledger times lose nothing, and their text sorts as they do."""

from datetime import datetime

from hypothesis import given
from hypothesis import strategies as st

from groupx.domain.times import iso_from_ms

moments = st.integers(0, 4_102_444_800_000)


@given(moments)
def test_nothing_is_lost(ms: int) -> None:
    text = iso_from_ms(ms)
    moment = datetime.fromisoformat(text)
    assert round(moment.timestamp() * 1000) == ms
    assert len(text) == len("2026-01-31T09:05:00.123Z")


@given(moments, moments)
def test_text_order_is_time_order(one: int, other: int) -> None:
    assert (iso_from_ms(one) < iso_from_ms(other)) == (one < other)


def test_it_is_utc() -> None:
    assert iso_from_ms(1_769_850_300_123) == "2026-01-31T09:05:00.123Z"
