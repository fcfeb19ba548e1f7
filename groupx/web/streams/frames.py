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


def parts(frames: Sequence[Frame]) -> Sequence[bytes | Frame]:
    """The same for who wants views: runs of frames as bytes, but what has words as it is."""
    found: list[bytes | Frame] = []
    run: list[Frame] = []
    for frame in frames:
        if frame.type not in WITH_WORDS:
            run.append(frame)
            continue
        found += [frames_bytes(run), frame] if run else [frame]
        run = []
    return [*found, frames_bytes(run)] if run else found


def _head(length: int) -> bytes:
    if length < 126:
        return bytes((_FINAL_TEXT, length))
    if length < 1 << 16:
        return bytes((_FINAL_TEXT, 126)) + length.to_bytes(2, "big")
    return bytes((_FINAL_TEXT, 127)) + length.to_bytes(8, "big")
