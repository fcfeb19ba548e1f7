"""Token counts, in the four ways in which programs report them."""

import attrs

from groupx.adapters.contract import Usage
from groupx.adapters.json_lines import Json, is_object

_SPELLINGS = (
    ("inputTokens", "input_tokens"),
    ("outputTokens", "output_tokens"),
    ("totalTokens", "total_tokens"),
)


@attrs.frozen
class Tokens:
    """Counts of a turn; what was not said is None."""

    input_tokens: int | None = None
    output_tokens: int | None = None
    total_tokens: int | None = None

    def since(self, earlier: "Tokens") -> "Tokens":
        """Counts of a session → counts since `earlier`; a counter that fell was reset."""

        def step(now: int | None, before: int | None) -> int | None:
            if now is None or before is None or now < before:
                return now
            return now - before

        return Tokens(
            step(self.input_tokens, earlier.input_tokens),
            step(self.output_tokens, earlier.output_tokens),
            step(self.total_tokens, earlier.total_tokens),
        )


def count_of(value: object) -> int | None:
    """A parsed count; None when it is none."""
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        return None
    return value


def tokens_of(result: Json) -> Tokens | None:
    """The counts in a prompt's result: `usage`, `_meta.usage` or `_meta.quota.token_count`."""
    meta = result.get("_meta")
    meta = meta if is_object(meta) else {}
    quota = meta.get("quota")
    counts = quota.get("token_count") if is_object(quota) else None
    for found in (result.get("usage"), meta.get("usage"), counts):
        if is_object(found):
            return Tokens(*(_count(found, *spellings) for spellings in _SPELLINGS))
    return None


def _count(found: Json, *spellings: str) -> int | None:
    return next((found[name] for name in spellings if count_of(found.get(name)) is not None), None)


def context_of(update: Json) -> Usage | None:
    """What a `usage_update` says of the context window; None when it says nothing usable."""
    used, size = count_of(update.get("used")), count_of(update.get("size"))
    return None if used is None else Usage(context_used=used, context_size=size)
