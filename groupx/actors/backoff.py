"""How long to wait before trying again."""

from collections.abc import Callable

FIRST_SECONDS = 0.5
LONGEST_SECONDS = 30.0


def backoff_seconds(failures: int, jitter: Callable[[], float]) -> float:
    """0.5 s doubling to 30 s, less up to half of it; `jitter` gives [0, 1)."""
    full = min(FIRST_SECONDS * 2 ** (failures - 1), LONGEST_SECONDS)
    return full * (1 - jitter() / 2)
