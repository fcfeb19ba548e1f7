"""A bound on the work for one document that does not depend on the machine.

Markdown has inputs that cost the square of their length. The parser's steps are counted; a
document that needs too many, or nests too deep, is shown as it was written.
"""

from typing import Any

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock
from markdown_it.rules_core import StateCore
from markdown_it.rules_inline import StateInline

MAX_NESTING = 60
MAX_WORK = 600_000
"""The specification of this product, 100 KB, needs a tenth of it."""
MAX_TOKENS = 20_000
"""Short tables can ask for a great many empty cells."""

_BLOCK, _INLINE, _LOOK = 20, 10, 1
"""What a step costs: a block, an inline token, a look at one that was measured before."""
_WORK = "groupx.work"


class TooMuchWorkError(Exception):
    """The document is not worth it."""


def new_budget() -> dict[str, Any]:
    """The environment of one parse."""
    return {_WORK: MAX_WORK}


def install(parser: MarkdownIt) -> None:
    """Make every parse with `parser` pay from its environment."""
    parser.options["maxNesting"] = MAX_NESTING
    parser.block.ruler.before("table", "budget", _block_step)
    parser.inline.ruler.before("text", "budget", _inline_step)
    parser.core.ruler.after("block", "budget", _count_tokens)
    skip = parser.inline.skipToken

    def counted_skip(state: StateInline) -> None:
        _spend(state.env, _LOOK)
        skip(state)

    parser.inline.skipToken = counted_skip


def _block_step(state: StateBlock, _start: int, _end: int, _silent: bool) -> bool:
    # One level more and the parser would leave the rest out without a word.
    if state.level >= MAX_NESTING - 2:
        raise TooMuchWorkError
    _spend(state.env, _BLOCK)
    return False


def _inline_step(state: StateInline, _silent: bool) -> bool:
    _spend(state.env, _INLINE)
    return False


def _count_tokens(state: StateCore) -> None:
    if len(state.tokens) > MAX_TOKENS:
        raise TooMuchWorkError


def _spend(env: Any, work: int) -> None:
    env[_WORK] -= work
    if env[_WORK] < 0:
        raise TooMuchWorkError
