"""Token counts of a turn and of the context window."""

import attrs

from groupx.adapters.contract import Usage
from groupx.adapters.json_lines import Json, object_of

_INPUTS = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")
"""Counted apart from one another."""


@attrs.define
class ContextGauge:
    """What the newest request to the model filled of the context window."""

    sent: int | None = None
    answered: int = 0

    def message_started(self, message: Json) -> None:
        """A new request: what was sent with it."""
        self.sent = _input_of(object_of(message.get("usage")))
        self.answered = 0

    def message_grew(self, usage: Json) -> None:
        """What has been answered so far."""
        self.answered = _count(usage.get("output_tokens")) or self.answered


def usage_of(result: Json, gauge: ContextGauge) -> Usage:
    """The counts of a turn, from its result; what was not said is None."""
    usage = object_of(result.get("usage"))
    sent, answered = _input_of(usage), _count(usage.get("output_tokens"))
    models = object_of(result.get("modelUsage")).values()
    sizes = [_count(object_of(model).get("contextWindow")) for model in models]
    return Usage(
        input_tokens=sent,
        output_tokens=answered,
        total_tokens=None if sent is None or answered is None else sent + answered,
        context_used=None if gauge.sent is None else gauge.sent + gauge.answered,
        context_size=max((size for size in sizes if size), default=None),
    )


def _input_of(usage: Json) -> int | None:
    counts = [_count(usage.get(name)) for name in _INPUTS]
    return None if counts[0] is None else sum(count or 0 for count in counts)


def _count(value: object) -> int | None:
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        return None
    return value
