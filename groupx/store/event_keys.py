"""The idempotency keys of events that are counted and looked up by them, and their ranges.

A range is (first, end): the keys `first <= key < end`, found by index.
"""

_STOP, _RAISE, _OBSERVED = "loop", "raised", "watch"


def stop_key(root: str, limit: str, number: int) -> str:
    """Of a `routing.loop_stopped`: the chain's `number`th that this limit stopped, from 1."""
    return f"{_STOP}:{root}:{limit}:{number}"


def raised_key(root: str, limit: str, stop_event_id: str) -> str:
    """Of a `routing.loop_continued`: a stopped call raises one limit at most once."""
    return f"{_RAISE}:{root}:{limit}:{stop_event_id}"


def observed_key(watch_turn_id: str, number: int) -> str:
    """Of a `supervision.observed`: the watch turn's `number`th, from 1."""
    return f"{_OBSERVED}:{watch_turn_id}:{number}"


def stops_of(root: str, limit: str | None = None) -> tuple[str, str]:
    """The range of a chain's stops: of one limit, or of all."""
    return _range_of(_STOP, root) if limit is None else _range_of(_STOP, root, limit)


def raises_of(root: str, limit: str) -> tuple[str, str]:
    """The range of a chain's raises of one limit."""
    return _range_of(_RAISE, root, limit)


def observations_of(watch_turn_id: str) -> tuple[str, str]:
    """The range of what one watch turn was shown."""
    return _range_of(_OBSERVED, watch_turn_id)


def _range_of(*parts: str) -> tuple[str, str]:
    prefix = ":".join(parts)
    return f"{prefix}:", f"{prefix};"  # ';' comes right after ':'
