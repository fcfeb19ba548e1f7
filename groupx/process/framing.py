"""Lines out of a byte stream: split on LF alone, bounded in memory."""

import attrs

MAX_LINE_BYTES = 16 * 1024 * 1024


@attrs.frozen
class LineTooLong:
    """A line over the bound was dropped as a unit; `size` is its length in bytes without LF."""

    size: int


Line = bytes | LineTooLong


class LineFramer:
    """Cuts chunks into lines without their LF. Holds at most one bounded line.

    Only b"\\n" ends a line: CR, NUL, U+2028 and U+0085 are data. Decoding is the caller's.
    """

    def __init__(self, max_line_bytes: int = MAX_LINE_BYTES) -> None:
        self._max = max_line_bytes
        self._held = bytearray()
        self._dropped = 0
        """Bytes of the over-long line dropped so far; 0 when the line at hand still fits."""

    def feed(self, chunk: bytes | bytearray) -> list[Line]:
        """The lines that `chunk` completes, in order."""
        first, *rest = chunk.split(b"\n")
        if not rest:
            self._extend(first)
            return []
        self._extend(first)
        lines = [self._take()]
        lines.extend(
            bytes(line) if len(line) <= self._max else LineTooLong(len(line)) for line in rest[:-1]
        )
        self._extend(rest[-1])
        return lines

    def finish(self) -> Line | None:
        """At the end of the stream: the unterminated rest as a line, None when there is none."""
        if not self._held and not self._dropped:
            return None
        return self._take()

    def _extend(self, piece: bytes | bytearray) -> None:
        if self._dropped:
            self._dropped += len(piece)
        elif len(self._held) + len(piece) > self._max:
            self._dropped = len(self._held) + len(piece)
            self._held = bytearray()
        else:
            self._held += piece

    def _take(self) -> Line:
        line: Line = LineTooLong(self._dropped) if self._dropped else bytes(self._held)
        self._held, self._dropped = bytearray(), 0
        return line
