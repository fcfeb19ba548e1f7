"""Ledger times go both ways without loss."""

from hypothesis import given
from hypothesis import strategies as st

from groupx.domain.times import iso_from_ms, ms_from_iso


@given(st.integers(0, 4_102_444_800_000))
def test_round_trip(ms: int) -> None:
    text = iso_from_ms(ms)
    assert ms_from_iso(text) == ms
    assert len(text) == len("2026-01-31T09:05:00.123Z")


def test_text_order_is_time_order() -> None:
    assert iso_from_ms(1_769_850_300_123) == "2026-01-31T09:05:00.123Z"
    assert ms_from_iso("2026-01-31T10:05:00.123+01:00") == 1_769_850_300_123
