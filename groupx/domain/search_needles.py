"""What is sought, as it looks in a folded text: to mark it, and to find it without the index."""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

import attrs

from groupx.domain.search_chunks import MAX_RUN, Chunk, Part
from groupx.domain.search_text import MAX_SYMBOLS, RUNS

_IN_A_WORD = re.compile(rf"[^\W_{RUNS}]")


@attrs.frozen
class Needle:
    """Chunks that stand one after the other."""

    pattern: str
    """Without what would make it slow to compile, or to look for: no place is tried twice."""
    begins_word: bool

    def hits(self, text: str) -> Iterator[re.Match[str]]:
        """In order, not over each other; `text` is folded."""
        pattern, at = re.compile(self.pattern), 0
        while (hit := pattern.search(text, at)) is not None:
            if self.begins_word and hit.start() and _IN_A_WORD.match(text, hit.start() - 1):
                at = hit.start() + 1
                continue
            yield hit
            at = hit.end()

    def is_in(self, text: str) -> bool:
        """Whether a folded text has it."""
        return next(self.hits(text), None) is not None


def needle(found: Sequence[Chunk]) -> Needle:
    """What to mark of these chunks."""
    return _needle([part for chunk in found for part in _shown(chunk.parts)])


def beginning(found: Sequence[Chunk]) -> Needle:
    """What the index finds by the neighbours in these chunks when the last may go on; a word alone
    with what stands before it."""
    parts = [part for chunk in found for part in chunk.parts]
    lexical = [part for part in parts if part.kind in ("run", "word")]
    before = parts[-2] if len(parts) > 1 else None
    if len(lexical) == 1 and before is not None and before.kind == "symbols":
        symbols = re.escape(before.text[-MAX_SYMBOLS:])
        return Needle(symbols + re.escape(lexical[0].text), begins_word=False)
    return _needle(lexical)


def _needle(parts: Sequence[Part]) -> Needle:
    pieces = [_literal(parts[0])]
    for last, part in pairwise(parts):
        pieces += [_gap(last, part), _literal(part)]
    return Needle("".join(pieces), parts[0].kind == "word")


def _literal(part: Part) -> str:
    return re.escape(part.text[:MAX_RUN] if part.kind == "run" else part.text)


def _gap(last: Part, part: Part) -> str:
    if part.kind in ("picture", "symbols") or last.kind == "symbols":
        return r"\s*+"
    return r"[\W_]++" if last.kind == part.kind else r"[\W_]*+"


def _shown(parts: Sequence[Part]) -> list[Part]:
    """Without the symbols between others."""
    ends = (0, len(parts) - 1)
    return [part for at, part in enumerate(parts) if part.kind != "symbols" or at in ends]
