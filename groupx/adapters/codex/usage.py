"""Token counts: Codex tells a thread's total and its last request's; a turn is the sum of those."""

from groupx.adapters.contract import Usage
from groupx.adapters.json_lines import Json, object_of


def count_of(value: object) -> int | None:
    """A parsed count; None when it is none."""
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        return None
    return value


class Meter:
    """Counts over the turns of one thread."""

    def __init__(self) -> None:
        self._total: int | None = None
        self._turn: Usage | None = None

    def begin_turn(self) -> None:
        """What comes now is of another turn."""
        self._turn = None

    def read(self, usage: Json) -> Usage | None:
        """A `tokenUsage` → how full the context is; one that repeats the last counts nothing."""
        total = count_of(object_of(usage.get("total")).get("totalTokens"))
        last = object_of(usage.get("last"))
        used = count_of(last.get("totalTokens"))
        if total is None or used is None:
            return None
        context = Usage(context_used=used, context_size=count_of(usage.get("modelContextWindow")))
        if total != self._total:
            self._total = total
            earlier = self._turn or Usage()
            self._turn = Usage(
                input_tokens=_sum(earlier.input_tokens, last.get("inputTokens")),
                output_tokens=_sum(earlier.output_tokens, last.get("outputTokens")),
                total_tokens=_sum(earlier.total_tokens, used),
                context_used=context.context_used,
                context_size=context.context_size,
            )
        return context

    @property
    def turn(self) -> Usage | None:
        """What the running turn used so far; None when nothing was said."""
        return self._turn


def _sum(earlier: int | None, more: object) -> int | None:
    count = count_of(more)
    return earlier if count is None else (earlier or 0) + count
