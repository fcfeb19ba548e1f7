"""Text that grows up to a bound and then stays as it is."""

import orjson

from groupx.domain.limits import MAX_EVENT_BYTES
from groupx.domain.text import cut_utf8, without_surrogates

MAX_ESCAPED_BYTES = MAX_EVENT_BYTES - 128 * 1024
"""As a JSON string, so that the text fits into an event whatever characters it is made of."""


class BoundedText:
    """Appends until `max_bytes` of UTF-8; what comes after is cut and `truncated` says so."""

    def __init__(self, max_bytes: int) -> None:
        self._pieces: list[str] = []
        self._room = max_bytes
        self._escaped_room = MAX_ESCAPED_BYTES
        self.characters = 0
        self.bytes = 0
        self.truncated = False

    def append(self, piece: str) -> str:
        """What of `piece` was kept."""
        if self.truncated or not piece:
            return ""
        kept, self.truncated = cut_utf8(without_surrogates(piece), self._room)
        while (escaped := len(orjson.dumps(kept)) - 2) > self._escaped_room:
            self.truncated = True
            kept = kept[: len(kept) * self._escaped_room // escaped]
        size = len(kept.encode())
        self._pieces.append(kept)
        self._room -= size
        self._escaped_room -= escaped
        self.bytes += size
        self.characters += len(kept)
        return kept

    @property
    def text(self) -> str:
        """Everything that was kept."""
        if len(self._pieces) > 1:
            self._pieces = ["".join(self._pieces)]
        return self._pieces[0] if self._pieces else ""
