"""WebSocket text frames, as RFC 6455 writes them: made once for all who read them.

Frames of a server are not masked, so the same bytes serve every client.
"""

from collections.abc import Sequence

from groupx.domain.commits import Frame
from groupx.web.views import WITH_WORDS

_FINAL_TEXT = 0x81


def text_frame(data: bytes) -> bytes:
    """One whole text frame."""
    return _head(len(data)) + data


def frames_bytes(frames: Sequence[Frame]) -> bytes:
    """One text frame per envelope."""
    return b"".join(text_frame(frame.data) for frame in frames)


def together(frames: Sequence[Frame]) -> bytes:
    """One text frame: the only envelope, or an array of them, for which a page is woken once."""
    if len(frames) == 1:
        return text_frame(frames[0].data)
    return text_frame(b"[%b]" % b",".join(frame.data for frame in frames))


def parts(frames: Sequence[Frame]) -> Sequence[bytes | Frame]:
    """For who wants views: what has words as it is, and what comes between together."""
    found: list[bytes | Frame] = []
    run: list[Frame] = []
    for frame in frames:
        if frame.type not in WITH_WORDS:
            run.append(frame)
            continue
        found += [together(run), frame] if run else [frame]
        run = []
    return [*found, together(run)] if run else found


def _head(length: int) -> bytes:
    if length < 126:
        return bytes((_FINAL_TEXT, length))
    if length < 1 << 16:
        return bytes((_FINAL_TEXT, 126)) + length.to_bytes(2, "big")
    return bytes((_FINAL_TEXT, 127)) + length.to_bytes(8, "big")
