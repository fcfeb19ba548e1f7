"""Times as the ledger writes them: UTC, ISO 8601, milliseconds, `Z`."""

from datetime import UTC, datetime


def iso_from_ms(epoch_ms: int) -> str:
    """`2026-01-31T09:05:00.123Z` for milliseconds since the epoch."""
    seconds, ms = divmod(epoch_ms, 1000)
    return f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%dT%H:%M:%S}.{ms:03d}Z"


def ms_from_iso(moment: str) -> int:
    """Milliseconds since the epoch of such a time."""
    return round(datetime.fromisoformat(moment).timestamp() * 1000)
