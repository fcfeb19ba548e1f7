"""Times as the ledger writes them: UTC, ISO 8601, milliseconds, `Z`."""

from datetime import UTC, datetime


def iso_from_ms(epoch_ms: int) -> str:
    """`2026-01-31T09:05:00.123Z` for milliseconds since the epoch."""
    seconds, ms = divmod(epoch_ms, 1000)
    return f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%dT%H:%M:%S}.{ms:03d}Z"
